#include <sys/types.h>
#include <unistd.h>

#include <utility>

#include "files/linux/trusted_folder.h"
#include "longshore/linux/file_descriptor.hpp"
#include "longshore/socket_path.hpp"
#include "sidecars/run_dir.h"

namespace longshore::sidecars {
namespace {

constexpr mode_t kMode = 0755;

Error unusable(const std::string& run_dir, std::string why) {
  return Error(StatusCode::kFailedPrecondition, "keep sockets and state in", run_dir)
      .because(std::move(why))
      .advise(
          "name a folder with --run-dir that this process's user can write to and nobody else; in "
          "a Pod with a read-only root or without root's rights, mount an emptyDir there that "
          "nothing else uses");
}

}  // namespace

Result<void> prepare_run_dir(const std::string& run_dir) {
  // The longest path of a socket there.
  if (const std::string excess = socket_path_excess(run_dir + "/control/control.sock");
      !excess.empty()) {
    return unusable(run_dir, "the control socket's " + excess);
  }
  const auto folder = files::TrustedFolder::make_closed(run_dir, kMode);
  if (!folder) return unusable(run_dir, folder.error().message());
  const std::error_code error = error_unless(
      ::access(files::path_of_descriptor(folder->descriptor()).c_str(), W_OK | X_OK) == 0);
  return error ? unusable(run_dir, error.message()) : Result<void>();
}

}  // namespace longshore::sidecars
