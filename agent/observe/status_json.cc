#include "observe/status_json.h"

#include "observe/json_text.h"
#include "observe/log_line.h"

namespace longshore::observe {
namespace {

void write(JsonText& json, const ModuleReport& module) {
  json.object([&] {
    json.member("name", module.name);
    json.member("state", module.state);
    json.member("reason", module.reason);
    json.member("library", module.library);
    json.member("version", module.version);
    json.member("vendor", module.vendor);
    json.member("summary", module.summary);
    json.member("file", module.file);
    json.member("sha256", module.sha256);
    json.member("signed_by", module.signed_by);
    json.member("calls_running", module.calls_running);
    json.member("calls_waiting", module.calls_waiting);
    json.member("calls_stuck", module.calls_stuck);
    json.member("streams", module.streams);
    json.member("calls_total", module.calls_total);
    json.member("calls_failed", module.calls_failed);
    json.member("threads", module.threads);
    if (module.has_process) {
      json.member("process_id", module.process_id);
      json.member("process_restarts", module.process_restarts);
      json.member("process_limits", module.process_limits);
    }
    json.member("uptime_ms", module.uptime);
    json.flag("degraded", module.degraded);
    json.member("violations", module.violations);
    json.member("last_violation", module.last_violation);
    json.member("upgrades", module.upgrades);
    if (module.since) json.member("since", timestamp(*module.since));
    if (module.is_controller) {
      json.member("restarts", module.restarts);
      json.member("last_failure", module.last_failure);
    }
    json.array("steps", module.steps, [&](const ModuleStep& step) {
      json.object([&] {
        json.member("state", step.state);
        json.member("time", timestamp(step.at));
        json.decimal("seconds", std::chrono::duration<double>(step.took).count(), 6);
      });
    });
  });
}

void write_modules(JsonText& json, std::string_view name, const StatusReport& report,
                   bool controllers) {
  json.array(name, report.modules, [&](const ModuleReport& module) {
    if (module.is_controller == controllers) write(json, module);
  });
}

void write_memory(JsonText& json, const MemoryReport& memory) {
  json.member("memory_bytes", memory.used);
  json.member("memory_limit_bytes", memory.limit);
  json.member("memory_refusals", memory.refusals);
}

void write(JsonText& json, const EndpointReport& endpoint) {
  json.object([&] {
    json.member("name", endpoint.name);
    json.member("address", endpoint.address);
    json.array("services", endpoint.services, [&](const auto& service) { json.text(service); });
    json.flag("listening", endpoint.listens());
    json.member("reason", endpoint.reason);
    json.member("connections", endpoint.connections);
    write_memory(json, endpoint.memory);
  });
}

void write(JsonText& json, const MethodMetrics& method) {
  const MethodMetrics::Figures figures = method.figures();
  if (figures.started == 0) return;
  json.object([&] {
    json.member("service", method.service());
    json.member("method", method.method());
    json.member("calls_started", figures.started);
    json.member("calls_handled", figures.handled);
    json.member("calls_failed", figures.failed);
    json.decimal("seconds", figures.seconds, 6);
  });
}

void write(JsonText& json, const RecentLine& problem) {
  json.object([&] {
    json.member("time", timestamp(problem.time));
    json.member("level", name_of(problem.level));
    json.member("message", problem.text);
    json.member_object("fields", [&] {
      for (const Field& field : problem.fields) json.member(field.key, field.value);
    });
  });
}

void write(JsonText& json, const AuditFigures& audit) {
  json.member_object("audit", [&] {
    json.member("file", audit.file);
    json.flag("required", audit.required);
    json.flag("written", audit.trouble.empty());
    json.member("reason", audit.trouble);
    json.member("lines", audit.written);
    json.member("lines_waiting", audit.waiting);
    json.member("lines_lost", audit.lost);
    json.member("calls_refused", audit.refused_calls);
  });
}

}  // namespace

std::string status_json(const StatusReport& report) {
  JsonText json;
  json.object([&] {
    json.member("host", report.host_name);
    json.member("version", report.version);
    json.member("state", report.state);
    json.member("process_id", static_cast<uint64_t>(report.process_id));
    json.member("uptime_ms", report.uptime);
    write_memory(json, report.memory);
    json.array("config_files", report.config_files, [&](const auto& file) { json.text(file); });
    write_modules(json, "modules", report, false);
    write_modules(json, "controllers", report, true);
    json.array("endpoints", report.endpoints, [&](const auto& each) { write(json, each); });
    if (report.audit.is_on) write(json, report.audit);
    json.array("methods", report.methods, [&](const auto& method) { write(json, *method); });
    json.array("problems", report.problems, [&](const auto& problem) { write(json, problem); });
  });
  return json.take() + '\n';
}

}  // namespace longshore::observe
