// A unit as systemd describes it, and the jobs that change one.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"
#include "system/linux/bus_connection.h"

namespace longshore::system {

// Properties of org.freedesktop.systemd1.Unit, by systemd's own words.
struct SystemdUnit {
  std::string description;
  std::string load_state;       // "loaded", "not-found", "masked", "error", ...
  std::string active_state;     // "active", "inactive", "failed", "activating", ...
  std::string sub_state;        // "running", "exited", "dead", "auto-restart", ...
  std::string unit_file_state;  // "enabled", "static", "masked", ... or "" without a file
  // What is stopped when this unit is: the other ends of Requires=, Requisite=, BindsTo=, PartOf=
  // and StopPropagatedFrom=. Each name once.
  std::vector<std::string> dependants;

  bool exists() const { return load_state != "not-found" || is_running(); }
  bool is_running() const { return active_state != "inactive" && active_state != "failed"; }
};

// A unit that does not exist is one with the load state "not-found".
Result<SystemdUnit> read_unit(BusConnection& bus, const Purpose& purpose, const std::string& unit);

// Makes a job by "StartUnit" or "StopUnit" and waits until it is finished: gives systemd's word for
// how it ended ("done", "failed", "timeout", "canceled", "dependency", "skipped", ...).
Result<std::string> run_job(BusConnection& bus, const Purpose& purpose, const char* method,
                            const std::string& unit);

}  // namespace longshore::system
