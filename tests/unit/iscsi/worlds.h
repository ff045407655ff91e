// The worlds that the suite of the iscsi group runs in without a kernel: the fake, and the Linux
// backend on a stand-in for open-iscsi.
#pragma once

#include <filesystem>
#include <string>

#include "iscsi/iscsi_service.h"
#include "iscsi/linux/iscsi_backend_linux.h"
#include "tests/unit/iscsi/fake_world.h"
#include "tests/unit/iscsi/open_iscsi_stand_in.h"

namespace longshore::iscsi {

class StandInWorld {
 public:
  explicit StandInWorld(const TargetSetup& setup) { open_iscsi_.offer(the_target(), setup); }

  OpenIscsiStandIn& open_iscsi() { return open_iscsi_; }
  IscsiBackendLinux& backend() { return backend_; }
  IscsiService& service() { return service_; }
  PortalRequest portal() const { return {"192.0.2.1", 0}; }
  PortalRequest silent_portal() const { return {"192.0.2.2", 0}; }
  std::string target() const { return the_target().name; }
  bool is_connected() const {
    return std::filesystem::exists(open_iscsi_.sysfs() + "/class/iscsi_session/session1");
  }
  // Something is made of the disk, as LVM would do.
  void begin_use() { std::filesystem::create_directory(holder()); }
  void end_use() { std::filesystem::remove(holder()); }

 private:
  std::string holder() const { return open_iscsi_.sysfs() + "/block/sdba/holders/dm-0"; }

  OpenIscsiStandIn open_iscsi_;
  IscsiBackendLinux backend_{open_iscsi_.options()};
  IscsiService service_{"{iqn}", backend_};
};

}  // namespace longshore::iscsi
