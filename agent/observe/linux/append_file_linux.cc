#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "observe/append_file.h"

namespace longshore::observe {
namespace {

Error failed(const char* what, const std::string& path, int error) {
  return Error(StatusCode::kUnavailable, what, path)
      .because(std::error_code(error, std::generic_category()));
}

}  // namespace

AppendFile::~AppendFile() {
  if (handle_ >= 0) ::close(static_cast<int>(handle_));
}

Result<void> AppendFile::open(const std::string& path) {
  // O_NONBLOCK: a FIFO of that name must not hang the agent.
  const int opened =
      ::open(path.c_str(),
             O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0600);
  if (opened < 0) return failed("open the file", path, errno);
  struct stat there {};
  struct stat here {};
  const bool is_file = ::fstat(opened, &there) == 0 && S_ISREG(there.st_mode);
  const bool is_same = handle_ >= 0 && ::fstat(static_cast<int>(handle_), &here) == 0 &&
                       here.st_ino == there.st_ino && here.st_dev == there.st_dev;
  if (!is_file || is_same) {
    ::close(opened);
    if (is_same) return {};
    return Error(StatusCode::kUnavailable, "open the file", path)
        .because("it is not a regular file");
  }
  if (handle_ >= 0) ::close(static_cast<int>(handle_));
  handle_ = opened;
  is_torn_ = false;
  path_ = path;
  return {};
}

Result<void> AppendFile::write(std::string_view line) {
  // Half a line must not spoil the next one.
  const std::string after_torn = is_torn_ ? "\n" + std::string(line) : std::string();
  if (is_torn_) line = after_torn;
  const int file = static_cast<int>(handle_);
  ssize_t count = 0;
  do {
    count = ::write(file, line.data(), line.size());
  } while (count < 0 && errno == EINTR);
  if (count == static_cast<ssize_t>(line.size())) {
    is_torn_ = false;
    return {};
  }
  if (count < 0) return failed("write to the file", path_, errno);
  // The disk is full, or a limit was met, in the middle of the line.
  struct stat status {};
  if (::fstat(file, &status) != 0 || ::ftruncate(file, status.st_size - count) != 0) {
    is_torn_ = true;
    return failed("take half a line from the file", path_, errno);
  }
  return failed("write to the file", path_, ENOSPC);
}

}  // namespace longshore::observe
