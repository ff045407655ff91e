#include "tools/longshorectl/printed_text.h"

#include <algorithm>

#include "text/escape.h"

namespace longshore::ctl {

PrintedText::PrintedText(const std::string& value) : bytes_(text::escaped(value)) {}

PrintedText PrintedText::lines(std::string_view text) {
  PrintedText printed;
  printed.bytes_ = text::escaped_lines(text);
  return printed;
}

PrintedText PrintedText::paragraph(std::string_view text) {
  PrintedText printed;
  for (const char c : text::escaped_lines(text)) {
    printed.bytes_ += c;
    if (c == '\n') printed.bytes_ += "  ";
  }
  return printed;
}

// Between JSON's strings there is nothing that an escape would change but the line ends, and within
// them an escape means the same as what it stands for.
PrintedText PrintedText::json(std::string_view json) { return lines(json); }

// Characters, not bytes: every byte that does not continue a UTF-8 character begins one.
size_t PrintedText::width() const {
  return static_cast<size_t>(
      std::ranges::count_if(bytes_, [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace longshore::ctl
