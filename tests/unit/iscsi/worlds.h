// The worlds that the suite of the iscsi group runs in without a kernel: the fake, and the Linux
// backend on a stand-in for open-iscsi.
#pragma once

#include <filesystem>
#include <string>

#include "iscsi/iscsi_service.h"
#include "iscsi/linux/iscsi_backend_linux.h"
#include "tests/unit/iscsi/iscsi_backend_fake.h"
#include "tests/unit/iscsi/open_iscsi_stand_in.h"

namespace longshore::iscsi {

inline Target the_target() { return {{"192.0.2.1", 3260}, "iqn.2001-04.org.example:disks"}; }

class FakeWorld {
 public:
  explicit FakeWorld(const TargetSetup& setup) {
    FakeTarget target{.username = setup.username,
                      .secret = setup.secret,
                      .own_username = the_target().name,
                      .own_secret = setup.own_secret};
    for (int disk = 0; disk < setup.disks; ++disk) {
      target.disks.push_back(static_cast<uint32_t>(disk) + 7);
    }
    backend_.put(the_target(), target);
  }

  IscsiService& service() { return service_; }
  PortalRequest portal() const { return {"192.0.2.1", 0}; }
  PortalRequest silent_portal() const { return {"192.0.2.2", 0}; }
  std::string target() const { return the_target().name; }
  bool is_connected() const { return backend_.is_connected(the_target()); }
  void begin_use() { backend_.set_user(the_target(), "the mount /mnt"); }
  void end_use() { backend_.set_user(the_target(), ""); }

 private:
  IscsiBackendFake backend_;
  IscsiService service_{"{iqn}", backend_};
};

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
