// The controller node-driver-registrar in a real agent, between a CSI driver and a stand-in for the
// kubelet, both of the gRPC C++ library.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/conformance/child_process.h"
#include "tests/integration/control_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/http_connection.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

const std::string kName = "disk.example.com";
const std::string kKubeletPath = "/var/lib/kubelet/plugins/disk.example.com/csi.sock";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// A driver, a kubelet with its folder, and the agent's configuration.
struct Node {
  explicit Node(const std::string& isolation) {
    fs::create_directory(folder);
    answer("true");
    std::ofstream(directory / "answers") << "ready\n";
    directory.configure(
        "[controllers.registrar]\nlibrary = \"" + built_module("node-driver-registrar") +
        "\"\nisolation = \"" + isolation +
        "\"\nmay_call = [\"longshore.host.v1.Csi/CallIdentity\", \"longshore.host.v1.Endpoint\", "
        "\"longshore.host.v1.Http\"]\nsettings.csi_address = \"" +
        driver_socket + "\"\nsettings.kubelet_registration_path = \"unix://" + kKubeletPath +
        "\"\nsettings.plugin_registration_path = \"" + folder +
        "\"\nsettings.http_endpoint = \"127.0.0.1:0\"\n");
    kubelet = std::make_unique<conformance::ChildProcess>(
        std::vector<std::string>{built_program("kubelet_stand_in"), "--folder", folder, "--answer",
                                 directory / "kubelet", "--log", directory / "kubelet.log"});
  }

  void run_driver(const std::string& name = kName) {
    driver = std::make_unique<conformance::ChildProcess>(std::vector<std::string>{
        built_program("csi_driver"), "--socket", driver_socket, "--answer", directory / "answers",
        "--calls", directory / "calls", "--name", name});
  }

  // What the kubelet says from now on.
  void answer(const std::string& text) const {
    const std::string file = directory / "kubelet";
    std::ofstream(file + ".new") << text << '\n';
    fs::rename(file + ".new", file);
  }
  // How often the kubelet has answered so to a driver of this name.
  size_t answered(const std::string& text, const std::string& name = kName) const {
    const std::string line = name + " CSIPlugin " + kKubeletPath + " 1.0.0 " + text;
    std::ifstream file(directory / "kubelet.log");
    size_t count = 0;
    for (std::string each; std::getline(file, each);) count += each == line ? 1 : 0;
    return count;
  }
  bool answers(size_t count, const std::string& text, const std::string& name = kName) const {
    return eventually([&] { return answered(text, name) >= count; });
  }

  std::string socket(const std::string& name = kName) const {
    return folder + '/' + name + "-reg.sock";
  }
  std::string trouble() const { return module_of(directory, "registrar").reason(); }
  bool is_degraded() const { return module_of(directory, "registrar").degraded(); }

  HttpResponse healthz() const {
    const std::string line = "/healthz is served on 127.0.0.1:";
    REQUIRE(eventually([&] { return contains(directory.log(), line); }));
    const std::string log = directory.log();
    const auto port = std::stoul(log.substr(log.rfind(line) + line.size()));
    return http_get(static_cast<uint16_t>(port), "/healthz");
  }

  const AgentDirectory directory;
  const std::string driver_socket = directory / "csi.sock";
  const std::string folder = directory / "plugins_registry";
  std::unique_ptr<conformance::ChildProcess> driver;
  std::unique_ptr<conformance::ChildProcess> kubelet;
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
    CHECK(contains(node.trouble(), "waits for the CSI driver at \"" + node.driver_socket + '"'));
    node.run_driver();
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
    CHECK(node.answered("true") == 1);
  }
}

TEST_CASE("A kubelet that refuses is asked again by a new socket, until it accepts") {
  Node node("in-process");
  node.answer("false the node has no such socket");
  node.run_driver();
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
  node.answer("true");
  REQUIRE(node.answers(1, "true"));
  CHECK(eventually([&] { return !node.is_degraded(); }));
  CHECK(node.healthz().status == 200);
  agent.signal(SIGTERM);
  CHECK(agent.wait() == 0);
}

TEST_CASE("A driver that is back is registered anew, also by another name") {
  Node node("in-process");
  node.run_driver();
  AgentProcess agent(node.directory);
  REQUIRE(agent.serves());
  REQUIRE(node.answers(1, "true"));
  const std::string other = "other.example.com";
  for (const std::string& name : {kName, other}) {
    node.driver.reset();
    REQUIRE(eventually([&] { return node.is_degraded(); }));
    CHECK(fs::exists(node.socket()));
    node.run_driver(name);
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
  node.run_driver();
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
