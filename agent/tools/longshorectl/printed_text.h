// What longshorectl prints: the only type that its output takes.
//
// Texts of the agent, of modules and of whoever called them become harmless by becoming one of
// these, see text/escape.h. Only words that stand in this program's source are printed as they are,
// with their line ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace longshore::ctl {

class PrintedText {
 public:
  PrintedText() = default;
  // Not explicit: lines are put together of own words and values.
  // NOLINTNEXTLINE(google-explicit-constructor)
  PrintedText(const std::string& value);
  template <size_t kSize>
  // NOLINTNEXTLINE(google-explicit-constructor)
  PrintedText(const char (&own_words)[kSize]) : bytes_(own_words, kSize - 1) {}

  // Lines of others: their line ends stay, and what is in a line is escaped.
  static PrintedText lines(std::string_view text);
  // The same, with all lines but the first indented: none passes for a line of ours.
  static PrintedText paragraph(std::string_view text);
  // What was JSON stays the same JSON: a line, or indented lines.
  static PrintedText json(std::string_view json);

  PrintedText& operator+=(const PrintedText& more) {
    bytes_ += more.bytes_;
    return *this;
  }
  friend PrintedText operator+(PrintedText first, const PrintedText& second) {
    return first += second;
  }

  bool empty() const { return bytes_.empty(); }
  // How many characters of the screen it takes.
  size_t width() const;
  const std::string& bytes() const { return bytes_; }

 private:
  friend class Paint;  // whose colours are control sequences, and end with their text

  std::string bytes_;
};

}  // namespace longshore::ctl
