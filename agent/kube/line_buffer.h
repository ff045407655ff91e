// Bytes that come in pieces, as lines. Threads: one. Owner: who reads them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace longshore::kube {

class LineBuffer {
 public:
  void append(std::string_view bytes) {
    // What was taken goes once it is most of all, so that many short lines are not moved each.
    if (taken_ > bytes_.size() / 2) {
      bytes_.erase(0, taken_);
      searched_ -= taken_;
      taken_ = 0;
    }
    bytes_ += bytes;
  }

  // The next line, without its end; nothing: its end has not come.
  std::optional<std::string> take() {
    const size_t end = bytes_.find('\n', searched_);
    if (end == std::string::npos) {
      searched_ = bytes_.size();
      return std::nullopt;
    }
    std::string line = bytes_.substr(taken_, end - taken_);
    taken_ = searched_ = end + 1;
    return line;
  }

  // How much of a line is there that has no end.
  size_t size() const { return bytes_.size() - taken_; }

  // That, as the last line.
  std::string take_rest() {
    std::string rest = bytes_.substr(taken_);
    bytes_.clear();
    taken_ = searched_ = 0;
    return rest;
  }

 private:
  std::string bytes_;
  size_t taken_ = 0;     // so many belong to lines before
  size_t searched_ = 0;  // so many have no line end behind those taken
};

}  // namespace longshore::kube
