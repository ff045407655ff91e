// The commands that ask longshore.admin.v1.Admin.
#include <string>

#include "longshore/admin/v1.pb.h"
#include "tools/longshorectl/admin_call.h"
#include "tools/longshorectl/commands.h"
#include "tools/longshorectl/table.h"
#include "tools/longshorectl/time_text.h"

namespace longshore::ctl {
namespace {

namespace messages = longshore::admin::v1;

template <typename Texts>
std::string joined(const Texts& texts) {
  std::string line;
  for (const std::string& text : texts) line += (line.empty() ? "" : ", ") + text;
  return line;
}

std::string modules_text(const messages::GetStatusResponse& status) {
  std::string text = std::to_string(status.modules());
  if (!status.modules_not_serving().empty()) {
    text += ", not serving: " + joined(status.modules_not_serving());
  }
  if (!status.modules_degraded().empty()) {
    text += ", degraded: " + joined(status.modules_degraded());
  }
  return text;
}

std::string traits_of(const messages::Method& method) {
  std::string traits = method.reads_only() ? "reads" : "changes";
  if (method.idempotent()) traits += ", idempotent";
  if (method.server_streaming()) traits += ", stream";
  if (method.denied()) traits += ", denied";
  return traits;
}

std::string memory_text(const messages::ClientMemory& memory) {
  constexpr int64_t kKiB = 1024;
  std::string text = std::to_string(memory.used_bytes() / kKiB) + " of " +
                     std::to_string(memory.limit_bytes() / kKiB) + " KiB";
  if (memory.refusals() > 0) text += ", " + std::to_string(memory.refusals()) + " refused";
  return text;
}

std::string audit_text(const messages::AuditLog& audit) {
  std::string text = audit.reason().empty() ? "written" : "not written";
  if (audit.lines_waiting() > 0) text += ", " + std::to_string(audit.lines_waiting()) + " waiting";
  if (audit.lines_lost() > 0) text += ", " + std::to_string(audit.lines_lost()) + " lost";
  if (audit.calls_refused() > 0) {
    text += ", " + std::to_string(audit.calls_refused()) + " calls refused";
  }
  return text;
}

}  // namespace

int show_status(const Target& target, const Report& report) {
  return ask_agent<messages::GetStatusResponse>(
      target, report, "GetStatus", messages::GetStatusRequest(),
      [&](const messages::GetStatusResponse& status) {
        Table facts;
        facts.add({"state", word_cell(status.state())});
        facts.add({"version", status.version()});
        facts.add({"process", std::to_string(status.process_id())});
        facts.add({"running for", duration_text(status.uptime_ms())});
        facts.add({"configuration", joined(status.config_files())});
        facts.add({"modules", modules_text(status)});
        facts.add({"calls", std::to_string(status.calls_total()) + " in all, " +
                                std::to_string(status.calls_running()) + " running, " +
                                std::to_string(status.calls_failed()) + " failed"});
        facts.add({"clients' memory", memory_text(status.memory())});
        if (status.has_audit()) facts.add({"audit log", audit_text(status.audit())});
        report.line(facts.text(report.paint()) + "\n");
        Table endpoints({"ENDPOINT", "CONNECTIONS", "MEMORY", "ADDRESS", "SERVICES"});
        for (const auto& endpoint : status.endpoints()) {
          const bool listens = endpoint.reason().empty();
          endpoints.add({endpoint.name(), listens ? std::to_string(endpoint.connections()) : "-",
                         memory_text(endpoint.memory()), endpoint.address(),
                         joined(endpoint.services())});
        }
        report.line(endpoints.text(report.paint()));
        for (const auto& endpoint : status.endpoints()) {
          if (endpoint.reason().empty()) continue;
          report.line(endpoint.name() + " does not listen: " + endpoint.reason());
        }
        if (!status.audit().reason().empty()) report.line(status.audit().reason());
      });
}

int list_services(const Target& target, const Report& report) {
  return ask_agent<messages::ListServicesResponse>(
      target, report, "ListServices", messages::ListServicesRequest(),
      [&](const messages::ListServicesResponse& response) {
        Table table({"METHOD", "MODULE", "WHAT IT DOES"});
        for (const auto& service : response.services()) {
          for (const auto& method : service.methods()) {
            table.add({service.name() + "/" + method.name(), service.module(), traits_of(method)});
          }
        }
        report.line(table.text(report.paint()));
      });
}

// What is wrong with a file comes as an error with a line for each finding.
int reload(const Target& target, const Report& report) {
  messages::ReloadResponse response;
  if (const auto fault =
          call_control(target.patient(), "Reload", messages::ReloadRequest(), response)) {
    return report.fail_in_lines(fault->exit_code, fault->error);
  }
  if (report.json()) {
    report.message(response);
    return kExitOk;
  }
  for (const std::string& change : response.changes()) report.line(change);
  if (response.changes().empty()) report.line("nothing has changed");
  return kExitOk;
}

}  // namespace longshore::ctl
