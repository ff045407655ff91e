// The worlds that the suite of the disk group runs in: the fake, and the backend for this system,
// on Linux with disks made of files, on Windows with disks of a node that is made up.
//
// Each has the disks that a test describes, by their places in its list.
#pragma once

#include <cstdint>
#include <tuple>

#include "disk/disk_service.h"
#include "tests/unit/disk/disk_backend_fake.h"
#include "tests/unit/disk/disk_setup.h"
#if defined(_WIN32)
#include "tests/unit/disk/windows/windows_world.h"
#else
#include "tests/unit/disk/real_world.h"
#endif

namespace longshore::disk {

class FakeWorld {
 public:
  explicit FakeWorld(const Disks& setups = Disks(1)) {
    for (const DiskSetup& setup : setups) {
      FakeDisk disk;
      disk.size = setup.bytes;
      if (setup.filesystem || setup.byte) disk.content = FakeDisk::Content::kSomethingElse;
      disk.read_only = setup.read_only;
      backend_.put(++last_, disk);
    }
  }

  uint32_t number(size_t place) const { return static_cast<uint32_t>(place) + 1; }
  void grow(size_t place, uint64_t bytes) {
    FakeDisk disk = *backend_.inspect(number(place));
    disk.size = bytes;
    backend_.put_unseen(number(place), disk);
  }
  void pull_out(size_t place) { backend_.remove(number(place)); }
  void use(size_t place) { set_in_use(place, true); }
  void release(size_t place) { set_in_use(place, false); }
  bool has_table(size_t place) const {
    return backend_.inspect(number(place))->content == FakeDisk::Content::kTable;
  }
  DiskBackend& backend() { return backend_; }

 private:
  void set_in_use(size_t place, bool in_use) {
    FakeDisk disk = *backend_.inspect(number(place));
    disk.in_use = in_use;
    backend_.put(number(place), disk);
  }

  DiskBackendFake backend_;
  uint32_t last_ = 0;
};

#if defined(_WIN32)
using Worlds = std::tuple<WindowsWorld, FakeWorld>;
#else
using Worlds = std::tuple<RealWorld, FakeWorld>;
#endif

}  // namespace longshore::disk
