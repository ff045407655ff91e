// The suite's world on Windows: the backend on a stand-in for the initiator.
#pragma once

#include <memory>
#include <string>

#include "iscsi/iscsi_service.h"
#include "iscsi/windows/iscsi_backend_windows.h"
#include "tests/unit/iscsi/target_setup.h"
#include "tests/unit/iscsi/windows/initiator_stand_in.h"

namespace longshore::iscsi {

class WindowsWorld {
 public:
  explicit WindowsWorld(const TargetSetup& setup = {}) {
    OfferedTarget target{.user_name = setup.username,
                         .secret = setup.secret,
                         .own_secret = setup.own_secret,
                         .portals = {the_target().portal}};
    for (int disk = 0; disk < setup.disks; ++disk) {
      target.disks.push_back(static_cast<uint32_t>(disk) + 3);
    }
    initiator_->offered[the_target().name] = target;
    initiator_->answering.insert(the_target().portal);
  }

  InitiatorStandIn& initiator() { return *initiator_; }
  IscsiBackendWindows& backend() { return backend_; }
  IscsiService& service() { return service_; }
  PortalRequest portal() const { return {"192.0.2.1", 0}; }
  PortalRequest silent_portal() const { return {"192.0.2.2", 0}; }
  std::string target() const { return the_target().name; }
  bool is_connected() const { return !initiator_->sessions.empty(); }
  void begin_use() { initiator_->busy.insert(the_target().name); }
  void end_use() { initiator_->busy.clear(); }

 private:
  std::shared_ptr<InitiatorStandIn> initiator_ = std::make_shared<InitiatorStandIn>();
  IscsiBackendWindows backend_{initiator_};
  IscsiService service_{"{iqn}", backend_};
};

}  // namespace longshore::iscsi
