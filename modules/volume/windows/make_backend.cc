#include "volume/make_backend.h"

#include <utility>

#include "support/windows/abandonable_wmi.h"
#include "support/windows/device_control.h"
#include "support/windows/volume_functions.h"
#include "support/windows/windows_file_system.h"
#include "volume/windows/volume_backend_windows.h"

namespace longshore::volume {
namespace {

using support::WindowsPath;

// This node's layers, which ask nothing of Windows before they are called.
struct NodeLayers {
  support::SystemDeviceControl devices;
  support::SystemVolumeFunctions volumes;
  support::WindowsFileSystem files;
  support::AbandonableWmi wmi{support::native_wmi_provider()};
};

class NodeBackend final : public VolumeBackend {
 public:
  explicit NodeBackend(VolumeBackendWindows::Options options)
      : backend_({layers_.devices, layers_.volumes, layers_.files, layers_.wmi},
                 std::move(options)) {}

  std::string bulkhead_of(const WindowsPath& path) override { return backend_.bulkhead_of(path); }
  Result<std::vector<std::string>> list(uint32_t disk_number, uint32_t partition_number,
                                        const Deadline& deadline) override {
    return backend_.list(disk_number, partition_number, deadline);
  }
  Result<bool> is_formatted(const std::string& id) override { return backend_.is_formatted(id); }
  Result<void> format(const std::string& id, const Deadline& deadline) override {
    return backend_.format(id, deadline);
  }
  Result<void> mount(const std::string& id, const WindowsPath& target, const Deadline& deadline,
                     const support::WarningLog& warnings) override {
    return backend_.mount(id, target, deadline, warnings);
  }
  Result<void> unmount(const std::string& id, const WindowsPath& target, const Deadline& deadline,
                       const support::WarningLog& warnings) override {
    return backend_.unmount(id, target, deadline, warnings);
  }
  Result<void> flush(const std::string& id, const support::WarningLog& warnings) override {
    return backend_.flush(id, warnings);
  }
  Result<void> resize(const std::string& id, uint64_t size, const Deadline& deadline) override {
    return backend_.resize(id, size, deadline);
  }
  Result<VolumeStats> stats(const std::string& id) override { return backend_.stats(id); }
  Result<uint32_t> disk_number_of(const std::string& id) override {
    return backend_.disk_number_of(id);
  }
  Result<std::string> id_of_mount_point(const WindowsPath& path,
                                        const Deadline& deadline) override {
    return backend_.id_of_mount_point(path, deadline);
  }
  Result<std::string> closest_id(const WindowsPath& path, const Deadline& deadline) override {
    return backend_.closest_id(path, deadline);
  }

 private:
  NodeLayers layers_;
  VolumeBackendWindows backend_;
};

}  // namespace

Result<std::unique_ptr<VolumeBackend>> make_backend(const Settings& settings,
                                                    const support::AllowedRoots& roots) {
  return std::unique_ptr<VolumeBackend>(new NodeBackend({
      .roots = roots,
      .filesystem = settings.get_string("filesystem"),
      .state_directory = settings.state_directory(),
      .mount_read_only_disks = settings.get_bool("mount_read_only_disks"),
  }));
}

}  // namespace longshore::volume
