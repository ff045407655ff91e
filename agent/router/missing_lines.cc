#include "router/missing_lines.h"

#include <algorithm>
#include <charconv>

namespace longshore::router {
namespace {

constexpr size_t kDigits = 20;  // as many as any number of 64 bits has

}  // namespace

Result<void> MissingLines::open(const std::string& path, const std::string& audit_file) {
  auto mark = files::MarkerFile::open(path);
  if (!mark) return mark.error();
  audit_file_ = audit_file;
  const std::string text = (*mark)->read();
  uint64_t lines = 0;
  const size_t digits = std::min(text.size(), kDigits);
  const bool is_number =
      std::from_chars(text.data(), text.data() + digits, lines).ec == std::errc();
  if (is_number && text == text_of(lines)) remembered_ = lines;
  // Now, while the disk may have room for it.
  if (auto written = (*mark)->write(text_of(remembered_), false); !written) return written;
  mark_ = std::move(*mark);
  return {};
}

void MissingLines::remember(uint64_t lines) {
  if (!mark_ || lines == remembered_) return;
  if (mark_->write(text_of(lines), false)) remembered_ = lines;
}

std::string MissingLines::text_of(uint64_t lines) const {
  const std::string digits = std::to_string(lines);
  return std::string(kDigits - digits.size(), '0') + digits + ' ' + audit_file_ + '\n';
}

}  // namespace longshore::router
