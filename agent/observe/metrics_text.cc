#include "observe/metrics_text.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <initializer_list>
#include <limits>
#include <utility>

namespace longshore::observe {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

// The codes as gRPC for Go writes them, which csi-proxy's metrics come from.
constexpr std::array<const char*, MethodMetrics::kStatusCodes> kCodes = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

// The families under construction, in the order in which they are written.
class Families {
 public:
  MetricFamily& add(const char* name, const char* help, MetricType type) {
    families_.push_back({name, help, type, {}});
    return families_.back();
  }

  void gauge(const char* name, const char* help, double value, Labels labels = {}) {
    add_value(add(name, help, MetricType::Gauge), std::move(labels), value);
  }
  void counter(const char* name, const char* help, double value) {
    add_value(add(name, help, MetricType::Counter), {}, value);
  }

  static void add_value(MetricFamily& family, Labels labels, double value) {
    ClientMetric& metric = family.metric.emplace_back();
    metric.label = std::move(labels);
    metric.counter.value = value;
    metric.gauge.value = value;
  }

  std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  std::vector<MetricFamily> families_;
};

// Sorted by name, as Go's client has them.
Labels labels_of(const MethodMetrics& method) {
  return {{"grpc_method", method.method()},
          {"grpc_service", method.service()},
          {"grpc_type", method.server_streaming() ? "server_stream" : "unary"}};
}

ClientMetric::Histogram histogram_of(const MethodMetrics::Snapshot& snapshot) {
  ClientMetric::Histogram histogram;
  histogram.sample_sum = snapshot.seconds;
  for (size_t i = 0; i < snapshot.buckets.size(); ++i) {
    histogram.sample_count += snapshot.buckets[i];
    const bool last = i == MethodMetrics::kBucketMilliseconds.size();
    const double bound = last ? std::numeric_limits<double>::infinity()
                              : static_cast<double>(MethodMetrics::kBucketMilliseconds[i]) / 1000;
    histogram.bucket.push_back({histogram.sample_count, bound});
  }
  return histogram;
}

void add_calls(Families& families, const StatusReport& report) {
  std::vector<std::pair<Labels, MethodMetrics::Snapshot>> called;
  for (const auto& method : report.methods) {
    const MethodMetrics::Snapshot snapshot = method->snapshot();
    if (snapshot.started > 0) called.emplace_back(labels_of(*method), snapshot);
  }
  const auto add_counters = [&](const char* name, const char* help, auto value_of) {
    MetricFamily& family = families.add(name, help, MetricType::Counter);
    for (const auto& [labels, snapshot] : called) {
      Families::add_value(family, labels, static_cast<double>(value_of(snapshot)));
    }
  };
  const auto started = [](const auto& snapshot) { return snapshot.started; };
  add_counters("grpc_server_started_total", "Calls started on the server.", started);
  MetricFamily& handled =
      families.add("grpc_server_handled_total",
                   "Calls completed on the server, whatever their outcome.", MetricType::Counter);
  for (const auto& [labels, snapshot] : called) {
    for (size_t code = 0; code < kCodes.size(); ++code) {
      if (code != 0 && snapshot.handled[code] == 0) continue;
      Labels with_code = {{"grpc_code", kCodes[code]}};
      with_code.insert(with_code.end(), labels.begin(), labels.end());
      Families::add_value(handled, with_code, static_cast<double>(snapshot.handled[code]));
    }
  }
  add_counters("grpc_server_msg_received_total", "Messages received on the server.", started);
  add_counters("grpc_server_msg_sent_total", "Messages sent by the server.",
               [](const auto& snapshot) { return snapshot.sent; });
  MetricFamily& seconds =
      families.add("grpc_server_handling_seconds", "How long calls took on the server, in seconds.",
                   MetricType::Histogram);
  for (const auto& [labels, snapshot] : called) {
    ClientMetric& metric = seconds.metric.emplace_back();
    metric.label = labels;
    metric.histogram = histogram_of(snapshot);
  }
}

void add_steps(Families& families, const StatusReport& report) {
  MetricFamily& steps =
      families.add("longshore_module_step_seconds",
                   "How long the module took from the step before to this one.", MetricType::Gauge);
  for (const ModuleReport& module : report.modules) {
    for (const ModuleStep& step : module.steps) {
      Families::add_value(steps, {{"module", module.name}, {"state", step.state}},
                          std::chrono::duration<double>(step.took).count());
    }
  }
}

void add_modules(Families& families, const StatusReport& report) {
  const auto add_each = [&](const char* name, const char* help, MetricType type, auto value_of) {
    MetricFamily& family = families.add(name, help, type);
    for (const ModuleReport& module : report.modules) {
      Families::add_value(family, {{"module", module.name}}, static_cast<double>(value_of(module)));
    }
  };
  using Module = const ModuleReport&;
  add_each("longshore_module_up", "1 where the module serves.", MetricType::Gauge,
           [](Module module) { return module.serves() ? 1 : 0; });
  MetricFamily& states =
      families.add("longshore_module_state",
                   "1 for the state that the module is in, 0 for the others.", MetricType::Gauge);
  for (const ModuleReport& module : report.modules) {
    Families::add_value(states, {{"module", module.name}, {"state", module.state}}, 1);
    for (const std::string& other : report.module_states) {
      if (other == module.state) continue;
      Families::add_value(states, {{"module", module.name}, {"state", other}}, 0);
    }
  }
  add_steps(families, report);
  add_each("longshore_module_degraded",
           "1 where the module serves, but calls of it are stuck or it says that it serves badly.",
           MetricType::Gauge, [](Module module) { return module.degraded ? 1 : 0; });
  add_each("longshore_module_contract_violations_total",
           "What the module did against the contract of the module ABI.", MetricType::Counter,
           [](Module module) { return module.violations; });
  add_each("longshore_module_upgrades_total",
           "Instances that took the place of another since the agent started.", MetricType::Counter,
           [](Module module) { return module.upgrades; });
  add_each("longshore_module_calls_running", "Calls in the module's hands.", MetricType::Gauge,
           [](Module module) { return module.calls_running; });
  add_each("longshore_module_calls_waiting", "Calls that wait for their turn.", MetricType::Gauge,
           [](Module module) { return module.calls_waiting; });
  add_each("longshore_module_calls_stuck", "Calls that hang past their end.", MetricType::Gauge,
           [](Module module) { return module.calls_stuck; });
  add_each("longshore_module_calls_total", "Calls since the module's start, of all callers.",
           MetricType::Counter, [](Module module) { return module.calls_total; });
  add_each("longshore_module_calls_failed_total", "Of these, those that failed.",
           MetricType::Counter, [](Module module) { return module.calls_failed; });
  add_each("longshore_module_threads", "Threads of the module's pool.", MetricType::Gauge,
           [](Module module) { return module.threads; });
  add_each("longshore_module_process_restarts_total",
           "How often a process of the module's own was started again.", MetricType::Counter,
           [](Module module) { return module.process_restarts; });
}

void add_audit(Families& families, const AuditFigures& audit) {
  if (!audit.is_on) return;
  families.counter("longshore_audit_lines_total", "Lines written to the audit log.",
                   static_cast<double>(audit.written));
  families.counter("longshore_audit_lines_lost_total",
                   "Lines that the audit log lacks, since its file could not be written.",
                   static_cast<double>(audit.lost));
  families.gauge("longshore_audit_lines_waiting",
                 "Lines that wait until the audit log can be written again.",
                 static_cast<double>(audit.waiting));
}

void add_process(Families& families, const ProcessFigures& process) {
  families.counter("process_cpu_seconds_total", "User and system processor time, in seconds.",
                   process.cpu_seconds);
  families.gauge("process_max_fds", "Most file descriptors that may be open.",
                 static_cast<double>(process.max_descriptors));
  families.gauge("process_open_fds", "Open file descriptors.",
                 static_cast<double>(process.open_descriptors));
  families.gauge("process_resident_memory_bytes", "Resident memory, in bytes.",
                 static_cast<double>(process.resident_bytes));
  families.gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.",
                 process.start_time_seconds);
  families.gauge("process_virtual_memory_bytes", "Virtual memory, in bytes.",
                 static_cast<double>(process.virtual_bytes));
}

}  // namespace

std::string metrics_text(const StatusReport& report, const ProcessFigures& process) {
  Families families;
  add_calls(families, report);
  families.gauge("longshore_build_info", "1, with the agent's version.", 1,
                 {{"version", report.version}});
  add_modules(families, report);
  MetricFamily& connections = families.add("longshore_endpoint_connections",
                                           "Open connections of the endpoint.", MetricType::Gauge);
  for (const EndpointReport& endpoint : report.endpoints) {
    Families::add_value(connections, {{"endpoint", endpoint.name}},
                        static_cast<double>(endpoint.connections));
  }
  add_audit(families, report.audit);
  add_process(families, process);
  return families.text();
}

}  // namespace longshore::observe
