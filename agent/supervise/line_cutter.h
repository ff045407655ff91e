// Cuts what a process prints into lines, for the log.
//
// Threads: one at a time.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace longshore::supervise {

class LineCutter {
 public:
  using OnLine = std::function<void(std::string_view)>;

  void add(std::string_view bytes, const OnLine& on_line) {
    for (const char c : bytes) {
      if (c == '\n' || line_.size() == kMaxLineBytes) finish(on_line);
      if (c != '\n') line_ += c;
    }
  }

  // The last line may have no end. Programs for Windows end a line with two characters.
  void finish(const OnLine& on_line) {
    if (line_.ends_with('\r')) line_.pop_back();
    if (!line_.empty()) on_line(line_);
    line_.clear();
  }

 private:
  static constexpr size_t kMaxLineBytes = 4096;

  std::string line_;
};

}  // namespace longshore::supervise
