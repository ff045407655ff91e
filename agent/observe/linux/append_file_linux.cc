#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "files/linux/trusted_folder.h"
#include "observe/append_file.h"

namespace longshore::observe {
namespace {

Error failed(const char* what, const std::string& path, int error) {
  return Error(StatusCode::kUnavailable, what, path)
      .because(std::error_code(error, std::generic_category()));
}

constexpr mode_t kMode = 0640;
constexpr mode_t kFolderMode = 0750;

// Also a file that was there before, as of an older version: its lines name what callers did. One
// that belongs to somebody else is as its owner wants it.
void close_to_others(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || status.st_uid != ::geteuid()) return;
  if ((status.st_mode & ALLPERMS & ~kMode) == 0) return;
  static_cast<void>(::fchmod(file, status.st_mode & kMode));
}

// The folder that a path lies in, and its name there.
std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

AppendFile::~AppendFile() {
  if (handle_ >= 0) ::close(static_cast<int>(handle_));
  if (folder_ >= 0) ::close(static_cast<int>(folder_));
}

Result<void> AppendFile::make_folder_of(const std::string& path) {
  const auto folder = files::TrustedFolder::make(folder_of(path), kFolderMode);
  return folder ? Result<void>() : folder.error();
}

Result<void> AppendFile::open(const std::string& path, bool* is_new) {
  if (is_new) *is_new = false;
  auto folder = files::TrustedFolder::open(folder_of(path));
  if (!folder) return folder.error();
  auto opened = folder->open_file(name_of(path), O_RDWR | O_APPEND | O_CREAT, kMode);
  if (!opened) return opened.error();
  struct stat there {};
  struct stat here {};
  if (handle_ >= 0 && ::fstat(opened->get(), &there) == 0 &&
      ::fstat(static_cast<int>(handle_), &here) == 0 && here.st_ino == there.st_ino &&
      here.st_dev == there.st_dev) {
    return {};
  }
  close_to_others(opened->get());
  if (handle_ >= 0) ::close(static_cast<int>(handle_));
  if (folder_ >= 0) ::close(static_cast<int>(folder_));
  handle_ = opened->release();
  folder_ = folder->release_descriptor();
  is_torn_ = false;
  path_ = path;
  if (is_new) *is_new = true;
  return {};
}

Result<void> AppendFile::check(const std::string& path) {
  auto folder = files::TrustedFolder::open(folder_of(path));
  if (!folder) return folder.error();
  const auto opened = folder->open_file(name_of(path), O_RDWR | O_APPEND);
  if (opened) return {};
  if (opened.error().system() != std::errc::no_such_file_or_directory) return opened.error();
  if (::faccessat(folder->descriptor(), ".", W_OK, AT_EACCESS) == 0) return {};
  return failed("make the file", path, errno);
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

Result<void> AppendFile::sync() {
  if (::fdatasync(static_cast<int>(handle_)) == 0) return {};
  return failed("sync the file", path_, errno);
}

uint64_t AppendFile::size() const {
  struct stat status {};
  if (handle_ < 0 || ::fstat(static_cast<int>(handle_), &status) != 0) return 0;
  return static_cast<uint64_t>(status.st_size);
}

std::string AppendFile::last_line(size_t max_bytes) const {
  const uint64_t bytes = size();
  std::string text(std::min<uint64_t>(bytes, max_bytes), '\0');
  const ssize_t count = ::pread(static_cast<int>(handle_), text.data(), text.size(),
                                static_cast<off_t>(bytes - text.size()));
  text.resize(count < 0 ? 0 : static_cast<size_t>(count));
  if (text.size() < 2) return text;
  const size_t end_before = text.rfind('\n', text.size() - 2);
  return end_before == std::string::npos ? text : text.substr(end_before + 1);
}

Result<void> AppendFile::cut(size_t bytes) {
  if (::ftruncate(static_cast<int>(handle_), static_cast<off_t>(size() - bytes)) == 0) return {};
  return failed("cut the file", path_, errno);
}

Result<void> AppendFile::rotate(int64_t max_files) {
  const int folder = static_cast<int>(folder_);
  const auto numbered = [&](int64_t number) {
    return name_of(path_) + (number == 0 ? std::string() : "." + std::to_string(number));
  };
  if (max_files <= 1) ::unlinkat(folder, numbered(0).c_str(), 0);
  // Moved already, when the new one could not be made: the oldest must not go each time.
  const bool is_moved = ::faccessat(folder, numbered(0).c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0;
  // The oldest is replaced. What is not there need not move.
  for (int64_t number = is_moved ? -1 : max_files - 2; number >= 0; --number) {
    if (::renameat(folder, numbered(number).c_str(), folder, numbered(number + 1).c_str()) != 0 &&
        errno != ENOENT) {
      return failed("rotate the file", path_, errno);
    }
  }
  return open(std::string(path_));
}

}  // namespace longshore::observe
