#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "files/linux/trusted_folder.h"
#include "files/private_folder.h"
#include "longshore/linux/file_descriptor.hpp"

namespace longshore::files {

Result<void> make_private_folder(const std::string& path) {
  constexpr mode_t kMode = 0700;
  constexpr mode_t kModeAbove = 0755;
  const std::filesystem::path whole(path);
  const std::string name = whole.filename().string();
  const auto above = TrustedFolder::make(whole.parent_path().string(), kModeAbove);
  if (!above) return above.error();
  const auto failed = [&](const std::error_code& error) {
    return Error(StatusCode::kUnknown, "make the folder", path).because(error);
  };
  std::error_code error = error_unless(::mkdirat(above->descriptor(), name.c_str(), kMode) == 0);
  if (error && error != std::errc::file_exists) return failed(error);
  const FileDescriptor folder(
      ::openat(above->descriptor(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  error = folder ? error_unless(::fstat(folder.get(), &status) == 0) : folder.error();
  if (error) return failed(error);
  // One that is as it should be may lie on what can only be read.
  if ((status.st_mode & ALLPERMS) == kMode) return {};
  error = error_unless(::chmod(path_of_descriptor(folder.get()).c_str(), kMode) == 0);
  return error ? failed(error) : Result<void>();
}

}  // namespace longshore::files
