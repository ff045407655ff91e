#include "disk/make_backend.h"

#include "disk/windows/disk_backend_windows.h"
#include "support/windows/abandonable_wmi.h"
#include "support/windows/device_control.h"
#include "support/windows/volume_functions.h"

namespace longshore::disk {
namespace {

// The backend on this node's own layers, which asks nothing of Windows before it is called.
class NodeBackend final : public DiskBackend {
 public:
  explicit NodeBackend(const DiskBackendWindows::Options& options)
      : backend_(devices_, volumes_, wmi_, options) {}

  Result<std::map<uint32_t, DiskLocation>> locations() override { return backend_.locations(); }
  Result<std::map<uint32_t, DiskIdentity>> identities() override { return backend_.identities(); }
  Result<uint64_t> size_in_bytes(uint32_t number) override {
    return backend_.size_in_bytes(number);
  }
  Result<void> partition(uint32_t number, const Deadline& deadline) override {
    return backend_.partition(number, deadline);
  }
  Result<void> rescan(const Deadline& deadline) override { return backend_.rescan(deadline); }
  Result<DiskState> state(uint32_t number) override { return backend_.state(number); }
  Result<void> set_online(uint32_t number, bool online, const Deadline& deadline) override {
    return backend_.set_online(number, online, deadline);
  }

 private:
  support::SystemDeviceControl devices_;
  support::SystemVolumeFunctions volumes_;
  support::AbandonableWmi wmi_{support::native_wmi_provider()};
  DiskBackendWindows backend_;
};

}  // namespace

Result<std::unique_ptr<DiskBackend>> make_backend(const Settings& settings) {
  return std::unique_ptr<DiskBackend>(new NodeBackend({
      .overwrites_unknown_data = settings.get_bool("overwrite_unknown_data"),
      .clears_read_only = settings.get_bool("clear_read_only"),
  }));
}

}  // namespace longshore::disk
