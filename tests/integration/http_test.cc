// What the agent tells over HTTP: metrics after real calls, probes, the page, and its end.
#include <signal.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "longshore/echo/v1.pb.h"
#include "tests/integration/echo_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/http_connection.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

const std::string kEcho = "longshore.echo.v1.Echo/";
const std::string kOnAnyPort = "[agent.http]\naddress = \"127.0.0.1:0\"\n";

// The port that the agent says it has.
uint16_t port_in(const std::string& log) {
  const std::string said = "endpoint=http address=127.0.0.1:";
  const size_t at = log.find(said);
  if (at == std::string::npos) throw std::runtime_error("no port in the log:\n" + log);
  return static_cast<uint16_t>(std::stoi(log.substr(at + said.size())));
}

struct Fixture {
  explicit Fixture(const std::string& more = {}, const std::string& echo = kForwards) {
    directory.configure(kOnAnyPort + more, echo);
    agent = std::make_unique<AgentProcess>(directory);
    INFO(directory.log());
    REQUIRE(agent->serves());
    port = port_in(directory.log());
  }
  ~Fixture() {
    if (agent) CHECK(agent->stop() == 0);
  }

  std::string get(const std::string& path, const std::string& headers = {}) const {
    return http_get(port, path, headers).body;
  }
  bool metrics_have(const std::string& line) const {
    return ('\n' + get("/metrics")).find('\n' + line) != std::string::npos;
  }

  static constexpr const char* kForwards = "may_call = [\"v1.Filesystem\"]\n";
  AgentDirectory directory;
  std::unique_ptr<AgentProcess> agent;
  uint16_t port = 0;
};

// The labels of a series of a unary method.
std::string labels_of(const std::string& service, const std::string& method) {
  return "grpc_method=\"" + method + "\",grpc_service=\"" + service + "\",grpc_type=\"unary\"";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Whether a condition that the agent fulfils comes true, while the client does its part.
bool comes_true(TestClient& client, const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (!client.run_until(condition, 20ms)) {
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

std::string fail_with(StatusCode code, const std::string& text) {
  echo::v1::FailRequest request;
  request.set_code(static_cast<int32_t>(code));
  request.set_text(text);
  return request.SerializeAsString();
}

}  // namespace

TEST_CASE_METHOD(Fixture, "csi-proxy's metrics are found after calls, with its labels") {
  TestClient files(directory.filesystem_socket("v1"));
  const auto link = [&](const std::string& name) {
    return files
        .call("v1.Filesystem/CreateSymlink",
              WireWriter().text(1, directory.root()).text(2, directory.root() + '/' + name))
        ->code();
  };
  CHECK(get("/metrics").find("CreateSymlink") == std::string::npos);
  REQUIRE(link("link") == StatusCode::kOk);
  CHECK(contains(get("/metrics"),
                 "grpc_server_handling_seconds_bucket{grpc_method=\"CreateSymlink\""));
  CHECK(link("/../../outside") != StatusCode::kOk);
  const std::string labels = labels_of("v1.Filesystem", "CreateSymlink");
  CHECK(metrics_have("grpc_server_started_total{" + labels + "} 2\n"));
  CHECK(metrics_have("grpc_server_msg_received_total{" + labels + "} 2\n"));
  CHECK(metrics_have("grpc_server_msg_sent_total{" + labels + "} 1\n"));
  CHECK(metrics_have("grpc_server_handled_total{grpc_code=\"OK\"," + labels + "} 1\n"));
  CHECK(metrics_have("grpc_server_handling_seconds_bucket{" + labels + ",le=\"0.001\"} "));
  CHECK(metrics_have("grpc_server_handling_seconds_bucket{" + labels + ",le=\"+Inf\"} 2\n"));
  CHECK(metrics_have("grpc_server_handling_seconds_count{" + labels + "} 2\n"));
  CHECK(metrics_have("longshore_endpoint_connections{endpoint=\"filesystem-v1\"} 1\n"));
}

TEST_CASE_METHOD(Fixture, "Streams, failures and cancellations are counted; nested calls are not") {
  TestClient client(directory.echo_socket());
  echo::v1::CountRequest count;
  count.set_count(5);
  REQUIRE(client.call(kEcho + "Count", count.SerializeAsString())->code() == StatusCode::kOk);
  CHECK(
      metrics_have("grpc_server_msg_sent_total{grpc_method=\"Count\",grpc_service="
                   "\"longshore.echo.v1.Echo\",grpc_type=\"server_stream\"} 5\n"));

  client.call(kEcho + "Fail", fail_with(StatusCode::kAborted, "no"));
  CHECK(metrics_have("grpc_server_handled_total{grpc_code=\"Aborted\"," +
                     labels_of("longshore.echo.v1.Echo", "Fail") + "} 1\n"));
  client.call(kEcho + "Wait", wait_for(60s), with_timeout(50ms));
  const std::string late = "grpc_server_handled_total{grpc_code=\"DeadlineExceeded\"," +
                           labels_of("longshore.echo.v1.Echo", "Wait") + "} 1\n";
  const std::string gone = "grpc_server_handled_total{grpc_code=\"Canceled\"," +
                           labels_of("longshore.echo.v1.Echo", "Wait") + "} 1\n";
  CHECK(comes_true(client, [&] { return metrics_have(late) || metrics_have(gone); }));

  echo::v1::ForwardRequest forward;
  forward.set_method("v1.Filesystem/PathExists");
  forward.set_request(WireWriter().text(1, directory.root()));
  REQUIRE(client.call(kEcho + "Forward", forward.SerializeAsString())->code() == StatusCode::kOk);
  CHECK(metrics_have("grpc_server_started_total{" + labels_of("longshore.echo.v1.Echo", "Forward") +
                     "} 1\n"));
  CHECK_FALSE(contains(get("/metrics"), "PathExists"));
  CHECK(metrics_have("longshore_module_calls_total{module=\"filesystem\"} 1\n"));

  TestClient control(directory.control_socket());
  REQUIRE(control.call("longshore.admin.v1.Admin/GetStatus", "")->code() == StatusCode::kOk);
  CHECK_FALSE(contains(get("/metrics"), "GetStatus"));
}

TEST_CASE_METHOD(Fixture, "Figures go on over a reload that replaces the module") {
  TestClient client(directory.echo_socket());
  const std::string series = "grpc_server_handled_total{grpc_code=\"OK\"," +
                             labels_of("longshore.echo.v1.Echo", "Say") + "} ";
  client.call(kEcho + "Say", "");
  CHECK(metrics_have(series + "1\n"));
  directory.configure(kOnAnyPort, "settings.greeting = \"hello\"\n");
  REQUIRE(agent->reload());
  INFO(directory.log());
  CHECK(contains(directory.log(), "reload: "));
  CHECK(metrics_have(series + "1\n"));
  client.call(kEcho + "Say", "");
  CHECK(metrics_have(series + "2\n"));
  directory.configure(kOnAnyPort,
                      "settings.greeting = \"hello\"\n"
                      "deny_methods = [\"longshore.echo.v1.Echo/Say\"]\n");
  REQUIRE(agent->reload());
  client.call(kEcho + "Say", "");
  CHECK(metrics_have("grpc_server_handled_total{grpc_code=\"PermissionDenied\"," +
                     labels_of("longshore.echo.v1.Echo", "Say") + "} 1\n"));
}

TEST_CASE_METHOD(Fixture, "The page names the node's modules and shows what went wrong, as text") {
  TestClient client(directory.echo_socket());
  client.call(kEcho + "Fail", fail_with(StatusCode::kInternal, "<script>alert(1)</script>"));
  HttpResponse page = http_get(port, "/status", "Accept: text/html,*/*;q=0.8\r\n");
  CHECK(page.headers["content-type"] == "text/html; charset=utf-8");
  CHECK(contains(page.body, "<td>echo</td>\n<td class=\"good\">serving</td>"));
  CHECK(contains(page.body, "<td>filesystem</td>\n<td class=\"good\">serving</td>"));
  CHECK(contains(page.body, "&lt;script&gt;alert(1)&lt;/script&gt;"));
  CHECK_FALSE(contains(page.body, "<script"));
  CHECK(contains(get("/status"), "\"message\":\"<script>alert(1)</script>\""));
  CHECK(get("/healthz") == "ok\n");
  CHECK(get("/readyz") == "ok\n");
  CHECK(http_get(port, "/").headers["location"] == "/status");
}

TEST_CASE("Calls that run and calls that wait for them are told apart") {
  Fixture agent({}, "max_concurrent_calls = 1\n");
  const auto has = [&](int running, int waiting) {
    const std::string calls = "longshore_module_calls_";
    return agent.metrics_have(calls + "running{module=\"echo\"} " + std::to_string(running)) &&
           agent.metrics_have(calls + "waiting{module=\"echo\"} " + std::to_string(waiting));
  };
  {
    TestClient client(agent.directory.echo_socket());
    const auto first = client.start(kEcho + "Wait", wait_for(60s));
    const auto second = client.start(kEcho + "Wait", wait_for(60s));
    CHECK(comes_true(client, [&] { return has(1, 1); }));
    CHECK_FALSE(agent.metrics_have("longshore_module_threads{module=\"echo\"} 0\n"));
  }
  TestClient client(agent.directory.echo_socket());
  CHECK(comes_true(client, [&] { return has(0, 0); }));
}

TEST_CASE("A module that did not start is named; the agent is ready unless it is strict") {
  Fixture agent("[modules.broken]\nlibrary = \"" + hostile_module("start_fails") + "\"\n");
  CHECK(http_get(agent.port, "/healthz").status == 200);
  const HttpResponse ready = http_get(agent.port, "/readyz");
  CHECK(ready.status == 200);
  CHECK(ready.body.starts_with("ok\nthe module broken is failed: "));
  CHECK(contains(ready.body, "the disk is on fire"));
  CHECK(agent.metrics_have("longshore_module_up{module=\"broken\"} 0\n"));
  CHECK(agent.metrics_have("longshore_module_state{module=\"broken\",state=\"failed\"} 1\n"));
  fs::create_directory(agent.directory / "conf.d");
  write_file(agent.directory / "conf.d/strict.toml", "[agent]\nstrict = true\n");
  REQUIRE(agent.agent->reload());
  CHECK(http_get(agent.port, "/readyz").status == 503);
}

TEST_CASE("While it drains the agent says so, and at its end the port is closed") {
  AgentDirectory directory;
  directory.configure(kOnAnyPort);
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  const uint16_t port = port_in(directory.log());
  TestClient client(directory.echo_socket());
  const auto running = client.start(kEcho + "Wait", wait_for(1500ms));
  client.call(kEcho + "Say", "");  // the one before it has arrived
  HttpConnection idle(port);
  CHECK(idle.get("/healthz").status == 200);
  agent.signal(SIGTERM);
  REQUIRE(agent.await_state("STOPPING=1"));
  CHECK(http_get(port, "/healthz").status == 503);
  CHECK(http_get(port, "/healthz").body == "draining\n");
  CHECK(http_get(port, "/readyz").status == 503);
  CHECK(contains(http_get(port, "/status").body, "\"state\":\"draining\""));
  CHECK(http_get(port, "/metrics").status == 200);
  REQUIRE(client.run_until([&] { return running->finished(); }));
  CHECK(running->code() == StatusCode::kOk);
  CHECK(agent.wait() == 0);
  CHECK_THROWS_AS(HttpConnection(port), std::system_error);
}

TEST_CASE("A scraper that does not read holds up neither calls nor the end") {
  Fixture agent;
  HttpConnection slow(agent.port);
  std::string many;
  for (int i = 0; i < 500; ++i) many += "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
  slow.send(many);
  REQUIRE(slow.hears(30s));
  TestClient client(agent.directory.echo_socket());
  for (int i = 0; i < 100; ++i) {
    CHECK(client.call(kEcho + "Say", "", with_timeout(5s))->code() == StatusCode::kOk);
  }
  CHECK(agent.agent->stop() == 0);  // before the scraper goes
  agent.agent.reset();
}

TEST_CASE("Without a word in the configuration there is no HTTP") {
  AgentDirectory directory;
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  CHECK_FALSE(contains(directory.log(), "endpoint=http"));
  // Nor can a reload open a port; it says what it takes.
  directory.configure(kOnAnyPort);
  CHECK(agent.reload());
  CHECK(contains(directory.log(), "only a restart can change agent.http.address"));
  CHECK_FALSE(contains(directory.log(), "endpoint=http"));
  CHECK(agent.stop() == 0);
}

TEST_CASE("A port that is taken is tried again; it ends a strict start in order, with a sentence") {
  Fixture first;
  AgentDirectory directory;
  const std::string address = "127.0.0.1:" + std::to_string(first.port);
  directory.configure("[agent.http]\naddress = \"" + address + "\"\n");
  {
    AgentProcess second(directory);
    REQUIRE(second.serves());
    CHECK(contains(directory.log(), "it is tried again endpoint=http"));
    CHECK(first.agent->stop() == 0);
    first.agent.reset();
    CHECK(eventually([&] { return contains(directory.log(), "address=" + address); }));
    CHECK(http_get(first.port, "/readyz").status == 200);
    CHECK(second.stop() == 0);
  }
  fs::create_directory(directory / "conf.d");
  write_file(directory / "conf.d/strict.toml", "[agent]\nstrict = true\n");
  AgentDirectory other;
  other.configure("[agent.http]\naddress = \"" + address + "\"\n");
  AgentProcess has_it(other);
  REQUIRE(has_it.serves());
  AgentProcess third(directory);
  CHECK_FALSE(third.serves());
  CHECK(third.wait() == 3);
  CHECK(contains(directory.log(), "longshored: cannot listen for HTTP on \"" + address +
                                      "\": Address already in use; choose another "
                                      "agent.http.address"));
  CHECK_FALSE(fs::exists(directory.control_socket()));
}

TEST_CASE("A Unix socket is the agent's user's alone, and gone at the end") {
  AgentDirectory directory;
  const std::string path = directory / "http/status.sock";
  directory.configure("[agent.http]\naddress = \"unix://" + path + "\"\n");
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK(S_ISSOCK(status.st_mode));
  CHECK((status.st_mode & 0777) == 0600);
  HttpConnection connection(path);
  CHECK(connection.get("/healthz").body == "ok\n");
  CHECK(connection.get("/metrics").status == 200);
  CHECK(agent.stop() == 0);
  CHECK_FALSE(fs::exists(path));
}
