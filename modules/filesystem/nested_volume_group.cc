#include "filesystem/nested_volume_group.h"

#include "volume/v1.pb.h"

namespace longshore::filesystem {
using support::Path;

Result<std::string> NestedVolumeGroup::id_of_mount_point(const Path& path) {
  ::v1::GetVolumeIDFromTargetPathRequest request;
  request.set_target_path(path.text());
  const auto answer = call_.invoke<::v1::GetVolumeIDFromTargetPathResponse>(
      "v1.Volume/GetVolumeIDFromTargetPath", request);
  if (!answer) return answer.error();
  return answer->volume_id();
}

Result<void> NestedVolumeGroup::unmount(const std::string& id, const Path& path) {
  ::v1::UnmountVolumeRequest request;
  request.set_volume_id(id);
  request.set_target_path(path.text());
  const auto answer = call_.invoke<::v1::UnmountVolumeResponse>("v1.Volume/UnmountVolume", request);
  if (!answer) return answer.error();
  return {};
}

}  // namespace longshore::filesystem
