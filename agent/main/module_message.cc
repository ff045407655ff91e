#include "main/module_message.h"

#include <chrono>
#include <cstdint>

#include "main/unix_time.h"

namespace longshore {
namespace {

void add_life(const observe::ModuleReport& report, admin::v1::Module& module) {
  module.set_degraded(report.degraded);
  module.set_violations(static_cast<int64_t>(report.violations));
  module.set_last_violation(report.last_violation);
  module.set_upgrades(static_cast<int64_t>(report.upgrades));
  module.set_is_controller(report.is_controller);
  if (report.since) module.set_since_unix_ms(unix_ms(*report.since));
  module.set_restarts(static_cast<int64_t>(report.restarts));
  module.set_last_failure(report.last_failure);
  for (const observe::ModuleStep& each : report.steps) {
    auto* step = module.add_steps();
    step->set_state(each.state);
    step->set_at_unix_ms(unix_ms(each.at));
    step->set_took_us(std::chrono::duration_cast<std::chrono::microseconds>(each.took).count());
  }
}

}  // namespace

admin::v1::Module module_message(const observe::ModuleReport& report) {
  admin::v1::Module module;
  module.set_name(report.name);
  module.set_library(report.library);
  module.set_version(report.version);
  module.set_vendor(report.vendor);
  module.set_summary(report.summary);
  module.set_file(report.file);
  module.set_sha256(report.sha256);
  module.set_signed_by(report.signed_by);
  module.set_state(report.state);
  module.set_reason(report.reason);
  module.set_calls_running(static_cast<int64_t>(report.calls_running));
  module.set_calls_total(static_cast<int64_t>(report.calls_total));
  module.set_calls_failed(static_cast<int64_t>(report.calls_failed));
  module.set_calls_stuck(static_cast<int64_t>(report.calls_stuck));
  module.set_streams(static_cast<int64_t>(report.streams));
  module.set_process_id(static_cast<int64_t>(report.process_id));
  module.set_process_restarts(static_cast<int64_t>(report.process_restarts));
  module.set_process_limits(report.process_limits);
  module.set_uptime_ms(report.uptime.count());
  add_life(report, module);
  return module;
}

}  // namespace longshore
