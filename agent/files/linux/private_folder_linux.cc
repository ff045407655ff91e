#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "files/linux/trusted_folder.h"
#include "files/private_folder.h"

namespace longshore::files {

Result<void> make_private_folder(const std::string& path) {
  constexpr mode_t kMode = 0700;
  constexpr mode_t kModeAbove = 0755;
  const std::filesystem::path whole(path);
  const std::string name = whole.filename().string();
  const auto above = TrustedFolder::make(whole.parent_path().string(), kModeAbove);
  if (!above) return above.error();
  const auto failed = [&] {
    return Error(StatusCode::kUnknown, "make the folder", path).because(last_error());
  };
  if (::mkdirat(above->descriptor(), name.c_str(), kMode) != 0 && errno != EEXIST) return failed();
  const FileDescriptor folder(
      ::openat(above->descriptor(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!folder || ::fstat(folder.get(), &status) != 0) return failed();
  // One that is as it should be may lie on what can only be read.
  if ((status.st_mode & ALLPERMS) == kMode) return {};
  if (::chmod(path_of_descriptor(folder.get()).c_str(), kMode) != 0) return failed();
  return {};
}

}  // namespace longshore::files
