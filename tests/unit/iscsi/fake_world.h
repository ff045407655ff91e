// The suite's world without a system: IscsiBackendFake.
#pragma once

#include <string>

#include "iscsi/iscsi_service.h"
#include "tests/unit/iscsi/iscsi_backend_fake.h"
#include "tests/unit/iscsi/target_setup.h"

namespace longshore::iscsi {

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

}  // namespace longshore::iscsi
