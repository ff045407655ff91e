#include "observe/recent_lines.h"

#include <iterator>
#include <utility>

namespace longshore::observe {

std::string_view RecentLine::field(std::string_view key) const {
  for (const Field& each : fields) {
    if (each.key == key) return each.value;
  }
  return {};
}

void RecentLines::add(std::chrono::system_clock::time_point time, Level level,
                      std::string_view text, const Fields& fields) {
  RecentLine line{time, level, std::string(text.substr(0, kMaxTextBytes)), {}};
  for (const Field& field : fields) {
    if (field.value.empty()) continue;
    line.fields.emplace_back(field.key, std::string_view(field.value).substr(0, kMaxTextBytes));
  }
  const std::lock_guard lock(mutex_);
  if (lines_.size() < capacity_) {
    lines_.push_back(std::move(line));
  } else {
    lines_[next_] = std::move(line);
    next_ = (next_ + 1) % capacity_;
  }
}

std::vector<RecentLine> RecentLines::all() const {
  const std::lock_guard lock(mutex_);
  const auto oldest = lines_.begin() + static_cast<std::ptrdiff_t>(next_);
  std::vector<RecentLine> lines(oldest, lines_.end());
  lines.insert(lines.end(), lines_.begin(), oldest);
  return lines;
}

}  // namespace longshore::observe
