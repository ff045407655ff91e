// The last lines of the log, with their fields apart, for who asks the running agent: what went
// wrong lately, and what was said of one request.
//
// Threads: any. Owner: the log.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "observe/log_types.h"
#include "observe/text_ring.h"

namespace longshore::observe {

struct RecentLine {
  std::chrono::system_clock::time_point time;
  Level level = Level::kInfo;
  std::string text;  // as it was written, not yet escaped; its first kMaxTextBytes
  Fields fields;     // without the empty ones

  // The value of a field; empty when the line has none of this name.
  std::string_view field(std::string_view key) const;
};

class RecentLines {
 public:
  static constexpr size_t kMaxTextBytes = 1024;  // of the text and of each value

  // Fewer where they are much longer than usual lines.
  explicit RecentLines(size_t capacity)
      : lines_(capacity, capacity * kUsualBytes + kMaxLineBytes) {}
  RecentLines(const RecentLines&) = delete;
  RecentLines& operator=(const RecentLines&) = delete;

  void add(std::chrono::system_clock::time_point time, Level level, std::string_view text,
           const Fields& fields);

  // The oldest first.
  std::vector<RecentLine> all() const;

 private:
  static constexpr size_t kUsualBytes = 256;
  // Of a line: fields beyond that are left out.
  static constexpr size_t kMaxLineBytes = 16u << 10;

  // What is written of a line: its text, and then the fields, each with a head before its value.
  struct Kept {
    std::chrono::system_clock::time_point time;
    Level level = Level::kInfo;
    uint16_t text_bytes = 0;
    uint16_t fields = 0;
  };
  struct FieldHead {
    std::string_view key;  // a literal
    size_t bytes = 0;
  };

  static RecentLine line_of(const Kept& kept, const char* from);

  mutable std::mutex mutex_;
  TextRing<Kept> lines_;
};

}  // namespace longshore::observe
