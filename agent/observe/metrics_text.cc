#include "observe/metrics_text.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "observe/metrics_writer.h"

namespace longshore::observe {
namespace {

using Type = MetricsWriter::Type;

// The codes as gRPC for Go writes them, which csi-proxy's metrics come from.
constexpr std::array<const char*, MethodMetrics::kStatusCodes> kCodes = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

void add_single(MetricsWriter& writer, const char* name, const char* help, Type type,
                double value) {
  writer.family(name, help, type);
  writer.value({}, value);
}

// A method that was called, its labels sorted by name, as Go's client has them.
struct CalledMethod {
  MetricLabels labels;
  MethodMetrics::Snapshot snapshot;
};

std::vector<CalledMethod> called_methods(const StatusReport& report) {
  std::vector<CalledMethod> called;
  for (const auto& method : report.methods) {
    const MethodMetrics::Snapshot snapshot = method->snapshot();
    if (snapshot.started == 0) continue;
    called.push_back({{{"grpc_method", method->method()},
                       {"grpc_service", method->service()},
                       {"grpc_type", method->server_streaming() ? "server_stream" : "unary"}},
                      snapshot});
  }
  return called;
}

// In seconds.
std::vector<std::string> bucket_ends(std::span<const int64_t> milliseconds) {
  std::vector<std::string> ends;
  for (const int64_t each : milliseconds) {
    char digits[32];
    const double seconds = static_cast<double>(each) / 1000;
    ends.emplace_back(digits, std::to_chars(digits, digits + sizeof(digits), seconds).ptr);
  }
  ends.emplace_back("+Inf");
  return ends;
}

// `buckets`: each for itself.
void add_histogram(MetricsWriter& writer, const MetricLabels& labels,
                   std::span<const uint64_t> buckets, double seconds,
                   std::span<const std::string> ends) {
  uint64_t count = 0;
  for (const uint64_t bucket : buckets) count += bucket;
  writer.histogram(labels.text(), count, seconds);
  uint64_t below = 0;
  for (size_t i = 0; i < buckets.size(); ++i) {
    below += buckets[i];
    writer.bucket(labels.text(), ends[i], below);
  }
}

void add_handled(MetricsWriter& writer, const std::vector<CalledMethod>& called) {
  writer.family("grpc_server_handled_total",
                "Calls completed on the server, whatever their outcome.", Type::kCounter);
  std::vector<MetricLabels> codes;
  codes.reserve(kCodes.size());
  for (const char* code : kCodes) codes.push_back({{"grpc_code", code}});
  for (const CalledMethod& method : called) {
    for (size_t code = 0; code < kCodes.size(); ++code) {
      const uint64_t count = method.snapshot.handled[code];
      if (code != 0 && count == 0) continue;
      writer.value(codes[code], method.labels.text(), static_cast<double>(count));
    }
  }
}

void add_calls(MetricsWriter& writer, const std::vector<CalledMethod>& called) {
  const auto add_counters = [&](const char* name, const char* help, auto value_of) {
    writer.family(name, help, Type::kCounter);
    for (const CalledMethod& method : called) {
      writer.value(method.labels.text(), static_cast<double>(value_of(method.snapshot)));
    }
  };
  const auto started = [](const auto& snapshot) { return snapshot.started; };
  add_counters("grpc_server_started_total", "Calls started on the server.", started);
  add_handled(writer, called);
  add_counters("grpc_server_msg_received_total", "Messages received on the server.", started);
  add_counters("grpc_server_msg_sent_total", "Messages sent by the server.",
               [](const auto& snapshot) { return snapshot.sent; });
  writer.family("grpc_server_handling_seconds", "How long calls took on the server, in seconds.",
                Type::kHistogram);
  const auto ends = bucket_ends(MethodMetrics::kBucketMilliseconds);
  for (const CalledMethod& method : called) {
    add_histogram(writer, method.labels, method.snapshot.buckets, method.snapshot.seconds, ends);
  }
  add_counters("longshore_call_warnings_total",
               "Calls of which the module wrote a warning, though they may have gone well.",
               [](const auto& snapshot) { return snapshot.warned; });
}

void add_csi_calls(MetricsWriter& writer, const std::vector<CsiCallSeries>& all) {
  if (all.empty()) return;
  writer.family("csi_sidecar_operations_seconds",
                "[ALPHA] How long calls of CSI drivers took, in seconds, by their status.",
                Type::kHistogram);
  const auto ends = bucket_ends(CsiCallSeries::kBucketMilliseconds);
  for (const CsiCallSeries& each : all) {
    add_histogram(writer,
                  {{"driver_name", each.driver},
                   {"grpc_status_code", kCodes[static_cast<size_t>(each.code)]},
                   {"method_name", each.method}},
                  each.buckets, each.seconds, ends);
  }
}

void add_kube_requests(MetricsWriter& writer, const KubeRequestReport& report) {
  if (!report.requests.empty()) {
    writer.family("rest_client_requests_total",
                  "[ALPHA] Requests to the Kubernetes API server, by the status of their answer.",
                  Type::kCounter);
  }
  for (const KubeRequestSeries& each : report.requests) {
    const bool is_answered = each.status != KubeRequestMetrics::kNoAnswer;
    writer.value(MetricLabels{{"code", is_answered ? std::to_string(each.status) : "<error>"},
                              {"host", each.host},
                              {"method", each.method}}
                     .text(),
                 static_cast<double>(each.count));
  }
  if (!report.waits.empty()) {
    writer.family("rest_client_rate_limiter_duration_seconds",
                  "[ALPHA] How long requests to the Kubernetes API server waited for their turn, "
                  "in seconds.",
                  Type::kHistogram);
  }
  const auto ends = bucket_ends(KubeWaitSeries::kBucketMilliseconds);
  for (const KubeWaitSeries& each : report.waits) {
    add_histogram(writer, {{"host", each.host}, {"verb", each.method}}, each.buckets, each.seconds,
                  ends);
  }
  if (report.rates.empty()) return;
  const auto add_rates = [&](const char* name, const char* help, auto value_of) {
    writer.family(name, help, Type::kGauge);
    for (const KubeRateSeries& each : report.rates) {
      writer.value(MetricLabels{{"limit", each.limit}}.text(), static_cast<double>(value_of(each)));
    }
  };
  add_rates("longshore_kube_requests_per_second",
            "How many requests a second may go to the Kubernetes API server now, by what they are "
            "for.",
            [](const KubeRateSeries& rate) { return rate.per_second; });
  add_rates("longshore_kube_requests_waiting", "Requests that wait for their turn by that rate.",
            [](const KubeRateSeries& rate) { return rate.waiting; });
}

void add_leases(MetricsWriter& writer, const std::vector<LeaseReport>& all) {
  std::map<std::string, bool> leads;  // two may have one name in two namespaces
  for (const LeaseReport& each : all) {
    if (!each.name.empty()) leads[each.name] |= each.leads;
  }
  if (leads.empty()) return;
  writer.family("leader_election_master_status",
                "[ALPHA] 1 where this process has the lease, 0 where another may have it.",
                Type::kGauge);
  for (const auto& [name, does_lead] : leads) {
    writer.value(MetricLabels{{"name", name}}.text(), does_lead ? 1 : 0);
  }
}

void add_work_queues(MetricsWriter& writer, const std::vector<WorkQueueSeries>& all) {
  if (all.empty()) return;
  std::vector<MetricLabels> labels;
  labels.reserve(all.size());
  for (const auto& each : all) labels.push_back({{"name", each.name}, {"module", each.module}});
  const auto add = [&](const char* name, const char* help, Type type, auto value_of) {
    writer.family(name, help, type);
    for (size_t i = 0; i < all.size(); ++i) {
      writer.value(labels[i].text(), static_cast<double>(value_of(all[i])));
    }
  };
  // As Go writes powers of ten that it has multiplied.
  const std::vector<std::string> ends = {"1e-08",
                                         "1e-07",
                                         "1e-06",
                                         "9.999999999999999e-06",
                                         "9.999999999999999e-05",
                                         "0.001",
                                         "0.01",
                                         "0.1",
                                         "1",
                                         "10",
                                         "+Inf"};
  const auto add_durations = [&](const char* name, const char* help, auto durations_of) {
    writer.family(name, help, Type::kHistogram);
    for (size_t i = 0; i < all.size(); ++i) {
      const WorkQueueSeries::Durations& durations = durations_of(all[i]);
      add_histogram(writer, labels[i], durations.buckets, durations.seconds, ends);
    }
  };
  using Series = const WorkQueueSeries&;
  add("workqueue_depth", "[ALPHA] Keys that wait in the work queue.", Type::kGauge,
      [](Series series) { return series.depth; });
  add("workqueue_adds_total", "[ALPHA] Times that a key was queued.", Type::kCounter,
      [](Series series) { return series.adds; });
  add_durations(
      "workqueue_queue_duration_seconds",
      "[ALPHA] How long keys waited for their turn, in seconds.",
      [](Series series) -> const auto& { return series.waited; });
  add_durations(
      "workqueue_work_duration_seconds", "[ALPHA] How long the work on a key took, in seconds.",
      [](Series series) -> const auto& { return series.worked; });
  add("workqueue_unfinished_work_seconds",
      "[ALPHA] How long the work has gone on that goes on now, all of it together, in seconds.",
      Type::kGauge, [](Series series) { return series.unfinished_seconds; });
  add("workqueue_longest_running_processor_seconds",
      "[ALPHA] How long the work has gone on that began first of this, in seconds.", Type::kGauge,
      [](Series series) { return series.longest_running_seconds; });
  add("workqueue_retries_total", "[ALPHA] Times that a key was to be tried again later.",
      Type::kCounter, [](Series series) { return series.retries; });
}

void add_states(MetricsWriter& writer, const StatusReport& report) {
  writer.family("longshore_module_state",
                "1 for the state that the module is in, 0 for the others.", Type::kGauge);
  const auto add = [&](const ModuleReport& module, const std::string& state) {
    writer.value(MetricLabels{{"module", module.name}, {"state", state}}.text(),
                 state == module.state ? 1 : 0);
  };
  for (const ModuleReport& module : report.modules) {
    add(module, module.state);
    for (const std::string& other : report.module_states) {
      if (other != module.state) add(module, other);
    }
  }
}

void add_steps(MetricsWriter& writer, const StatusReport& report) {
  writer.family("longshore_module_step_seconds",
                "How long the module took from the step before to this one.", Type::kGauge);
  for (const ModuleReport& module : report.modules) {
    for (const ModuleStep& step : module.steps) {
      writer.value(MetricLabels{{"module", module.name}, {"state", step.state}}.text(),
                   std::chrono::duration<double>(step.took).count());
    }
  }
}

void add_modules(MetricsWriter& writer, const StatusReport& report) {
  std::vector<MetricLabels> labels;
  labels.reserve(report.modules.size());
  for (const ModuleReport& module : report.modules) labels.push_back({{"module", module.name}});
  const auto add_each = [&](const char* name, const char* help, Type type, auto value_of) {
    writer.family(name, help, type);
    for (size_t i = 0; i < labels.size(); ++i) {
      writer.value(labels[i].text(), static_cast<double>(value_of(report.modules[i])));
    }
  };
  using Module = const ModuleReport&;
  add_each("longshore_module_up", "1 where the module serves.", Type::kGauge,
           [](Module module) { return module.serves() ? 1 : 0; });
  add_states(writer, report);
  add_steps(writer, report);
  add_each("longshore_module_degraded",
           "1 where the module serves, but calls of it are stuck or it says that it serves badly.",
           Type::kGauge, [](Module module) { return module.degraded ? 1 : 0; });
  add_each("longshore_module_contract_violations_total",
           "What the module did against the contract of the module ABI.", Type::kCounter,
           [](Module module) { return module.violations; });
  add_each("longshore_module_upgrades_total",
           "Instances that took the place of another since the agent started.", Type::kCounter,
           [](Module module) { return module.upgrades; });
  add_each("longshore_module_calls_running", "Calls in the module's hands.", Type::kGauge,
           [](Module module) { return module.calls_running; });
  add_each("longshore_module_calls_waiting", "Calls that wait for their turn.", Type::kGauge,
           [](Module module) { return module.calls_waiting; });
  add_each("longshore_module_calls_stuck", "Calls that hang past their end.", Type::kGauge,
           [](Module module) { return module.calls_stuck; });
  add_each("longshore_module_streams",
           "Calls of methods without an end, as watches; max_open_streams bounds them.",
           Type::kGauge, [](Module module) { return module.streams; });
  add_each("longshore_module_calls_total", "Calls since the module's start, of all callers.",
           Type::kCounter, [](Module module) { return module.calls_total; });
  add_each("longshore_module_calls_failed_total", "Of these, those that failed.", Type::kCounter,
           [](Module module) { return module.calls_failed; });
  add_each("longshore_module_threads", "Threads of the module's pool.", Type::kGauge,
           [](Module module) { return module.threads; });
  add_each("longshore_module_process_restarts_total",
           "How often a process of the module's own was started again.", Type::kCounter,
           [](Module module) { return module.process_restarts; });
}

void add_audit(MetricsWriter& writer, const AuditFigures& audit) {
  if (!audit.is_on) return;
  add_single(writer, "longshore_audit_up", "1 where the audit log can be written.", Type::kGauge,
             audit.trouble.empty() ? 1 : 0);
  add_single(writer, "longshore_audit_lines_total", "Lines written to the audit log.",
             Type::kCounter, static_cast<double>(audit.written));
  add_single(writer, "longshore_audit_lines_lost_total",
             "Lines that the audit log lacks, since its file could not be written.", Type::kCounter,
             static_cast<double>(audit.lost));
  add_single(writer, "longshore_audit_lines_waiting",
             "Lines that wait until the audit log can be written again.", Type::kGauge,
             static_cast<double>(audit.waiting));
  add_single(writer, "longshore_audit_calls_refused_total",
             "Calls that were refused, since the audit log is required and could not be written.",
             Type::kCounter, static_cast<double>(audit.refused_calls));
}

void add_process(MetricsWriter& writer, const ProcessFigures& process) {
  add_single(writer, "process_cpu_seconds_total", "User and system processor time, in seconds.",
             Type::kCounter, process.cpu_seconds);
  add_single(writer, "process_max_fds", "Most file descriptors that may be open.", Type::kGauge,
             static_cast<double>(process.max_descriptors));
  add_single(writer, "process_open_fds", "Open file descriptors.", Type::kGauge,
             static_cast<double>(process.open_descriptors));
  add_single(writer, "process_resident_memory_bytes", "Resident memory, in bytes.", Type::kGauge,
             static_cast<double>(process.resident_bytes));
  add_single(writer, "process_start_time_seconds", "Start of the process, in seconds since 1970.",
             Type::kGauge, process.start_time_seconds);
  add_single(writer, "process_virtual_memory_bytes", "Virtual memory, in bytes.", Type::kGauge,
             static_cast<double>(process.virtual_bytes));
}

void add_endpoints(MetricsWriter& writer, const StatusReport& report) {
  const auto add = [&](const char* name, const char* help, Type type, auto value_of) {
    writer.family(name, help, type);
    for (const EndpointReport& endpoint : report.endpoints) {
      writer.value(MetricLabels{{"endpoint", endpoint.name}}.text(),
                   static_cast<double>(value_of(endpoint)));
    }
  };
  add("longshore_endpoint_up", "1 where the endpoint listens.", Type::kGauge,
      [](const auto& endpoint) { return endpoint.listens() ? 1 : 0; });
  add("longshore_endpoint_connections", "Open connections of the endpoint.", Type::kGauge,
      [](const auto& endpoint) { return endpoint.connections; });
  add("longshore_endpoint_memory_bytes", "Bytes that the endpoint holds for its clients.",
      Type::kGauge, [](const auto& endpoint) { return endpoint.memory.used; });
  add("longshore_endpoint_memory_refusals_total",
      "What the endpoint had no memory for: connections, calls, messages.", Type::kCounter,
      [](const auto& endpoint) { return endpoint.memory.refusals; });
  const auto add_one = [&](const char* name, const char* help, Type type, uint64_t value) {
    writer.family(name, help, type);
    writer.value(std::string_view(), static_cast<double>(value));
  };
  add_one("longshore_client_memory_bytes",
          "Bytes held for the clients of all endpoints but the control socket, beyond what each "
          "endpoint has for itself.",
          Type::kGauge, report.memory.used);
  add_one("longshore_client_memory_limit_bytes", "The most of these that there may be.",
          Type::kGauge, report.memory.limit);
  add_one("longshore_client_memory_refusals_total",
          "What there was no memory for at these endpoints, by whichever limit.", Type::kCounter,
          report.memory.refusals);
}

}  // namespace

std::string metrics_text(const StatusReport& report, const ProcessFigures& process) {
  // Most of it is the histograms of methods and the states of modules.
  constexpr size_t kMethodBytes = 3 << 10;
  constexpr size_t kModuleBytes = 2 << 10;
  const std::vector<CalledMethod> called = called_methods(report);
  MetricsWriter writer(called.size() * kMethodBytes + report.modules.size() * kModuleBytes);
  add_calls(writer, called);
  add_csi_calls(writer, report.csi_calls);
  add_kube_requests(writer, report.kube_requests);
  add_leases(writer, report.leases);
  add_work_queues(writer, report.work_queues);
  writer.family("longshore_build_info", "1, with the agent's version.", Type::kGauge);
  writer.value(MetricLabels{{"version", report.version}}.text(), 1);
  add_modules(writer, report);
  add_endpoints(writer, report);
  add_audit(writer, report.audit);
  add_process(writer, process);
  return writer.take();
}

}  // namespace longshore::observe
