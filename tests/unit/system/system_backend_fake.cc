#include "tests/unit/system/system_backend_fake.h"

#include <thread>

#include "system/service_name.h"

namespace longshore::system {

namespace {

Error not_found(const std::string& unit) {
  return Error(StatusCode::kNotFound, "find the service", unit).because("there is none");
}

}  // namespace

void SystemBackendFake::put(const std::string& name, Unit unit) {
  const std::lock_guard lock(mutex_);
  units_[comparable_name(name)] = std::move(unit);
}

void SystemBackendFake::set_serial_number(std::string serial_number) {
  const std::lock_guard lock(mutex_);
  serial_number_ = std::move(serial_number);
}

std::vector<std::string> SystemBackendFake::done() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

Result<std::string> SystemBackendFake::bios_serial_number() {
  const std::lock_guard lock(mutex_);
  if (!serial_number_.empty()) return serial_number_;
  return Error(StatusCode::kNotFound, "read the machine's serial number").because("it has none");
}

Result<ServiceInfo> SystemBackendFake::query(const std::string& unit, const Deadline&) {
  const std::lock_guard lock(mutex_);
  const auto found = units_.find(comparable_name(unit));
  if (found == units_.end()) return not_found(unit);
  return found->second.info;
}

Result<std::vector<std::string>> SystemBackendFake::running_dependants(const std::string& unit,
                                                                       const Deadline&) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> running;
  for (const std::string& dependant : units_[comparable_name(unit)].dependants) {
    if (units_[comparable_name(dependant)].info.status != ServiceStatus::kStopped)
      running.push_back(dependant);
  }
  return running;
}

Result<void> SystemBackendFake::start(const std::string& unit, const Deadline& deadline) {
  return change(unit, deadline, "start", ServiceStatus::kRunning);
}

Result<void> SystemBackendFake::stop(const std::string& unit, const Deadline& deadline) {
  return change(unit, deadline, "stop", ServiceStatus::kStopped);
}

Result<void> SystemBackendFake::change(const std::string& name, const Deadline& deadline,
                                       const char* operation, ServiceStatus goal) {
  const std::lock_guard lock(mutex_);
  const auto found = units_.find(comparable_name(name));
  if (found == units_.end()) return not_found(name);
  Unit& unit = found->second;
  if (unit.info.status == goal) return {};
  done_.push_back(std::string(operation) + " " + name);
  if (goal == ServiceStatus::kRunning &&
      (unit.fails || unit.info.start_type == StartType::kDisabled)) {
    return Error(StatusCode::kFailedPrecondition, operation, name).because("it does not start");
  }
  while (unit.hangs) {
    if (auto error = deadline.exceeded(operation, name)) return *std::move(error);
    std::this_thread::yield();
  }
  unit.info.status = goal;
  return {};
}

}  // namespace longshore::system
