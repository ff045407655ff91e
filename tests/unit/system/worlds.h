// The two worlds that the suite of the system group runs in: a stand-in for systemd on a private
// bus, and the fake.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "system/linux/system_backend_linux.h"
#include "system/system_service.h"
#include "tests/support/private_bus.h"
#include "tests/support/systemd_stand_in.h"
#include "tests/unit/system/system_backend_fake.h"

namespace longshore::system {

// A service as the suite describes it.
struct ServiceSetup {
  ServiceStatus status = ServiceStatus::kStopped;
  StartType start_type = StartType::kManual;
  std::vector<std::string> dependants = {};
  bool fails = false;  // it never starts
  bool hangs = false;  // starting and stopping never end
};

class BusWorld {
 public:
  void put(const std::string& name, const ServiceSetup& setup) {
    test::StandInUnit unit;
    unit.description = "The service " + name;
    unit.active_state = setup.status == ServiceStatus::kRunning ? "active" : "inactive";
    unit.unit_file_state = setup.start_type == StartType::kAutomatic ? "enabled"
                           : setup.start_type == StartType::kManual  ? "disabled"
                                                                     : "masked";
    unit.load_state = setup.start_type == StartType::kDisabled ? "masked" : "loaded";
    unit.required_by = setup.dependants;
    unit.start_result = setup.fails ? "failed" : "done";
    unit.holds_jobs = setup.hangs;
    systemd_.put(name, unit);
  }
  bool runs(const std::string& name) const { return systemd_.active_state(name) == "active"; }
  // "start x.service", "stop y.service".
  std::vector<std::string> done() const {
    std::vector<std::string> done;
    for (const std::string& job : systemd_.jobs()) {
      const size_t name = job.find(' ') + 1;
      done.push_back((job.starts_with("Start") ? "start " : "stop ") +
                     job.substr(name, job.rfind(' ') - name));
    }
    return done;
  }
  SystemBackend& backend() { return backend_; }

 private:
  test::PrivateBus bus_;
  test::SystemdStandIn systemd_{bus_.address()};
  SystemBackendLinux backend_{bus_.address(), "/nonexistent"};
};

class FakeWorld {
 public:
  void put(const std::string& name, const ServiceSetup& setup) {
    backend_.put(name, {{"The service " + name, setup.start_type, setup.status},
                        setup.dependants,
                        setup.fails,
                        setup.hangs});
  }
  bool runs(const std::string& name) {
    return backend_.query(name, {})->status == ServiceStatus::kRunning;
  }
  std::vector<std::string> done() const { return backend_.done(); }
  SystemBackend& backend() { return backend_; }

 private:
  SystemBackendFake backend_;
};

}  // namespace longshore::system
