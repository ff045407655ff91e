// What there is to tell about the agent at one moment, as plain values: the one truth behind the
// status pages, the metrics and longshorectl. Who owns the parts fills it in.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/audit_figures.h"
#include "observe/call_metrics.h"
#include "observe/csi_call_metrics.h"
#include "observe/kube_request_metrics.h"
#include "observe/lease_report.h"
#include "observe/recent_lines.h"
#include "observe/work_queue_series.h"

namespace longshore::observe {

inline constexpr std::string_view kServing = "serving";
// Of a controller: what it needs in order to run is not there, as when another node has the lease.
inline constexpr std::string_view kWaiting = "waiting";

// One step of a module's life; see loader/lifecycle.h.
struct ModuleStep {
  std::string state;
  std::chrono::system_clock::time_point at;
  std::chrono::nanoseconds took{0};
};

struct ModuleReport {
  std::string name;  // "disk", as the configuration has it
  bool is_controller = false;
  std::string library;  // the module's own name
  std::string version;
  std::string vendor;
  std::string summary;
  std::string file;
  std::string sha256;
  std::string signed_by;  // the name of the key; empty: no signature was checked
  std::string state;      // kServing, kWaiting, "draining", "stopped", "failed", ...
  std::string reason;     // why it does not serve, or serves badly
  uint64_t calls_running = 0;
  uint64_t calls_waiting = 0;
  uint64_t calls_stuck = 0;
  uint64_t streams = 0;  // calls of long_running methods: those that wait, run and are open
  uint64_t calls_total = 0;
  uint64_t calls_failed = 0;
  uint64_t threads = 0;      // of its pool
  bool has_process = false;  // it runs in a process of its own
  uint64_t process_id = 0;   // 0: there is none at the moment
  uint64_t process_restarts = 0;
  std::string process_limits;  // "memory_max=cgroup system_call_filter=seccomp"
  std::chrono::milliseconds uptime{0};
  bool degraded = false;    // serves, but badly: the reason says why
  uint64_t violations = 0;  // of its contract
  std::string last_violation;
  uint64_t upgrades = 0;
  std::vector<ModuleStep> steps;  // the oldest first
  // Since when it has been in its state, where that is known.
  std::optional<std::chrono::system_clock::time_point> since;
  // Of a controller, as it is configured now: how often it was begun again, after a failed start,
  // a wait or the end of its process; and what went wrong last, also where it serves again.
  uint64_t restarts = 0;
  std::string last_failure;

  bool serves() const { return state == kServing; }
  // Whether it is as it should be: that a controller waits is no fault.
  bool is_ready() const { return serves() || state == kWaiting; }
  // As people read it: "degraded" takes the place of kServing.
  std::string shown_state() const { return degraded ? "degraded" : state; }
};

// What clients make the agent hold; see rpc/memory_account.h.
struct MemoryReport {
  uint64_t used = 0;  // bytes
  uint64_t limit = 0;
  uint64_t refusals = 0;  // what there was no room for
};

struct EndpointReport {
  std::string name;
  std::string address;  // "unix:///run/..."
  std::vector<std::string> services;
  uint64_t connections = 0;
  MemoryReport memory = {};
  bool is_own = false;      // the agent's own: the control socket, or HTTP
  std::string reason = {};  // why it does not listen; empty: it does

  bool listens() const { return reason.empty(); }
};

struct StatusReport {
  std::string host_name;
  std::string version;
  std::string state;  // kServing, "draining", ...
  int64_t process_id = 0;
  std::chrono::milliseconds uptime{0};
  std::vector<std::string> config_files;
  bool is_strict = false;                  // all of it has to serve; see agent.strict
  std::vector<ModuleReport> modules;       // those that are enabled
  std::vector<std::string> module_states;  // that there are
  std::vector<EndpointReport> endpoints;
  MemoryReport memory;  // of all endpoints but the control socket
  std::vector<std::shared_ptr<const MethodMetrics>> methods;
  std::vector<CsiCallSeries> csi_calls;  // of drivers, by controllers
  KubeRequestReport kube_requests;
  std::vector<LeaseReport> leases;           // that controllers run by
  std::vector<WorkQueueSeries> work_queues;  // for the metrics alone, and empty elsewhere
  AuditFigures audit;
  std::vector<RecentLine> problems;  // warnings and errors, the oldest first

  bool serves() const { return state == kServing; }
  // Whether clients get what they must: anything, or all of it where the agent is strict.
  bool is_ready() const {
    const auto is_ready = [](const ModuleReport& module) { return module.is_ready(); };
    const auto listens = [](const EndpointReport& endpoint) { return endpoint.listens(); };
    const auto is_own = [](const EndpointReport& endpoint) { return endpoint.is_own; };
    if (!serves()) return false;
    if (is_strict) {
      return audit.trouble.empty() && std::ranges::all_of(modules, is_ready) &&
             std::ranges::all_of(endpoints, listens);
    }
    const auto lets_in = [&](const auto& endpoint) {
      return !is_own(endpoint) && listens(endpoint);
    };
    return (modules.empty() || std::ranges::any_of(modules, is_ready)) &&
           (std::ranges::all_of(endpoints, is_own) || std::ranges::any_of(endpoints, lets_in));
  }
};

}  // namespace longshore::observe
