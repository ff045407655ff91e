// The text that Prometheus reads, line by line.
#include "observe/metrics_text.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "tests/unit/observe/status_reports.h"

namespace longshore::observe {
namespace {

using namespace std::chrono_literals;

std::string text_of(const std::shared_ptr<MethodMetrics>& method) {
  StatusReport report;
  report.methods = {method};
  return metrics_text(report, {});
}

// Lines that begin with `start`, in their order.
std::vector<std::string> lines_of(const std::string& text, const std::string& start) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(start)) lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST_CASE("The series of calls have csi-proxy's names, labels and buckets, in its order") {
  const auto method = std::make_shared<MethodMetrics>("v1.Filesystem", "CreateSymlink", false);
  for (const auto elapsed : {500us, 1000us, 250000us}) {
    method->started();
    method->message_sent();
    method->handled(StatusCode::kOk, elapsed);
  }
  method->started();
  method->handled(StatusCode::kNotFound, 200s);
  method->started();
  method->handled(StatusCode::kCancelled, 30s);
  method->warned();
  const std::string labels =
      "grpc_method=\"CreateSymlink\",grpc_service=\"v1.Filesystem\",grpc_type=\"unary\"";
  const std::string text = text_of(method);
  CHECK(lines_of(text, "grpc_server_started") ==
        Lines{"grpc_server_started_total{" + labels + "} 5"});
  CHECK(lines_of(text, "longshore_call_warnings") ==
        Lines{"longshore_call_warnings_total{" + labels + "} 1"});
  CHECK(lines_of(text, "grpc_server_msg_received") ==
        Lines{"grpc_server_msg_received_total{" + labels + "} 5"});
  CHECK(lines_of(text, "grpc_server_msg_sent") ==
        Lines{"grpc_server_msg_sent_total{" + labels + "} 3"});
  CHECK(lines_of(text, "grpc_server_handled") ==
        Lines{"grpc_server_handled_total{grpc_code=\"OK\"," + labels + "} 3",
              "grpc_server_handled_total{grpc_code=\"Canceled\"," + labels + "} 1",
              "grpc_server_handled_total{grpc_code=\"NotFound\"," + labels + "} 1"});
  const auto bucket = [&](const std::string& bound, int count) {
    return "grpc_server_handling_seconds_bucket{" + labels + ",le=\"" + bound + "\"} " +
           std::to_string(count);
  };
  CHECK(lines_of(text, "grpc_server_handling_seconds_bucket") ==
        Lines{bucket("0.001", 2), bucket("0.01", 2), bucket("0.1", 2), bucket("0.3", 3),
              bucket("0.6", 3), bucket("1", 3), bucket("3", 3), bucket("6", 3), bucket("9", 3),
              bucket("20", 3), bucket("30", 4), bucket("60", 4), bucket("90", 4), bucket("120", 4),
              bucket("+Inf", 5)});
  CHECK(lines_of(text, "grpc_server_handling_seconds_count") ==
        Lines{"grpc_server_handling_seconds_count{" + labels + "} 5"});
  CHECK(lines_of(text, "grpc_server_handling_seconds_sum") ==
        Lines{"grpc_server_handling_seconds_sum{" + labels + "} 230.2515"});
  CHECK(lines_of(text, "# TYPE grpc_server") ==
        Lines{"# TYPE grpc_server_started_total counter",
              "# TYPE grpc_server_handled_total counter",
              "# TYPE grpc_server_msg_received_total counter",
              "# TYPE grpc_server_msg_sent_total counter",
              "# TYPE grpc_server_handling_seconds histogram"});
}

TEST_CASE("A stream has its own type, and a method that nobody called is left out") {
  const auto method = std::make_shared<MethodMetrics>("v1.Disk", "Watch", true);
  CHECK(text_of(method).find("Watch") == std::string::npos);
  method->started();
  CHECK(text_of(method).find("grpc_server_started_total{grpc_method=\"Watch\","
                             "grpc_service=\"v1.Disk\",grpc_type=\"server_stream\"} 1\n") !=
        std::string::npos);
}

TEST_CASE("Every code has the name that gRPC for Go gives it") {
  const auto method = std::make_shared<MethodMetrics>("s", "m", false);
  method->started();
  for (int code = 0; code < 17; ++code) method->handled(static_cast<StatusCode>(code), 1ms);
  const std::string text = text_of(method);
  for (const std::string name :
       {"OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound",
        "AlreadyExists", "PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted",
        "OutOfRange", "Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated"}) {
    INFO(name);
    CHECK(text.find("{grpc_code=\"" + name + "\",") != std::string::npos);
  }
}

TEST_CASE("A lease that is known by name is told, once, and whether it is held") {
  StatusReport report;
  report.leases = {{}};
  CHECK(lines_of(metrics_text(report, {}), "leader_election").empty());
  report.leases = {{.name = "a"}, {.name = "b", .leads = true}, {.name = "b"}, {}};
  CHECK(lines_of(metrics_text(report, {}), "leader_election_master_status") ==
        Lines{"leader_election_master_status{name=\"a\"} 0",
              "leader_election_master_status{name=\"b\"} 1"});
}

TEST_CASE("Work queues have client-go's names, label and buckets, apart by controller") {
  CHECK(metrics_text({}, {}).find("workqueue_") == std::string::npos);
  StatusReport report;
  report.work_queues = {{.module = "attacher",
                         .name = "csi-attacher-va",
                         .depth = 1,
                         .adds = 2,
                         .retries = 3,
                         .waited = {{1, 0, 2}, 0.25},
                         .worked = {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 11},
                         .unfinished_seconds = 4.5,
                         .longest_running_seconds = 2.5},
                        {.module = "other", .name = "csi-attacher-va"}};
  const std::string text = metrics_text(report, {});
  const std::string labels = R"(name="csi-attacher-va",module="attacher")";
  CHECK(lines_of(text, "workqueue_depth") ==
        Lines{"workqueue_depth{" + labels + "} 1",
              R"(workqueue_depth{name="csi-attacher-va",module="other"} 0)"});
  const auto first = [&](const std::string& name) { return lines_of(text, name + '{').at(0); };
  const auto line = [&](const std::string& name, const std::string& value) {
    return name + '{' + labels + "} " + value;
  };
  for (const auto& [name, value] :
       {std::pair("workqueue_adds_total", "2"), std::pair("workqueue_retries_total", "3"),
        std::pair("workqueue_unfinished_work_seconds", "4.5"),
        std::pair("workqueue_longest_running_processor_seconds", "2.5"),
        std::pair("workqueue_queue_duration_seconds_count", "3"),
        std::pair("workqueue_queue_duration_seconds_sum", "0.25"),
        std::pair("workqueue_work_duration_seconds_count", "1"),
        std::pair("workqueue_work_duration_seconds_sum", "11")}) {
    CHECK(first(name) == line(name, value));
  }
  const auto bucket = [&](const std::string& end, int count) {
    return "workqueue_queue_duration_seconds_bucket{" + labels + ",le=\"" + end + "\"} " +
           std::to_string(count);
  };
  Lines buckets = lines_of(text, "workqueue_queue_duration_seconds_bucket");
  REQUIRE(buckets.size() == 22);
  buckets.resize(11);
  CHECK(buckets == Lines{bucket("1e-08", 1), bucket("1e-07", 1), bucket("1e-06", 3),
                         bucket("9.999999999999999e-06", 3), bucket("9.999999999999999e-05", 3),
                         bucket("0.001", 3), bucket("0.01", 3), bucket("0.1", 3), bucket("1", 3),
                         bucket("10", 3), bucket("+Inf", 3)});
  CHECK(lines_of(text, "# TYPE workqueue") ==
        Lines{"# TYPE workqueue_depth gauge", "# TYPE workqueue_adds_total counter",
              "# TYPE workqueue_queue_duration_seconds histogram",
              "# TYPE workqueue_work_duration_seconds histogram",
              "# TYPE workqueue_unfinished_work_seconds gauge",
              "# TYPE workqueue_longest_running_processor_seconds gauge",
              "# TYPE workqueue_retries_total counter"});
}

TEST_CASE("Modules, endpoints and the process have their series") {
  StatusReport report = sample_report();
  report.modules[0].calls_running = 1;
  report.modules[0].calls_waiting = 2;
  report.modules[0].calls_stuck = 3;
  report.modules[0].calls_total = 40;
  report.modules[0].calls_failed = 5;
  report.modules[0].threads = 6;
  report.modules[0].degraded = true;
  report.modules[0].violations = 7;
  report.modules[0].upgrades = 8;
  report.modules[0].steps = {{"loaded", {}, std::chrono::milliseconds(250)}};
  report.module_states = {"serving", "draining", "failed"};
  report.endpoints.push_back({"echo", "unix:///run/echo.sock", {}});
  report.endpoints.back().reason = "there is a link";
  const std::string text = metrics_text(report, {.cpu_seconds = 1.5,
                                                 .start_time_seconds = 1795235495,
                                                 .resident_bytes = 8 << 20,
                                                 .virtual_bytes = 300 << 20,
                                                 .open_descriptors = 20,
                                                 .max_descriptors = 1024});
  for (const std::string line :
       {"longshore_build_info{version=\"0.1.0\"} 1",
        "longshore_module_up{module=\"disk\"} 1",
        "longshore_module_up{module=\"volume\"} 0",
        "longshore_module_state{module=\"disk\",state=\"serving\"} 1",
        "longshore_module_state{module=\"disk\",state=\"draining\"} 0",
        "longshore_module_state{module=\"volume\",state=\"serving\"} 0",
        "longshore_module_state{module=\"volume\",state=\"failed\"} 1",
        "longshore_module_step_seconds{module=\"disk\",state=\"loaded\"} 0.25",
        "longshore_module_degraded{module=\"disk\"} 1",
        "longshore_module_degraded{module=\"volume\"} 0",
        "longshore_module_contract_violations_total{module=\"disk\"} 7",
        "longshore_module_upgrades_total{module=\"disk\"} 8",
        "longshore_module_calls_running{module=\"disk\"} 1",
        "longshore_module_calls_waiting{module=\"disk\"} 2",
        "longshore_module_calls_stuck{module=\"disk\"} 3",
        "longshore_module_calls_total{module=\"disk\"} 40",
        "longshore_module_calls_failed_total{module=\"disk\"} 5",
        "longshore_module_threads{module=\"disk\"} 6",
        "longshore_endpoint_up{endpoint=\"disk-v1\"} 1",
        "longshore_endpoint_up{endpoint=\"echo\"} 0",
        "longshore_endpoint_connections{endpoint=\"disk-v1\"} 3",
        "process_cpu_seconds_total 1.5",
        "process_start_time_seconds 1795235495",
        "process_resident_memory_bytes 8388608",
        "process_virtual_memory_bytes 314572800",
        "process_open_fds 20",
        "process_max_fds 1024"}) {
    INFO(line);
    CHECK(text.find('\n' + line + '\n') != std::string::npos);
  }
}

// Whether a line is `name{label="value",...} number`, the labels optional, quotes in values
// escaped.
bool is_sample(const std::string& line) {
  const std::string kNameCharacters = "abcdefghijklmnopqrstuvwxyz_";
  size_t at = line.find_first_not_of(kNameCharacters);
  if (at == 0 || at == std::string::npos) return false;
  if (line[at] == '{') {
    do {
      at = line.find_first_not_of(kNameCharacters, at + 1);
      if (at == std::string::npos || line.compare(at, 2, "=\"") != 0) return false;
      for (at += 2; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\') ++at;
      }
      ++at;
    } while (at < line.size() && line[at] == ',');
    if (at >= line.size() || line[at] != '}') return false;
    ++at;
  }
  return at + 1 < line.size() && line[at] == ' ' &&
         line.find_first_not_of("0123456789.e+-", at + 1) == std::string::npos;
}

TEST_CASE("The audit log has its series where there is one") {
  StatusReport report;
  CHECK(lines_of(metrics_text(report, {}), "longshore_audit").empty());
  report.audit = {true, 7, 2, 1};
  CHECK(lines_of(metrics_text(report, {}), "longshore_audit") ==
        Lines{"longshore_audit_up 1", "longshore_audit_lines_total 7",
              "longshore_audit_lines_lost_total 1", "longshore_audit_lines_waiting 2",
              "longshore_audit_calls_refused_total 0"});
  report.audit.trouble = "no room";
  report.audit.refused_calls = 3;
  const auto lines = lines_of(metrics_text(report, {}), "longshore_audit");
  CHECK(lines.front() == "longshore_audit_up 0");
  CHECK(lines.back() == "longshore_audit_calls_refused_total 3");
}

TEST_CASE("Every line is a comment or a sample, whatever the names are") {
  std::istringstream lines(metrics_text(hostile_report(), {}));
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    INFO(line);
    const bool is_comment = line.starts_with("# HELP ") || line.starts_with("# TYPE ");
    CHECK((is_comment || is_sample(line)));
  }
  CHECK(count > 50);
  CHECK(is_sample("a{b=\"\\\"}\",c=\"\"} 1.5e+09"));
  for (const char* wrong : {"", "a", "a 1 2", "a{} 1", "a{b=\"x\"\"} 1", "a{b=\"x} 1", "{} 1"}) {
    INFO(wrong);
    CHECK_FALSE(is_sample(wrong));
  }
}

TEST_CASE("The process's figures are those of this process") {
  const ProcessFigures figures = process_figures();
  CHECK(figures.resident_bytes > 1 << 20);
  CHECK(figures.virtual_bytes >= figures.resident_bytes);
  CHECK(figures.open_descriptors >= 3);
  CHECK(figures.max_descriptors >= figures.open_descriptors);
  const double now =
      static_cast<double>(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  CHECK(figures.start_time_seconds > now - 3600);
  CHECK(figures.start_time_seconds < now + 5);
  const int more = dup(0);
  CHECK(process_figures().open_descriptors == figures.open_descriptors + 1);
  close(more);
}

}  // namespace
}  // namespace longshore::observe
