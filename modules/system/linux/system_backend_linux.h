// The system group on Linux: sysfs for the serial number, systemd over D-Bus for the services.
//
// Threads: any number at once.
#pragma once

#include <string>
#include <vector>

#include "system/linux/bus_connections.h"
#include "system/linux/systemd_unit.h"
#include "system/system_backend.h"

namespace longshore::system {

class SystemBackendLinux final : public SystemBackend {
 public:
  // `bus_address`: where systemd is; "" is the system bus. `sysfs`: "/sys", but for tests.
  SystemBackendLinux(const std::string& bus_address, std::string sysfs);

  Result<std::string> bios_serial_number() override;
  Result<ServiceInfo> query(const std::string& unit, const Deadline& deadline) override;
  Result<std::vector<std::string>> running_dependants(const std::string& unit,
                                                      const Deadline& deadline) override;
  Result<void> start(const std::string& unit, const Deadline& deadline) override;
  Result<void> stop(const std::string& unit, const Deadline& deadline) override;

 private:
  struct Change;

  template <typename T, typename Function>
  Result<T> with_bus(const Purpose& purpose, Function function);
  Result<void> change(const Change& change, const std::string& unit, const Deadline& deadline);
  static Result<void> change(BusConnection& bus, const Purpose& purpose, const Change& change);

  const std::string sysfs_;
  BusConnections connections_;
};

}  // namespace longshore::system
