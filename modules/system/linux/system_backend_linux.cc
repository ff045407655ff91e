#include "system/linux/system_backend_linux.h"

#include "system/linux/bios_serial.h"

namespace longshore::system {

namespace {

constexpr const char* kSystemBus = "unix:path=/run/dbus/system_bus_socket";
constexpr const char* kLookUp = "look up the service";

ServiceStatus status_of(const SystemdUnit& unit) {
  const std::string& state = unit.active_state;
  if (state == "active" || state == "reloading" || state == "refreshing") {
    return ServiceStatus::kRunning;
  }
  if (state == "inactive" || state == "failed") return ServiceStatus::kStopped;
  if (state == "activating") return ServiceStatus::kStartPending;
  if (state == "deactivating") return ServiceStatus::kStopPending;
  return ServiceStatus::kUnknown;
}

// Whatever is neither enabled nor masked starts when somebody asks for it: "disabled", "static",
// "indirect", "generated", or "" for a unit without a file.
StartType start_type_of(const SystemdUnit& unit) {
  const std::string& state = unit.unit_file_state;
  if (state == "enabled" || state == "enabled-runtime") return StartType::kAutomatic;
  if (state == "masked" || state == "masked-runtime" || unit.load_state == "masked") {
    return StartType::kDisabled;
  }
  return StartType::kManual;
}

Error not_found(const Purpose& purpose) {
  return purpose.error(StatusCode::kNotFound).because("systemd has no such unit");
}

}  // namespace

// The two directions in which a unit is changed.
struct SystemBackendLinux::Change {
  const char* operation;
  const char* method;
  bool to_running;
  const char* goal;  // completes "timed out waiting for service x ..."
};

SystemBackendLinux::SystemBackendLinux(const std::string& bus_address, std::string sysfs)
    : sysfs_(std::move(sysfs)), connections_(bus_address.empty() ? kSystemBus : bus_address) {}

Result<std::string> SystemBackendLinux::bios_serial_number() { return read_bios_serial(sysfs_); }

// Does `function` with a connection of its own.
template <typename T, typename Function>
Result<T> SystemBackendLinux::with_bus(const Purpose& purpose, Function function) {
  Result<std::unique_ptr<BusConnection>> bus = connections_.take(purpose);
  if (!bus) return std::move(bus).error();
  Result<T> result = function(**bus);
  connections_.give_back(*std::move(bus));
  return result;
}

Result<ServiceInfo> SystemBackendLinux::query(const std::string& unit, const Deadline& deadline) {
  const Purpose purpose{kLookUp, unit, deadline};
  const Result<SystemdUnit> found = with_bus<SystemdUnit>(
      purpose, [&](BusConnection& bus) { return read_unit(bus, purpose, unit); });
  if (!found) return found.error();
  if (!found->exists()) return not_found(purpose);
  return ServiceInfo{found->description, start_type_of(*found), status_of(*found)};
}

Result<std::vector<std::string>> SystemBackendLinux::running_dependants(const std::string& unit,
                                                                        const Deadline& deadline) {
  using Names = std::vector<std::string>;
  const Purpose purpose{"look up what needs the service", unit, deadline};
  return with_bus<Names>(purpose, [&](BusConnection& bus) -> Result<Names> {
    const Result<SystemdUnit> found = read_unit(bus, purpose, unit);
    if (!found) return found.error();
    Names running;
    for (const std::string& name : found->dependants) {
      const Result<SystemdUnit> dependant = read_unit(bus, purpose, name);
      if (!dependant) return dependant.error();
      if (dependant->is_running()) running.push_back(name);
    }
    return running;
  });
}

Result<void> SystemBackendLinux::start(const std::string& unit, const Deadline& deadline) {
  return change({"start the service", "StartUnit", true, "to become running"}, unit, deadline);
}

Result<void> SystemBackendLinux::stop(const std::string& unit, const Deadline& deadline) {
  return change({"stop the service", "StopUnit", false, "to stop"}, unit, deadline);
}

Result<void> SystemBackendLinux::change(const Change& change, const std::string& unit,
                                        const Deadline& deadline) {
  const Purpose purpose{change.operation, unit, deadline};
  Result<void> changed = with_bus<void>(purpose, [&](BusConnection& bus) {
    return SystemBackendLinux::change(bus, purpose, change);
  });
  if (changed || changed.error().code() != StatusCode::kDeadlineExceeded) return changed;
  return purpose.error(StatusCode::kDeadlineExceeded)
      .because("timed out waiting for service " + unit + " " + change.goal)
      .advise("systemd goes on with it; GetService tells how it ended");
}

Result<void> SystemBackendLinux::change(BusConnection& bus, const Purpose& purpose,
                                        const Change& change) {
  Result<SystemdUnit> unit = read_unit(bus, purpose, purpose.object);
  if (!unit) return std::move(unit).error();
  if (!unit->exists()) return not_found(purpose);
  const ServiceStatus goal = change.to_running ? ServiceStatus::kRunning : ServiceStatus::kStopped;
  if (status_of(*unit) == goal) return {};

  const Result<std::string> job = run_job(bus, purpose, change.method, purpose.object);
  if (!job) return job.error();
  if (*job == "canceled") {
    return purpose.error(StatusCode::kAborted)
        .because("somebody else changed the service meanwhile, so systemd gave this up");
  }
  // The word for the job says little: it is "done" also for a program that failed right after its
  // start. A service that has run to its end ("inactive") has been started.
  unit = read_unit(bus, purpose, purpose.object);
  if (!unit) return std::move(unit).error();
  if (status_of(*unit) == goal) return {};
  if (change.to_running && *job == "done" && unit->active_state == "inactive") return {};
  return purpose.error(StatusCode::kFailedPrecondition)
      .because("systemd's job ended as \"" + *job + "\" and the service is " + unit->active_state +
               " (" + unit->sub_state + ")")
      .advise("journalctl -u " + purpose.object + " says why");
}

}  // namespace longshore::system
