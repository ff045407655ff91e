// A file to which whole lines are appended, each with one write: no line is torn by another's, and
// logrotate may move the file away at any time.
//
// Threads: one at a time. Owner: the log that writes to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "longshore/result.hpp"

namespace longshore::observe {

class AppendFile {
 public:
  AppendFile() = default;
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // Opens the file, or makes one that only its owner may read. An error leaves what was open.
  // Nothing is done when the file of that name is the one that is open already.
  Result<void> open(const std::string& path);

  // Appends `line`, which ends with a line end. An error leaves nothing of it in the file, or,
  // where even that fails, a line of its own that is not whole.
  Result<void> write(std::string_view line);

 private:
  std::string path_;
  intptr_t handle_ = -1;  // a descriptor
  bool is_torn_ = false;  // its last line has no end
};

}  // namespace longshore::observe
