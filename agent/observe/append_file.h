// A file to which whole lines are appended, each with one write: no line is torn by another's, and
// logrotate may move the file away at any time.
//
// All is done by descriptors, in a folder that others cannot write, and no link is followed.
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

  // Makes the folder of the file where it is missing, closed to others as the file.
  static Result<void> make_folder_of(const std::string& path);

  // Opens the file, or makes one, that its owner may write and its group read, and nobody else. An
  // error leaves what was open. Nothing is done when the file of that name is the one that is open
  // already; `is_new` tells whether it is not.
  Result<void> open(const std::string& path, bool* is_new = nullptr);

  // Whether a file could be opened at the path now, or made. It looks, and changes nothing.
  static Result<void> check(const std::string& path);

  // Appends `line`, which ends with a line end. An error leaves nothing of it in the file, or,
  // where even that fails, a line of its own that is not whole.
  Result<void> write(std::string_view line);
  // Returns when all that was written is on the disk.
  Result<void> sync();

  // What follows the last line end but one: the last line, with its end if it has one. At most
  // `max_bytes` of it.
  std::string last_line(size_t max_bytes) const;
  // Takes so many bytes from the end.
  Result<void> cut(size_t bytes);
  uint64_t size() const;

  // Moves the file to <path>.1, that one to <path>.2 and so on, so that with a new one there are at
  // most `max_files`, and opens a new one.
  Result<void> rotate(int64_t max_files);

 private:
  std::string path_;
  intptr_t folder_ = -1;  // descriptors
  intptr_t handle_ = -1;
  bool is_torn_ = false;  // its last line has no end
};

}  // namespace longshore::observe
