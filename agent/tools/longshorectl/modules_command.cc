// `longshorectl modules` and `longshorectl upgrade`.
#include <filesystem>
#include <string>

#include "longshore/admin/v1.pb.h"
#include "text/file_path.h"
#include "tools/longshorectl/admin_call.h"
#include "tools/longshorectl/commands.h"
#include "tools/longshorectl/module_view.h"
#include "tools/longshorectl/table.h"
#include "tools/longshorectl/time_text.h"

namespace longshore::ctl {
namespace {

namespace messages = longshore::admin::v1;

// When so few files more can be loaded, it is said.
constexpr int64_t kFewImages = 8;

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

}  // namespace

int list_modules(const Target& target, const Report& report, const std::string& name) {
  messages::ListModulesResponse response;
  if (const auto fault =
          call_control(target, "ListModules", messages::ListModulesRequest(), response)) {
    return report.fail(fault->exit_code, fault->error);
  }
  if (auto kept = keep_named(*response.mutable_modules(), "module", name); !kept) {
    return report.fail(kExitCallFailed, kept.error());
  }
  if (report.json()) {
    report.message(response);
  } else if (name.empty()) {
    show_table(response, report);
  } else {
    show_module(response.modules(0), report);
  }
  return kExitOk;
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
