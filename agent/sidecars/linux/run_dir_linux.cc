#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "files/linux/trusted_folder.h"
#include "longshore/linux/file_descriptor.hpp"
#include "sidecars/run_dir.h"

namespace longshore::sidecars {
namespace {

constexpr mode_t kMode = 0755;

// Not one that is shared on purpose, as /tmp is, nor one with something in it.
void close_to_others(const std::string& folder) {
  const FileDescriptor opened(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0) return;  // the agent's own look tells why
  const bool is_open = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (!is_open || (status.st_mode & S_ISVTX) != 0 || status.st_uid != ::geteuid()) return;
  std::error_code error;
  if (!std::filesystem::is_empty(folder, error) || error) return;
  static_cast<void>(::fchmod(opened.get(), kMode));  // what stays open is refused below
}

Error unusable(const std::string& run_dir, std::string why) {
  return Error(StatusCode::kFailedPrecondition, "keep sockets and state in", run_dir)
      .because(std::move(why))
      .advise(
          "name a folder with --run-dir that this process's user can write to and nobody else; in "
          "a Pod with a read-only root, mount an emptyDir there");
}

}  // namespace

Result<void> prepare_run_dir(const std::string& run_dir) {
  close_to_others(run_dir);
  const auto folder = files::TrustedFolder::make(run_dir, kMode);
  if (!folder) return unusable(run_dir, folder.error().message());
  if (::access(files::path_of_descriptor(folder->descriptor()).c_str(), W_OK | X_OK) != 0) {
    return unusable(run_dir, last_error().message());
  }
  return {};
}

}  // namespace longshore::sidecars
