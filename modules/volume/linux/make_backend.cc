#include "volume/make_backend.h"

#include <string>
#include <utility>

#include "support/linux/block/disk_names.h"
#include "volume/allowed_filesystems.h"
#include "volume/linux/volume_backend_linux.h"

namespace longshore::volume {

Result<std::unique_ptr<VolumeBackend>> make_backend(const Settings& settings,
                                                    const support::AllowedRoots& roots) {
  auto names = block::DiskNames::from(settings.get_strings("disk_names"));
  if (!names) return std::move(names).error();
  auto filesystems = AllowedFilesystems::from(settings.get_strings("allowed_filesystems"));
  if (!filesystems) return std::move(filesystems).error();
  const std::string mkfs_directory = settings.get_string("mkfs_directory");
  if (!mkfs_directory.starts_with('/')) {
    return Error(StatusCode::kInvalidArgument, "use as mkfs_directory", mkfs_directory)
        .because("it is no absolute path");
  }
  return std::unique_ptr<VolumeBackend>(new VolumeBackendLinux({
      .disk_names = *std::move(names),
      .roots = roots,
      .allowed_filesystems = *std::move(filesystems),
      .filesystem = settings.get_string("filesystem"),
      .mkfs_directory = mkfs_directory,
      .state_directory = settings.state_directory(),
      .mount_read_only_disks = settings.get_bool("mount_read_only_disks"),
      .skips_journal_replay = settings.get_bool("skip_journal_replay"),
      .overwrites_unknown_data = settings.get_bool("overwrite_unknown_data"),
  }));
}

}  // namespace longshore::volume
