// The commands that ask longshore.control.v1.Control.
#include <string>

#include "longshore/control/v1.pb.h"
#include "main/longshorectl/agent_client.h"
#include "main/longshorectl/commands.h"
#include "main/longshorectl/table.h"

namespace longshore::ctl {
namespace {

namespace messages = longshore::control::v1;

// Calls the agent and gives its answer to `show`, or as it is to programs.
template <typename Response, typename Show>
int ask_agent(const Target& target, const Report& report, const std::string& method, Show show) {
  auto client = AgentClient::connect(target.socket, target.timeout);
  if (!client) return report.fail(kExitNotReachable, client.error());
  Response response;
  bool readable = true;
  // All requests of this service are empty.
  const auto done = (*client)->call(
      "longshore.control.v1.Control/" + method, {},
      [&](const std::string& answer) { readable = response.ParseFromString(answer); });
  if (!done) return report.fail(kExitCallFailed, done.error());
  if (!readable) {
    return report.fail(kExitCallFailed,
                       Error(StatusCode::kInternal, "read the agent's answer to", method));
  }
  if (report.json()) {
    report.message(response);
  } else {
    show(response);
  }
  return kExitOk;
}

template <typename Texts>
std::string joined(const Texts& texts) {
  std::string line;
  for (const std::string& text : texts) line += (line.empty() ? "" : ", ") + text;
  return line;
}

// "2d 3h", "4m 5s", "6.789s"
std::string duration_text(int64_t milliseconds) {
  const int64_t seconds = milliseconds / 1000;
  const auto pair = [](int64_t large, const char* unit, int64_t small, const char* small_unit) {
    return std::to_string(large) + unit + " " + std::to_string(small) + small_unit;
  };
  if (seconds >= 86400) return pair(seconds / 86400, "d", seconds % 86400 / 3600, "h");
  if (seconds >= 3600) return pair(seconds / 3600, "h", seconds % 3600 / 60, "m");
  if (seconds >= 60) return pair(seconds / 60, "m", seconds % 60, "s");
  const std::string thousandths = std::to_string(1000 + milliseconds % 1000).substr(1);
  return std::to_string(seconds) + "." + thousandths + "s";
}

std::string traits_of(const messages::Method& method) {
  std::string traits = method.reads_only() ? "reads" : "changes";
  if (method.idempotent()) traits += ", idempotent";
  if (method.server_streaming()) traits += ", stream";
  if (method.denied()) traits += ", denied";
  return traits;
}

}  // namespace

int show_status(const Target& target, const Report& report) {
  return ask_agent<messages::GetStatusResponse>(
      target, report, "GetStatus", [&](const messages::GetStatusResponse& status) {
        Table facts({"state", status.state()});
        facts.add({"version", status.version()});
        facts.add({"process", std::to_string(status.process_id())});
        facts.add({"running for", duration_text(status.uptime_ms())});
        facts.add({"configuration", joined(status.config_files())});
        facts.add({"calls", std::to_string(status.calls_total()) + " in all, " +
                                std::to_string(status.calls_running()) + " running, " +
                                std::to_string(status.calls_failed()) + " failed"});
        report.line(facts.text() + "\n");
        Table endpoints({"ENDPOINT", "CONNECTIONS", "ADDRESS", "SERVICES"});
        for (const auto& endpoint : status.endpoints()) {
          endpoints.add({endpoint.name(), std::to_string(endpoint.connections()),
                         endpoint.address(), joined(endpoint.services())});
        }
        report.line(endpoints.text());
      });
}

int list_modules(const Target& target, const Report& report) {
  return ask_agent<messages::ListModulesResponse>(
      target, report, "ListModules", [&](const messages::ListModulesResponse& response) {
        Table table({"MODULE", "STATE", "VERSION", "UPTIME", "CALLS", "RUNNING", "FAILED", "STUCK",
                     "SUMMARY"});
        for (const auto& module : response.modules()) {
          table.add({module.name(), module.state(), module.version(),
                     duration_text(module.uptime_ms()), std::to_string(module.calls_total()),
                     std::to_string(module.calls_running()), std::to_string(module.calls_failed()),
                     std::to_string(module.calls_stuck()),
                     module.reason().empty() ? module.summary() : module.reason()});
        }
        report.line(table.text());
      });
}

int list_services(const Target& target, const Report& report) {
  return ask_agent<messages::ListServicesResponse>(
      target, report, "ListServices", [&](const messages::ListServicesResponse& response) {
        Table table({"METHOD", "MODULE", "WHAT IT DOES"});
        for (const auto& service : response.services()) {
          for (const auto& method : service.methods()) {
            table.add({service.name() + "/" + method.name(), service.module(), traits_of(method)});
          }
        }
        report.line(table.text());
      });
}

int reload(const Target& target, const Report& report) {
  return ask_agent<messages::ReloadResponse>(target, report, "Reload",
                                             [&](const messages::ReloadResponse& response) {
                                               for (const std::string& change : response.changes())
                                                 report.line(printable(change));
                                               if (response.changes().empty())
                                                 report.line("nothing has changed");
                                             });
}

}  // namespace longshore::ctl
