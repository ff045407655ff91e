// The controller livenessprobe in a real agent, before a CSI driver of the gRPC C++ library that
// answers, fails, hangs, crashes and comes back.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/control_requests.h"
#include "tests/integration/csi_driver_process.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/http_connection.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kIsolations = {"in-process", "process"};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Of the agent's log.
size_t lines_with(const AgentDirectory& directory, const std::string& part) {
  std::istringstream log(directory.log());
  size_t count = 0;
  for (std::string line; std::getline(log, line);) count += contains(line, part) ? 1 : 0;
  return count;
}

std::string livenessprobe(const std::string& isolation, const std::string& settings) {
  return "[controllers.probe]\nlibrary = \"" + built_module("livenessprobe") +
         "\"\nisolation = \"" + isolation +
         "\"\nmay_call = [\"longshore.host.v1.Csi/CallIdentity\", \"longshore.host.v1.Http\"]\n" +
         settings;
}

std::string settings_for(const Driver& driver,
                         const std::string& more = "settings.probe_timeout = \"1m\"\n") {
  return "settings.csi_address = \"unix://" + driver.socket +
         "\"\nsettings.http_endpoint = \"127.0.0.1:0\"\n" + more;
}

// A socket of the test's own that listens and answers nothing.
class SilentPort {
 public:
  SilentPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(socket_, 1) == 0);
    REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~SilentPort() { ::close(socket_); }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;

  const std::string& address() const { return address_; }

 private:
  const int socket_;
  std::string address_;
};

}  // namespace

TEST_CASE("What the driver answers to Probe is what /healthz answers") {
  for (const std::string& isolation : kIsolations) {
    INFO(isolation);
    AgentDirectory directory;
    Driver driver(directory);
    driver.run();
    directory.configure(livenessprobe(isolation, settings_for(driver)));
    AgentProcess agent(directory);
    REQUIRE(agent.serves());
    const uint16_t port = port_of(directory);
    const auto healthz = [&] { return http_get(port, "/healthz"); };
    const std::string named = "the CSI driver at \"unix://" + driver.socket + "\"";
    CHECK(healthz().status == 200);
    CHECK(healthz().body == "ok");
    CHECK(healthz().headers["content-type"] == "text/plain; charset=utf-8");
    driver.answer("unset");
    CHECK(healthz().status == 200);
    driver.answer("not-ready");
    CHECK(healthz().status == 500);
    CHECK(healthz().body == named + " is not ready");
    const auto is_told_as = [&](const std::string& trouble) {
      return lines_with(directory, trouble.substr(trouble.rfind('"') + 1)) == 1 &&
             module_of(directory, "probe").degraded() &&
             module_of(directory, "probe").reason() == trouble;
    };
    CHECK(eventually([&] { return is_told_as(named + " is not ready"); }));
    driver.answer("error 13 the array is on fire");
    CHECK(healthz().status == 500);
    const std::string on_fire = "cannot probe " + named + ": INTERNAL: the array is on fire";
    CHECK(healthz().body == on_fire);
    CHECK(eventually([&] { return is_told_as(on_fire); }));
    driver.answer("error 13 ");
    CHECK(healthz().body == "cannot probe " + named + ": INTERNAL without a text");
    driver.answer("error 0");
    CHECK(contains(healthz().body, "INTERNAL: cannot call the CSI driver at \"" + driver.socket +
                                       "\": csi.v1.Identity/Probe ended with OK, but without"));
    CHECK(http_get(port, "/other").status == 404);
    driver.answer("ready");
    CHECK(healthz().status == 200);
    CHECK(eventually([&] { return !module_of(directory, "probe").degraded(); }));
    agent.signal(SIGTERM);
    CHECK(agent.wait() == 0);
  }
}

TEST_CASE("A driver that is not there fails /healthz until it is, and again when it goes") {
  for (const std::string& isolation : kIsolations) {
    INFO(isolation);
    AgentDirectory directory;
    Driver driver(directory);
    directory.configure(livenessprobe(isolation, settings_for(driver)));
    AgentProcess agent(directory);
    REQUIRE(agent.serves());
    const uint16_t port = port_of(directory);
    const auto healthz = [&] { return http_get(port, "/healthz"); };
    const std::string unreachable = "cannot connect to the CSI driver at \"" + driver.socket + "\"";
    CHECK(healthz().status == 500);
    CHECK(contains(healthz().body, unreachable + ": No such file or directory"));
    std::ofstream(driver.socket) << "a file";
    CHECK(healthz().status == 500);
    CHECK(contains(healthz().body, "it is no socket"));
    fs::remove(driver.socket);
    for (int i = 0; i < 2; ++i) {
      driver.run();
      CHECK(healthz().status == 200);
      driver.kill();
      CHECK(healthz().status == 500);
      CHECK(contains(healthz().body, unreachable + ": Connection refused; nobody listens there"));
    }
    driver.run();
    driver.answer("crash");
    CHECK(healthz().status == 500);
    driver.answer("ready");
    driver.run();
    CHECK(healthz().status == 200);
    // It still serves, but nobody new could connect.
    fs::remove(driver.socket);
    CHECK(healthz().status == 500);
    agent.signal(SIGTERM);
    CHECK(agent.wait() == 0);
  }
}

TEST_CASE("A driver that hangs is given up after probe_timeout") {
  for (const std::string& isolation : kIsolations) {
    INFO(isolation);
    AgentDirectory directory;
    Driver driver(directory);
    driver.run();
    directory.configure(
        livenessprobe(isolation, settings_for(driver, "settings.probe_timeout = \"300ms\"\n")));
    AgentProcess agent(directory);
    REQUIRE(agent.serves());
    const uint16_t port = port_of(directory);
    driver.answer("hang");
    const HttpResponse answer = http_get(port, "/healthz");
    CHECK(answer.status == 500);
    CHECK(contains(answer.body, "did not answer within probe_timeout: "));
    CHECK(eventually([&] { return driver.count("cancelled") == 1; }));
    // Stopped, it does not even see that somebody connects.
    REQUIRE(::kill(driver.process->id(), SIGSTOP) == 0);
    CHECK(contains(http_get(port, "/healthz").body, "did not answer within probe_timeout: "));
    REQUIRE(::kill(driver.process->id(), SIGCONT) == 0);
    driver.answer("ready");
    CHECK(eventually([&] { return http_get(port, "/healthz").status == 200; }));
    agent.signal(SIGTERM);
    CHECK(agent.wait() == 0);
  }
}

TEST_CASE("A slow driver has one probe at a time, which ends when nobody waits for it") {
  const std::string request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const std::string& isolation : kIsolations) {
    INFO(isolation);
    AgentDirectory directory;
    Driver driver(directory);
    driver.run();
    driver.answer("hang");
    directory.configure(
        livenessprobe(isolation, settings_for(driver, "settings.probe_timeout = \"5m\"\n")));
    AgentProcess agent(directory);
    REQUIRE(agent.serves());
    const uint16_t port = port_of(directory);
    {
      HttpConnection first(port);
      first.send(request);
      REQUIRE(eventually([&] { return driver.count("probe") == 1; }));
      HttpConnection second(port);
      second.send(request);
      CHECK_FALSE(second.hears(std::chrono::milliseconds(100)));
    }
    CHECK(eventually([&] { return driver.count("cancelled") == 1; }));
    CHECK(driver.count("probe") == 1);
    // The end of the agent waits neither for the driver nor for who asks.
    HttpConnection last(port);
    last.send(request);
    REQUIRE(eventually([&] { return driver.count("probe") == 2; }));
    agent.signal(SIGTERM);
    CHECK(agent.wait() == 0);
    CHECK(eventually([&] { return driver.count("cancelled") == 2; }));
  }
}

TEST_CASE("A port that is taken degrades the controller until it is free; a reload serves on") {
  AgentDirectory directory;
  Driver driver(directory);
  driver.run();
  auto taken = std::make_unique<SilentPort>();
  const std::string address = taken->address();
  const auto configure = [&](const std::string& timeout) {
    directory.configure(
        livenessprobe("in-process", "settings.csi_address = \"" + driver.socket +
                                        "\"\nsettings.http_endpoint = \"" + address +
                                        "\"\nsettings.probe_timeout = \"" + timeout + "\"\n"));
  };
  configure("3s");
  AgentProcess agent(directory);
  REQUIRE(agent.serves());
  CHECK(eventually([&] { return module_of(directory, "probe").degraded(); }));
  const std::string reason = module_of(directory, "probe").reason();
  INFO(reason);
  CHECK(contains(reason, "cannot listen for HTTP on \"" + address + "\": Address already in use"));
  taken.reset();
  const uint16_t port = port_of(directory);
  CHECK(address == "127.0.0.1:" + std::to_string(port));
  CHECK(http_get(port, "/healthz").status == 200);
  CHECK(eventually([&] { return !module_of(directory, "probe").degraded(); }));
  configure("4s");
  REQUIRE(agent.reload());
  const std::string line = "/healthz is served on " + address;
  CHECK(eventually([&] {
    const std::string log = directory.log();
    return log.find(line) != log.rfind(line);
  }));
  CHECK(http_get(port, "/healthz").status == 200);
  agent.signal(SIGTERM);
  CHECK(agent.wait() == 0);
}

TEST_CASE("Settings that cannot be served are told of as a sentence, by a controller that fails") {
  struct Case {
    std::string settings;
    std::string reason;
  };
  const std::string long_path = '/' + std::string(107, 'x');
  const std::vector<Case> cases = {
      {"settings.csi_address = \"127.0.0.1:50051\"\n",
       "cannot use the CSI driver's address \"127.0.0.1:50051\": it is a TCP address, and drivers "
       "are "
       "called by Unix sockets alone; write it as /csi/csi.sock or unix:///csi/csi.sock"},
      {"settings.csi_address = \"unix://csi.sock\"\n", "it is not the absolute path"},
      {"settings.csi_address = \"" + long_path + "\"\n",
       "its path has 108 bytes, and that of a socket 107 at most"},
      {"settings.http_endpoint = \"9808\"\n",
       "cannot serve /healthz at http_endpoint \"9808\": it is no IP address and port"},
      {"settings.http_endpoint = \":9808\"\nsettings.health_port = 9809\n",
       "health_port is set too; leave out health_port"},
  };
  for (const Case& each : cases) {
    INFO(each.settings);
    AgentDirectory directory;
    directory.configure(livenessprobe("in-process", each.settings));
    AgentProcess agent(directory);
    REQUIRE(agent.serves());
    const admin::v1::Module probe = module_of(directory, "probe");
    INFO(probe.reason());
    CHECK(probe.state() == "failed");
    CHECK(contains(probe.reason(), each.reason));
    agent.signal(SIGTERM);
    CHECK(agent.wait() == 0);
  }
}
