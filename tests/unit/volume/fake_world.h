// The world of the volume group's suite that is the fake.
#pragma once

#include <cstdint>
#include <string>

#include "tests/unit/volume/volume_backend_fake.h"
#include "tests/unit/volume/volume_setup.h"
#include "volume/volume_service.h"

namespace longshore::volume {

class FakeWorld {
 public:
  explicit FakeWorld(const Setup& setup = {}) : setup_(setup) {
    backend_.set_mount_read_only_disks(setup.mount_read_only_disks);
    for (uint32_t place = 0; place < setup.disks; ++place) {
      backend_.put_disk(number(place), setup.bytes);
      if (setup.whole_disk_filesystem) {
        backend_.put_volume("UUID=disk-" + std::to_string(place),
                            {.disk_number = number(place),
                             .size = setup.bytes,
                             .content = FakeVolume::Content::kFilesystem});
      }
    }
  }

  static constexpr uint32_t kPartitionNumber = 1;
  static constexpr bool kOpenFilesKeepMounts = true;
  static std::string growing_filesystem() { return "ext4"; }

  uint32_t number(size_t place = 0) const { return static_cast<uint32_t>(place) + 1; }
  Result<void> partition(size_t place = 0) {
    const std::string id = "PARTUUID=partition-" + std::to_string(place);
    if (backend_.has_volume(id)) return {};
    backend_.put_volume(id, {.disk_number = number(place),
                             .partition_number = 1,
                             .size = setup_.bytes - VolumeBackendFake::kTableBytes});
    return {};
  }
  Result<void> set_online(bool online, size_t place = 0) {
    return backend_.set_online(number(place), online);
  }
  void make_read_only() { backend_.make_read_only(number()); }
  void grow(uint64_t bytes) { backend_.grow_disk(number(), bytes); }
  void unplug() { backend_.unplug(number()); }

  std::string outside() const { return "/outside"; }
  std::string at(const std::string& name) const { return root() + "/" + name; }

  void put_directory(const std::string& path) {
    for (size_t slash = root().size(); slash != std::string::npos;) {
      slash = path.find('/', slash + 1);
      backend_.put_directory(path.substr(0, slash));
    }
  }
  void put_file(const std::string& path) { backend_.put_file(path); }
  void put_link(const std::string& text, const std::string& path) { backend_.put_link(text, path); }
  void put_foreign_mount(const std::string& path) { backend_.put_foreign_mount(path); }
  void use(const std::string& path) { backend_.set_busy(path, true); }
  void release(const std::string& path) { backend_.set_busy(path, false); }

  VolumeService& service() { return service_; }
  VolumeBackendFake& backend() { return backend_; }

 private:
  support::AllowedRoots roots() const { return *support::AllowedRoots::from({root()}); }
  std::string root() const { return "/var/lib/kubelet"; }

  const Setup setup_;
  VolumeBackendFake backend_{roots()};
  VolumeService service_{roots(), backend_};
};

}  // namespace longshore::volume
