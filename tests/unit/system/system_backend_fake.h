// Services in memory that keep the contract of SystemBackend: for tests of what stands above, and
// run through the same suite as the real one.
//
// Threads: any number at once; one lock. A start or stop that is told to hang waits on the
// deadline.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "system/system_backend.h"

namespace longshore::system {

class SystemBackendFake final : public SystemBackend {
 public:
  struct Unit {
    ServiceInfo info;
    std::vector<std::string> dependants = {};
    bool fails = false;  // it never starts
    bool hangs = false;  // starting and stopping never end
  };

  void put(const std::string& name, Unit unit);
  void set_serial_number(std::string serial_number);
  // What was done: "start x.service", "stop y.service".
  std::vector<std::string> done() const;

  Result<std::string> bios_serial_number() override;
  Result<ServiceInfo> query(const std::string& unit, const Deadline& deadline) override;
  Result<std::vector<std::string>> running_dependants(const std::string& unit,
                                                      const Deadline& deadline) override;
  Result<void> start(const std::string& unit, const Deadline& deadline) override;
  Result<void> stop(const std::string& unit, const Deadline& deadline) override;

 private:
  Result<void> change(const std::string& name, const Deadline& deadline, const char* operation,
                      ServiceStatus goal);

  mutable std::mutex mutex_;
  std::map<std::string, Unit> units_;  // by their comparable names
  std::string serial_number_;
  std::vector<std::string> done_;
};

}  // namespace longshore::system
