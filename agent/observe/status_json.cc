#include "observe/status_json.h"

#include <cstdio>
#include <utility>

#include "observe/log_line.h"

namespace longshore::observe {
namespace {

// Writes values and members in order, with the commas between them.
class JsonText {
 public:
  template <typename Body>
  void object(const Body& body) {
    enclosed('{', body, '}');
  }

  // `body` is called with each item of `items`.
  template <typename Items, typename Body>
  void array(std::string_view key, const Items& items, const Body& body) {
    name(key);
    enclosed(
        '[',
        [&] {
          for (const auto& item : items) body(item);
        },
        ']');
  }

  template <typename Body>
  void member_object(std::string_view key, const Body& body) {
    name(key);
    object(body);
  }

  void text(std::string_view value) {
    begin_value();
    text_ += '"';
    append_escaped(text_, value, true);
    text_ += '"';
  }
  void member(std::string_view key, std::string_view value) {
    name(key);
    text(value);
  }
  void member(std::string_view key, uint64_t value) { literal(key, std::to_string(value)); }
  void member(std::string_view key, std::chrono::milliseconds value) {
    literal(key, std::to_string(value.count()));
  }
  void flag(std::string_view key, bool value) { literal(key, value ? "true" : "false"); }
  void seconds(std::string_view key, double value) {
    char digits[64];
    std::snprintf(digits, sizeof(digits), "%.6f", value);
    literal(key, digits);
  }

  std::string take() { return std::move(text_) + '\n'; }

 private:
  template <typename Body>
  void enclosed(char open, const Body& body, char close) {
    begin_value();
    text_ += open;
    needs_comma_ = false;
    body();
    text_ += close;
    needs_comma_ = true;
  }

  void begin_value() {
    if (std::exchange(needs_comma_, true)) text_ += ',';
  }
  void name(std::string_view key) {
    text(key);
    text_ += ':';
    needs_comma_ = false;
  }
  void literal(std::string_view key, const std::string& value) {
    name(key);
    begin_value();
    text_ += value;
  }

  std::string text_;
  bool needs_comma_ = false;
};

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
    json.member("calls_total", module.calls_total);
    json.member("calls_failed", module.calls_failed);
    json.member("threads", module.threads);
    if (module.has_process) {
      json.member("process_id", module.process_id);
      json.member("process_restarts", module.process_restarts);
    }
    json.member("uptime_ms", module.uptime);
    json.flag("degraded", module.degraded);
    json.member("violations", module.violations);
    json.member("last_violation", module.last_violation);
    json.member("upgrades", module.upgrades);
    json.array("steps", module.steps, [&](const ModuleStep& step) {
      json.object([&] {
        json.member("state", step.state);
        json.member("time", timestamp(step.at));
        json.seconds("seconds", std::chrono::duration<double>(step.took).count());
      });
    });
  });
}

void write(JsonText& json, const EndpointReport& endpoint) {
  json.object([&] {
    json.member("name", endpoint.name);
    json.member("address", endpoint.address);
    json.array("services", endpoint.services, [&](const auto& service) { json.text(service); });
    json.member("connections", endpoint.connections);
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
    json.seconds("seconds", figures.seconds);
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

}  // namespace

std::string status_json(const StatusReport& report) {
  JsonText json;
  json.object([&] {
    json.member("host", report.host_name);
    json.member("version", report.version);
    json.member("state", report.state);
    json.member("process_id", static_cast<uint64_t>(report.process_id));
    json.member("uptime_ms", report.uptime);
    json.array("config_files", report.config_files, [&](const auto& file) { json.text(file); });
    json.array("modules", report.modules, [&](const auto& module) { write(json, module); });
    json.array("endpoints", report.endpoints, [&](const auto& each) { write(json, each); });
    json.array("methods", report.methods, [&](const auto& method) { write(json, *method); });
    json.array("problems", report.problems, [&](const auto& problem) { write(json, problem); });
  });
  return json.take();
}

}  // namespace longshore::observe
