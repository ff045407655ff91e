#include "main/status_report.h"

#include <optional>
#include <utility>

namespace longshore {
namespace {

void add_figures(const loader::Instance& instance, observe::ModuleReport& report) {
  const loader::Instance::Figures figures = instance.figures();
  report.state = loader::name_of(figures.state);
  if (!figures.reason.empty()) report.reason = figures.reason;
  report.calls_running = figures.running;
  report.calls_waiting = figures.waiting;
  report.calls_stuck = figures.stuck;
  report.streams = figures.streams;
  report.calls_total = figures.total;
  report.calls_failed = figures.failed;
  report.threads = figures.threads;
  report.uptime = figures.uptime;
  report.violations = figures.violations;
  report.last_violation = figures.last_violation;
  if (report.serves() && !figures.degraded.empty()) {
    report.degraded = true;
    report.reason = figures.degraded;
  }
}

// What the process of a serving module has to tell takes the place of "serving" where it does not.
void add_process(const loader::ModuleProcess& process, observe::ModuleReport& report) {
  using State = loader::ModuleProcess::State;
  report.has_process = true;
  report.process_id = static_cast<uint64_t>(process.id);
  report.process_restarts = process.restarts;
  report.process_limits = process.limits;
  const bool quarantined = process.state == State::kQuarantined;
  if (!report.serves() || (!quarantined && process.state != State::kRestarting)) return;
  report.state = quarantined ? "quarantined" : "restarting";
  report.reason = "its process " + process.last_end;
  report.since = std::nullopt;  // no step of its life
}

void add_controller(const core::ModuleEntry& entry,
                    const std::optional<loader::ModuleProcess>& process,
                    observe::ModuleReport& report) {
  report.is_controller = true;
  report.restarts = (entry.starts > 1 ? entry.starts - 1 : 0) + report.process_restarts;
  report.last_failure = entry.last_failure;
  // A process ends where the start went well, so after what went wrong before.
  if (entry.serves() && process && process->restarts > 0) {
    report.last_failure = "its process " + process->last_end;
  }
  if (entry.waits()) report.since = entry.waits_since;
}

// What runs is not what the configuration wants, and would not come back from a restart.
void add_file_failure(const std::string& why, observe::ModuleReport& report) {
  if (why.empty() || !report.is_ready()) return;
  report.degraded = true;
  report.reason += (report.reason.empty() ? "" : "; ") + ("its file cannot be loaded: " + why);
}

}  // namespace

std::vector<observe::ModuleReport> module_reports(const core::ModuleSet& modules) {
  std::vector<observe::ModuleReport> reports;
  for (const auto& entry : modules.list()) {
    observe::ModuleReport& report = reports.emplace_back();
    report.name = entry.settings.name;
    report.library = entry.is_described() ? entry.facts->name : entry.settings.library;
    report.version = entry.facts->version;
    report.vendor = entry.facts->vendor;
    report.summary = entry.facts->description.summary;
    report.file = entry.facts->path;
    report.sha256 = entry.facts->sha256;
    report.signed_by = entry.facts->signed_by;
    report.state = entry.state();
    report.reason = entry.why_not();
    report.upgrades = entry.upgrades;
    for (const loader::Lifecycle::Step& step : entry.lifecycle->steps()) {
      report.steps.push_back({loader::name_of(step.state), step.at, step.took});
    }
    if (!report.steps.empty()) report.since = report.steps.back().at;
    if (entry.instance) add_figures(*entry.instance, report);
    const auto process = entry.code ? entry.code->process() : std::nullopt;
    if (process) add_process(*process, report);
    if (entry.is_controller()) add_controller(entry, process, report);
    add_file_failure(entry.file_failure, report);
  }
  return reports;
}

std::vector<std::string> module_states() {
  std::vector<std::string> names = {"restarting", std::string(observe::kWaiting)};
  for (const loader::LifecycleState state : loader::all_lifecycle_states()) {
    names.emplace_back(loader::name_of(state));
  }
  return names;
}

}  // namespace longshore
