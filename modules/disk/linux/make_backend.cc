#include "disk/make_backend.h"

#include <utility>

#include "disk/linux/disk_backend_linux.h"
#include "support/linux/block/disk_names.h"

namespace longshore::disk {

Result<std::unique_ptr<DiskBackend>> make_backend(const Settings& settings) {
  auto names = block::DiskNames::from(settings.get_strings("disk_names"));
  if (!names) return std::move(names).error();
  return std::unique_ptr<DiskBackend>(new DiskBackendLinux({
      .disk_names = *std::move(names),
      .overwrites_unknown_data = settings.get_bool("overwrite_unknown_data"),
      .offline_in_kernel = settings.get_bool("offline_in_kernel"),
      .clears_read_only = settings.get_bool("clear_read_only"),
  }));
}

}  // namespace longshore::disk
