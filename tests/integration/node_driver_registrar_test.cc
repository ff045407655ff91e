// The controller node-driver-registrar in a real agent, between a CSI driver and a stand-in for the
// kubelet, both of the gRPC C++ library.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "tests/integration/control_requests.h"
#include "tests/integration/csi_driver_process.h"
#include "tests/integration/kubelet_process.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/http_connection.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

const std::string kName = "disk.example.com";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// A driver, a kubelet with its folder, and the agent's configuration.
struct Node {
  explicit Node(const std::string& isolation) : driver(directory), kubelet(directory) {
    directory.configure(
        "[controllers.registrar]\nlibrary = \"" + built_module("node-driver-registrar") +
        "\"\nisolation = \"" + isolation +
        "\"\nmay_call = [\"longshore.host.v1.Csi/CallIdentity\", \"longshore.host.v1.Endpoint\", "
        "\"longshore.host.v1.Http\"]\nsettings.csi_address = \"" +
        driver.socket + "\"\nsettings.kubelet_registration_path = \"unix://" + kKubeletPath +
        "\"\nsettings.plugin_registration_path = \"" + kubelet.folder +
        "\"\nsettings.http_endpoint = \"127.0.0.1:0\"\n");
  }

  bool answers(size_t count, const std::string& text, const std::string& name = kName) const {
    return kubelet.answers(count, text, name);
  }
  std::string socket(const std::string& name = kName) const { return kubelet.socket(name); }
  std::string trouble() const { return module_of(directory, "registrar").reason(); }
  bool is_degraded() const { return module_of(directory, "registrar").degraded(); }
  HttpResponse healthz() const { return http_get(port_of(directory), "/healthz"); }

  const AgentDirectory directory;
  Driver driver;
  const Kubelet kubelet;
};

}  // namespace

TEST_CASE("A driver is registered once it is there, and the end of the agent removes its socket") {
  for (const std::string isolation : {"in-process", "process"}) {
    INFO(isolation);
    Node node(isolation);
    AgentProcess agent(node.directory);
    REQUIRE(agent.serves());
    CHECK(node.healthz().status == 404);
    CHECK(eventually([&] { return node.is_degraded(); }));
    CHECK(contains(node.trouble(), "waits for the CSI driver at \"" + node.driver.socket + '"'));
    node.driver.run(kName);
    REQUIRE(node.answers(1, "true"));
    struct stat status {};
    REQUIRE(lstat(node.socket().c_str(), &status) == 0);
    CHECK(S_ISSOCK(status.st_mode));
    CHECK((status.st_mode & 07777) == 0600);
    CHECK(eventually([&] { return !node.is_degraded(); }));
    CHECK(node.healthz().status == 200);
    CHECK(node.healthz().body == "ok");
    CHECK(contains(node.directory.log(), "the kubelet has registered the driver"));
    agent.signal(SIGTERM);
    CHECK(agent.wait() == 0);
    CHECK_FALSE(fs::exists(node.socket()));
    CHECK(node.kubelet.answered("true", kName) == 1);
  }
}

TEST_CASE("A kubelet that refuses is asked again by a new socket, until it accepts") {
  Node node("in-process");
  node.kubelet.answer("false the node has no such socket");
  node.driver.run(kName);
  AgentProcess agent(node.directory);
  REQUIRE(agent.serves());
  REQUIRE(node.answers(2, "false the node has no such socket"));
  CHECK(eventually([&] { return node.is_degraded(); }));
  // Once, by the agent.
  const std::string log = node.directory.log();
  CHECK(log.find("has not registered") == log.rfind("has not registered"));
  CHECK(contains(node.trouble(), "has not registered the driver \"" + kName +
                                     "\": the node has no such socket; see whether"));
  CHECK(node.healthz().status == 500);
  CHECK(contains(node.healthz().body, "the node has no such socket"));
  node.kubelet.answer("true");
  REQUIRE(node.answers(1, "true"));
  CHECK(eventually([&] { return !node.is_degraded(); }));
  CHECK(node.healthz().status == 200);
  agent.signal(SIGTERM);
  CHECK(agent.wait() == 0);
}

TEST_CASE("A driver that is back is registered anew, also by another name") {
  Node node("in-process");
  node.driver.run(kName);
  AgentProcess agent(node.directory);
  REQUIRE(agent.serves());
  REQUIRE(node.answers(1, "true"));
  const std::string other = "other.example.com";
  for (const std::string& name : {kName, other}) {
    node.driver.kill();
    REQUIRE(eventually([&] { return node.is_degraded(); }));
    CHECK(fs::exists(node.socket()));
    node.driver.run(name);
    REQUIRE(node.answers(name == kName ? 2 : 1, "true", name));
    CHECK(eventually([&] { return !node.is_degraded(); }));
  }
  CHECK(eventually([&] { return !fs::exists(node.socket()); }));
  CHECK(fs::exists(node.socket(other)));
  agent.signal(SIGTERM);
  CHECK(agent.wait() == 0);
  CHECK_FALSE(fs::exists(node.socket(other)));
}

TEST_CASE("A registration socket that somebody removes is made anew, and what is none is left") {
  Node node("in-process");
  node.driver.run(kName);
  AgentProcess agent(node.directory);
  REQUIRE(agent.serves());
  REQUIRE(node.answers(1, "true"));
  fs::remove(node.socket());
  REQUIRE(node.answers(2, "true"));
  CHECK(node.healthz().status == 200);
  // A file in its place.
  std::ofstream(node.directory / "file") << "a file";
  fs::rename(node.directory / "file", node.socket());
  REQUIRE(eventually([&] { return node.is_degraded(); }));
  CHECK(contains(node.trouble(), "there is something that is not a socket"));
  CHECK(node.healthz().status == 500);
  CHECK(fs::is_regular_file(node.socket()));
  fs::remove(node.socket());
  REQUIRE(node.answers(3, "true"));
  CHECK(eventually([&] { return !node.is_degraded(); }));
  agent.signal(SIGTERM);
  CHECK(agent.wait() == 0);
}

TEST_CASE("The kubelet's folder that is removed or moved away, and made again, gets a new socket") {
  Node node("in-process");
  node.driver.run(kName);
  AgentProcess agent(node.directory);
  REQUIRE(agent.serves());
  REQUIRE(node.answers(1, "true"));
  const std::string& folder = node.kubelet.folder;
  for (const bool is_moved : {false, true}) {
    INFO((is_moved ? "moved" : "removed"));
    if (is_moved) fs::rename(folder, folder + ".old");
    // The socket is made anew as long as there is a folder.
    REQUIRE(eventually([&] {
      std::error_code error;
      fs::remove_all(folder, error);
      return !error;
    }));
    REQUIRE(eventually([&] { return node.is_degraded(); }));
    CHECK(contains(node.trouble(), "there is no folder " + folder));
    CHECK(node.healthz().status == 500);
    fs::create_directory(folder);
    REQUIRE(node.answers(is_moved ? 3 : 2, "true"));
    CHECK(eventually([&] { return !node.is_degraded(); }));
    CHECK(node.healthz().status == 200);
  }
  agent.signal(SIGTERM);
  CHECK(agent.wait() == 0);
}
