#include "tests/demo/demo_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/demo/leftovers.h"

namespace longshore::demo {
namespace {

namespace fs = std::filesystem;

const std::string kMarker = std::string(kDirectory) + "/.made-by-longshore-demo";

Error folder_failure(const char* operation) {
  return Error(StatusCode::kUnknown, operation, kDirectory)
      .because(std::error_code(errno, std::generic_category()));
}

// A real folder of our own user's that holds the marker.
bool is_ours() {
  struct stat folder {};
  struct stat marker {};
  return ::lstat(kDirectory, &folder) == 0 && S_ISDIR(folder.st_mode) &&
         folder.st_uid == ::geteuid() && ::lstat(kMarker.c_str(), &marker) == 0 &&
         S_ISREG(marker.st_mode) && marker.st_uid == ::geteuid();
}

// Nothing of a filesystem that is still mounted there.
Result<void> remove_folder() {
  if (auto unmounted = unmount_all(); !unmounted) return unmounted;
  std::error_code error;
  fs::remove_all(kDirectory, error);
  if (error) return Error(StatusCode::kUnknown, "remove", kDirectory).because(error);
  return {};
}

Result<void> remove_what_was_left() {
  if (!is_ours()) {
    return Error(StatusCode::kAlreadyExists, "use the folder", kDirectory)
        .because("it exists and no demonstration has made it")
        .advise("move it away");
  }
  const FileDescriptor marker(::open(kMarker.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!marker || ::flock(marker.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error(StatusCode::kFailedPrecondition, "use the folder", kDirectory)
        .because("another demonstration is running");
  }
  if (auto ended = end_leftovers(); !ended) return ended;
  return remove_folder();
}

}  // namespace

Result<std::unique_ptr<DemoDirectory>> DemoDirectory::make() {
  if (::mkdir(kDirectory, 0700) != 0) {
    if (errno != EEXIST) return folder_failure("make the folder");
    if (auto removed = remove_what_was_left(); !removed) return std::move(removed).error();
    if (::mkdir(kDirectory, 0700) != 0) return folder_failure("make the folder");
  }
  const int marker = ::open(kMarker.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (marker < 0 || ::flock(marker, LOCK_EX | LOCK_NB) != 0)
    return folder_failure("mark the folder");
  return std::unique_ptr<DemoDirectory>(new DemoDirectory(marker));
}

DemoDirectory::~DemoDirectory() {
  // The next demonstration removes what this one could not.
  if (is_ours()) const auto ignored = remove_folder();
  ::close(marker_);
}

}  // namespace longshore::demo
