// `longshorectl modules`, `longshorectl controllers` and `longshorectl upgrade`.
#include <algorithm>
#include <filesystem>
#include <string>

#include "longshore/admin/v1.pb.h"
#include "text/file_path.h"
#include "tools/longshorectl/admin_call.h"
#include "tools/longshorectl/commands.h"
#include "tools/longshorectl/table.h"
#include "tools/longshorectl/time_text.h"

namespace longshore::ctl {
namespace {

namespace messages = longshore::admin::v1;

// When so few files more can be loaded, it is said.
constexpr int64_t kFewImages = 8;

std::string version_of(const messages::Module& module) {
  if (module.signed_by().empty()) return module.version();
  return module.version() + ", signed by " + module.signed_by();
}

// "1234", and how often it was started again.
std::string process_of(const messages::Module& module) {
  std::string id = module.process_id() == 0 ? "-" : std::to_string(module.process_id());
  if (module.process_restarts() == 0) return id;
  return id + ", restarted " + std::to_string(module.process_restarts()) + "x";
}

// "degraded" takes the place of "serving" for people.
Cell state_cell(const messages::Module& module) {
  return word_cell(module.degraded() ? "degraded" : module.state());
}

std::string summary_of(const messages::Module& module) {
  if (!module.reason().empty()) return module.reason();
  if (module.violations() == 0) return module.summary();
  return "breaks its contract (" + std::to_string(module.violations()) +
         "x), last: " + module.last_violation();
}

void show_table(const messages::ListModulesResponse& response, const Report& report) {
  Table table({"MODULE", "STATE", "PROCESS", "VERSION", "UPTIME", "CALLS", "RUNNING", "FAILED",
               "STUCK", "SUMMARY"});
  for (const auto& module : response.modules()) {
    table.add({module.name(),
               state_cell(module),
               process_of(module),
               version_of(module),
               duration_text(module.uptime_ms()),
               std::to_string(module.calls_total()),
               std::to_string(module.calls_running()),
               std::to_string(module.calls_failed()),
               {std::to_string(module.calls_stuck()),
                module.calls_stuck() > 0 ? Tone::kBad : Tone::kPlain},
               summary_of(module)});
  }
  report.line(table.text(report.paint()));
}

std::string since_of(const messages::Module& module) {
  return module.since_unix_ms() == 0 ? "-" : time_text(module.since_unix_ms());
}

void show_controllers(const messages::ListModulesResponse& response, const Report& report) {
  Table table({"CONTROLLER", "STATE", "SINCE", "RESTARTS", "REASON OR LAST FAILURE"});
  for (const auto& controller : response.modules()) {
    std::string reason = controller.reason();
    if (reason.empty() && !controller.last_failure().empty()) {
      reason = "before: " + controller.last_failure();
    }
    table.add({controller.name(), state_cell(controller), since_of(controller),
               std::to_string(controller.restarts()), reason});
  }
  report.line(table.text(report.paint()));
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

void show_upgrade(const std::string& module, const messages::UpgradeResponse& response,
                  const Report& report) {
  const std::string file = response.file() + " (version " + response.version() + ")";
  report.line(response.changed() ? module + " runs " + file + " now, version " +
                                       response.version_before() + " before"
                                 : module + " runs " + file + " already; nothing was changed");
  if (response.changed() && response.until_reload()) {
    report.line("until the next reload or restart, which go by the configuration");
  }
  if (response.images_left() <= kFewImages) {
    report.line("the agent can load " + std::to_string(response.images_left()) +
                " different files more before it needs a restart (agent.limits.max_images)");
  }
}

// What a command lists of the modules.
struct Listed {
  const char* what;
  void (*show)(const messages::ListModulesResponse& response, const Report& report);
  bool (*is_one)(const messages::Module& module);
};

// All of them, or the one `name`.
int list(const Target& target, const Report& report, const std::string& name,
         const Listed& listed) {
  messages::ListModulesResponse response;
  if (const auto fault =
          call_control(target, "ListModules", messages::ListModulesRequest(), response)) {
    return report.fail(fault->exit_code, fault->error);
  }
  auto* modules = response.mutable_modules();
  modules->erase(std::remove_if(modules->begin(), modules->end(),
                                [&](const auto& each) {
                                  return !listed.is_one(each) ||
                                         (!name.empty() && each.name() != name);
                                }),
                 modules->end());
  if (!name.empty() && modules->empty()) {
    const std::string operation = std::string("find the ") + listed.what;
    return report.fail(
        kExitCallFailed,
        Error(StatusCode::kNotFound, operation, name).because("the agent has none of this name"));
  }
  if (report.json()) {
    report.message(response);
  } else if (name.empty()) {
    listed.show(response, report);
  } else {
    show_module(response.modules(0), report);
  }
  return kExitOk;
}

}  // namespace

int list_modules(const Target& target, const Report& report, const std::string& name) {
  return list(target, report, name, {"module", show_table, [](const auto&) { return true; }});
}

int list_controllers(const Target& target, const Report& report, const std::string& name) {
  return list(target, report, name, {"controller", show_controllers, [](const auto& each) {
                                       return each.is_controller();
                                     }});
}

int upgrade_module(const Target& target, const Report& report, const std::string& module,
                   const std::string& file) {
  messages::UpgradeRequest request;
  request.set_module(module);
  // The agent is at home in another folder.
  if (!file.empty())
    request.set_file(std::filesystem::absolute(text::file_path(file)).lexically_normal().string());
  return ask_agent<messages::UpgradeResponse>(
      target.patient(), report, "Upgrade", request,
      [&](const messages::UpgradeResponse& response) { show_upgrade(module, response, report); });
}

}  // namespace longshore::ctl
