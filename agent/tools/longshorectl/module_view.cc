#include "tools/longshorectl/module_view.h"

#include <algorithm>

#include "tools/longshorectl/time_text.h"

namespace longshore::ctl {
namespace {

namespace messages = longshore::admin::v1;

std::string leader_of(const messages::Lease& lease) {
  if (lease.name().empty()) return "no; its lease is not known yet";
  if (!lease.leads()) return "no; another agent may have the lease " + lease.name();
  return "yes, by the lease " + lease.name() + ", renewed " +
         duration_text(lease.since_renewed_ms()) + " ago";
}

std::string text_of(const messages::WorkQueue& queue) {
  std::string text = queue.name() + ": " + std::to_string(queue.depth()) + " queued";
  if (queue.depth() > 0) text += ", the oldest for " + duration_text(queue.oldest_ms());
  text += "; " + std::to_string(queue.running()) + " running";
  if (queue.running() > 0) text += ", the longest for " + duration_text(queue.longest_running_ms());
  return text + "; " + std::to_string(queue.delayed()) + " to be tried again";
}

}  // namespace

std::string version_of(const messages::Module& module) {
  if (module.signed_by().empty()) return module.version();
  return module.version() + ", signed by " + module.signed_by();
}

std::string process_of(const messages::Module& module) {
  std::string id = module.process_id() == 0 ? "-" : std::to_string(module.process_id());
  if (module.process_restarts() == 0) return id;
  return id + ", restarted " + std::to_string(module.process_restarts()) + "x";
}

Cell state_cell(const messages::Module& module) {
  return word_cell(module.degraded() ? "degraded" : module.state());
}

std::string since_of(const messages::Module& module) {
  return module.since_unix_ms() == 0 ? "-" : time_text(module.since_unix_ms());
}

void show_module(const messages::Module& module, const Report& report) {
  Table facts;
  facts.add({module.is_controller() ? "controller" : "module", module.name()});
  facts.add({"state", state_cell(module)});
  if (!module.reason().empty()) facts.add({"reason", module.reason()});
  if (module.is_controller()) {
    facts.add({"since", since_of(module)});
    facts.add({"restarts", std::to_string(module.restarts())});
    if (!module.last_failure().empty()) facts.add({"last failure", module.last_failure()});
  }
  if (module.has_lease()) facts.add({"leader", leader_of(module.lease())});
  for (const auto& queue : module.work_queues()) facts.add({"queue", text_of(queue)});
  const bool is_read = !module.version().empty();  // its file was
  facts.add({"library", module.library() + (is_read ? ", version " + version_of(module) : "")});
  facts.add({"vendor", module.vendor()});
  facts.add({"file", module.file()});
  facts.add({"sha256", module.sha256()});
  if (module.process_id() != 0) facts.add({"process", process_of(module)});
  if (!module.process_limits().empty()) facts.add({"limits", module.process_limits()});
  facts.add({"calls", std::to_string(module.calls_total()) + " in all, " +
                          std::to_string(module.calls_running()) + " running, " +
                          std::to_string(module.calls_failed()) + " failed, " +
                          std::to_string(module.calls_stuck()) + " stuck"});
  if (module.streams() != 0) facts.add({"streams", std::to_string(module.streams())});
  facts.add({"upgrades", std::to_string(module.upgrades())});
  facts.add({"violations", module.violations() == 0 ? std::string("none")
                                                    : std::to_string(module.violations()) +
                                                          ", last: " + module.last_violation()});
  report.line(facts.text(report.paint()) + "\n");
  Table steps({"STEP", "AT", "TOOK"});
  for (const auto& step : module.steps()) {
    steps.add(
        {word_cell(step.state()), time_text(step.at_unix_ms()), short_time_text(step.took_us())});
  }
  report.line(steps.text(report.paint()));
}

Result<void> keep_named(google::protobuf::RepeatedPtrField<messages::Module>& modules,
                        const char* what, const std::string& name) {
  if (name.empty()) return {};
  modules.erase(std::remove_if(modules.begin(), modules.end(),
                               [&](const auto& each) { return each.name() != name; }),
                modules.end());
  if (!modules.empty()) return {};
  return Error(StatusCode::kNotFound, std::string("find the ") + what, name)
      .because("the agent has none of this name");
}

}  // namespace longshore::ctl
