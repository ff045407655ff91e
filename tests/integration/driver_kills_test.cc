// Both controllers of a CSI driver that is killed and started again, many times.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/csi_driver_process.h"
#include "tests/integration/kubelet_process.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/control_calls.h"
#include "tests/support/eventually.h"
#include "tests/support/http_connection.h"
#include "tests/support/process_figures.h"
#include "tests/support/process_status.h"

using namespace longshore;
using namespace longshore::test;

namespace {

const std::string kName = "disk.example.com";

// csi-sidecars, with both controllers inside.
AgentProcessOptions csi_sidecars(const AgentDirectory& directory, const Driver& driver,
                                 const Kubelet& kubelet) {
  return {.command = {built_program("csi-sidecars"), "--module-dir", built_modules(),
                      "--controllers=livenessprobe,node-driver-registrar",
                      "--csi-address=" + driver.socket, "--livenessprobe-http-endpoint=127.0.0.1:0",
                      "--node-driver-registrar-http-endpoint=127.0.0.1:0", "--probe-timeout=1m",
                      "--timeout=1m", "--kubelet-registration-path=" + kKubeletPath,
                      "--plugin-registration-path=" + kubelet.folder,
                      "--run-dir=" + (directory / "sidecars")}};
}

// longshored, with each of them in a process of its own.
AgentProcessOptions processes(const AgentDirectory& directory, const Driver& driver,
                              const Kubelet& kubelet) {
  const auto controller = [&](const std::string& name, const std::string& settings) {
    return "[controllers." + name + "]\nlibrary = \"" + built_module(name) +
           "\"\nisolation = \"process\"\nsettings.csi_address = \"" + driver.socket +
           "\"\nsettings.http_endpoint = \"127.0.0.1:0\"\n" + settings;
  };
  directory.configure(
      controller("livenessprobe",
                 "may_call = [\"longshore.host.v1.Csi/CallIdentity\", \"longshore.host.v1.Http\"]\n"
                 "settings.probe_timeout = \"1m\"\n") +
      controller("node-driver-registrar",
                 "may_call = [\"longshore.host.v1.Csi/CallIdentity\", "
                 "\"longshore.host.v1.Endpoint\", \"longshore.host.v1.Http\"]\n"
                 "settings.timeout = \"1m\"\nsettings.kubelet_registration_path = \"" +
                     kKubeletPath + "\"\nsettings.plugin_registration_path = \"" + kubelet.folder +
                     "\"\n"));
  return {};
}

// What must not grow, of a process and those that it has started.
struct Holdings {
  size_t processes = 0;
  size_t descriptors = 0;
  size_t threads = 0;
  size_t kib = 0;
};

Holdings holdings_of(pid_t process) {
  std::vector<pid_t> all = children_of(process);
  all.push_back(process);
  Holdings holdings{.processes = all.size()};
  for (const pid_t each : all) {
    holdings.descriptors += open_descriptors(each);
    holdings.threads += std::stoul(proc_status(each, "Threads"));
    holdings.kib += own_memory_kib(each);
  }
  return holdings;
}

// How many lines of the log have this text.
size_t lines_with(const std::string& log, const std::string& text) {
  std::istringstream lines(log);
  size_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.find(text) != line.npos ? 1 : 0;
  return count;
}

struct Node {
  explicit Node(const std::string& isolation)
      : driver(directory),
        kubelet(directory),
        agent(directory,
              (isolation == "process" ? processes : csi_sidecars)(directory, driver, kubelet)),
        control(isolation == "process" ? directory.control_socket()
                                       : directory / "sidecars/control/control.sock") {
    INFO(directory.log());
    REQUIRE(agent.serves());
    driver.run(kName);
    REQUIRE(kubelet.answers(1, "true", kName));
    probe = port_of(directory, "livenessprobe");
    registrar = port_of(directory, "node-driver-registrar");
  }

  int probe_status() const { return http_get(probe, "/healthz").status; }
  // 200 but while the registrar makes its socket anew, for a driver that it has missed.
  bool is_registered() const {
    return eventually([&] { return http_get(registrar, "/healthz").status == 200; }) &&
           eventually([&] { return std::filesystem::is_socket(kubelet.socket(kName)); });
  }
  void kill_during_probe() {
    driver.answer("hang");
    const size_t before = driver.count("probe");
    HttpConnection asks(probe);
    asks.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    REQUIRE(eventually([&] { return driver.count("probe") > before; }));
    driver.kill();
    CHECK(asks.read().status == 500);
    driver.answer("ready");
  }

  const AgentDirectory directory;
  Driver driver;
  const Kubelet kubelet;
  AgentProcess agent;
  const std::string control;
  uint16_t probe = 0;
  uint16_t registrar = 0;
};

void kill_often(const std::string& isolation, int kills) {
  INFO(isolation);
  Node node(isolation);
  CHECK(node.probe_status() == 200);
  const int early = std::max(2, kills / 10);  // once of both kinds at least
  std::optional<Holdings> before;
  for (int done = 1; done <= kills; ++done) {
    INFO("kill " << done);
    if (done % 2 == 0) {
      node.kill_during_probe();
    } else {
      node.driver.kill();
    }
    // What is asked more often is not told more often.
    for (int times = 0; times < 10; ++times) CHECK(node.probe_status() == 500);
    CHECK(node.is_registered());
    node.driver.run(kName);
    CHECK(node.probe_status() == 200);
    CHECK(node.is_registered());
    if (done == early) before = holdings_of(node.agent.id());
  }
  const std::string log = node.directory.log();
  const auto count = static_cast<size_t>(kills);
  CHECK(lines_with(log, "/healthz fails: ") <= 2 * count);  // the end of a probe, and then nobody
  CHECK(lines_with(log, "") <= 30 + 10 * count);
  // One that is away until the registrar has asked for it is registered anew.
  const size_t registered = node.kubelet.answered("true", kName);
  CHECK(registered <= 1 + count);
  node.driver.kill();
  // Asked for, since the log tells of states that come and go ten times a minute.
  REQUIRE(eventually([&] { return module_at(node.control, "node-driver-registrar").degraded(); }));
  node.driver.run(kName);
  CHECK(node.kubelet.answers(registered + 1, "true", kName));
  CHECK(node.is_registered());
  CAPTURE(before->processes, before->descriptors, before->threads, before->kib);
  CHECK(eventually([&] {
    const Holdings now = holdings_of(node.agent.id());
    return now.processes == before->processes && now.descriptors <= before->descriptors &&
           now.threads <= before->threads;
  }));
  if (kMemoryTellsLeaks) CHECK(holdings_of(node.agent.id()).kib <= before->kib + 256);
  CHECK(node.agent.stop() == 0);
  CHECK_FALSE(std::filesystem::exists(node.kubelet.socket(kName)));
}

}  // namespace

TEST_CASE("A driver is killed and back five times, and its controllers are as before") {
  for (const char* isolation : {"in-process", "process"}) kill_often(isolation, 5);
}

TEST_CASE("A driver is killed and back 100 times, and its controllers are as before",
          "[plain][thorough]") {
  for (const char* isolation : {"in-process", "process"}) kill_often(isolation, 100);
}
