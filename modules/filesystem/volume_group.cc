#include "filesystem/volume_group.h"

#include <utility>

namespace longshore::filesystem {
using support::Path;

namespace {

// The path is not removed, for what the volume group has answered.
Error refusal(StatusCode code, const Path& path, const Error& answer) {
  return Error(code, "remove", path.text()).because("it is a mount point: " + answer.message());
}

Error refusal_unasked(const Path& path, const Error& answer) {
  return refusal(StatusCode::kFailedPrecondition, path, answer)
      .advise(
          "unmount it first; or let Rmdir do it, by may_call = "
          "[\"v1.Volume/GetVolumeIDFromTargetPath\", \"v1.Volume/UnmountVolume\"] of the module "
          "filesystem, beside the module volume");
}

}  // namespace

Result<void> unmount_volume(VolumeGroup& volumes, const Path& path) {
  const Result<std::string> id = volumes.id_of_mount_point(path);
  const Result<void> unmounted = id ? volumes.unmount(*id, path) : id.error();
  if (unmounted) return {};
  const Error& answer = unmounted.error();
  if (answer.code() == StatusCode::kPermissionDenied ||
      answer.code() == StatusCode::kUnimplemented) {
    return refusal_unasked(path, answer);
  }
  Error refused = refusal(answer.code(), path, answer);
  if (id || answer.code() != StatusCode::kFailedPrecondition) return refused;
  return std::move(refused).advise("unmount it first");
}

}  // namespace longshore::filesystem
