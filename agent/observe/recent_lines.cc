#include "observe/recent_lines.h"

#include <algorithm>
#include <cstring>

namespace longshore::observe {

std::string_view RecentLine::field(std::string_view key) const {
  for (const Field& each : fields) {
    if (each.key == key) return each.value;
  }
  return {};
}

void RecentLines::add(std::chrono::system_clock::time_point time, Level level,
                      std::string_view text, const Fields& fields) {
  text = text.substr(0, kMaxTextBytes);
  const auto value_of = [](const Field& field) {
    return std::string_view(field.value).substr(0, kMaxTextBytes);
  };
  size_t bytes = text.size() + 1;  // each line has a place
  size_t last = 0;                 // behind the last field that is kept
  for (; last < fields.size(); ++last) {
    const std::string_view value = value_of(fields[last]);
    if (value.empty()) continue;
    if (bytes + sizeof(FieldHead) + value.size() > kMaxLineBytes) break;
    bytes += sizeof(FieldHead) + value.size();
  }

  const std::lock_guard lock(mutex_);
  auto [kept, to] = lines_.add(bytes);
  kept = {time, level, static_cast<uint16_t>(text.size()), 0};
  to = std::copy(text.begin(), text.end(), to);
  for (size_t i = 0; i < last; ++i) {
    const std::string_view value = value_of(fields[i]);
    if (value.empty()) continue;
    const FieldHead head{fields[i].key, value.size()};
    std::memcpy(to, &head, sizeof(head));
    to = std::copy(value.begin(), value.end(), to + sizeof(head));
    ++kept.fields;
  }
}

RecentLine RecentLines::line_of(const Kept& kept, const char* from) {
  RecentLine line{kept.time, kept.level, std::string(from, kept.text_bytes), {}};
  from += kept.text_bytes;
  line.fields.reserve(kept.fields);
  for (int i = 0; i < kept.fields; ++i) {
    FieldHead head;
    std::memcpy(&head, from, sizeof(head));
    line.fields.emplace_back(head.key, std::string_view(from + sizeof(head), head.bytes));
    from += sizeof(head) + head.bytes;
  }
  return line;
}

std::vector<RecentLine> RecentLines::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<RecentLine> lines;
  lines.reserve(lines_.size());
  lines_.for_each(
      [&](const Kept& kept, const char* texts) { lines.push_back(line_of(kept, texts)); });
  return lines;
}

}  // namespace longshore::observe
