// The suite's world on Linux: a stand-in for systemd on a private bus.
#pragma once

#include <string>
#include <vector>

#include "system/linux/system_backend_linux.h"
#include "tests/support/private_bus.h"
#include "tests/support/systemd_stand_in.h"
#include "tests/unit/system/service_setup.h"

namespace longshore::system {

// The whole name of a service, another way to write it, and what is no name.
inline std::string whole(const std::string& name) { return name + ".service"; }
inline std::string other_spelling(const std::string& name) { return name; }
inline std::vector<std::string> bad_names() {
  return {"", "a b", "a/b", "../a", "a\nb", "x.mount", "x@", "caf\xc3\xa9"};
}

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

}  // namespace longshore::system
