// The suite's world without a system: SystemBackendFake.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/system/service_setup.h"
#include "tests/unit/system/system_backend_fake.h"

namespace longshore::system {

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
