// The ports that csi-sidecars is to listen on: each by itself, and beside the others.
#include "sidecars/port_check.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <sstream>
#include <string>

#include "tests/support/held_port.h"

namespace longshore::sidecars {
namespace {

using longshore::test::HeldPort;

struct Start {
  // An empty flag: the option has its default.
  void add(const std::string& controller, const std::string& option, config::OptionValue value,
           const std::string& flag) {
    config::ModuleSettings module;
    module.name = controller;
    module.settings[option] = std::move(value);
    configuration.modules.push_back(std::move(module));
    if (!flag.empty()) line.option_flags[{controller, option}] = flag;
  }
  void add_metrics(const std::string& address, const std::string& flag) {
    configuration.agent.http.address = address;
    line.http_flag = flag;
  }
  std::string check() const {
    std::ostringstream output;
    CheckReport report(output);
    check_ports(line, configuration, report);
    CHECK(report.has_wrong() == (output.str().find("wrong: ") != std::string::npos));
    return output.str();
  }

  CommandLine line;
  config::Configuration configuration;
};

TEST_CASE("of two addresses that exclude each other the one that comes later is wrong") {
  const HeldPort port;
  Start start;
  start.add_metrics("127.0.0.1:" + port.number(), "--metrics-address");
  start.add("livenessprobe", "http_endpoint", ":" + port.number(), "--http-endpoint");
  CHECK(start.check() == "ok: the port of 127.0.0.1:" + port.number() +
                             " is free\n"
                             "wrong: cannot listen for HTTP on \"[::]:" +
                             port.number() +
                             "\": Address already in use; choose another --http-endpoint: "
                             "--metrics-address asks for this port, too\n");
}

TEST_CASE("an address that is written in two ways is listened on once") {
  const HeldPort port;
  Start start;
  start.add_metrics("127.0.0.1:" + port.number(), "--metrics-address");
  start.add("livenessprobe", "http_endpoint", "localhost:" + port.number(), "--http-endpoint");
  CHECK(start.check() == "ok: the port of 127.0.0.1:" + port.number() + " is free\n");
}

TEST_CASE("a port that another program has is told with the flags that ask for it") {
  HeldPort port;
  port.listen();
  Start start;
  const auto number = static_cast<int64_t>(std::stoi(port.number()));
  SECTION("of metrics and of a controller") {
    start.add_metrics("[::]:" + port.number(), "--http-endpoint");
    start.add("livenessprobe", "http_endpoint", ":" + port.number(), "--http-endpoint");
    CHECK_THAT(start.check(), Catch::EndsWith("in use; choose another --http-endpoint\n"));
  }
  SECTION("of two controllers, one by its default") {
    start.add("livenessprobe", "health_port", number, "");
    start.add("node-driver-registrar", "http_endpoint", ":" + port.number(), "--http-endpoint");
    CHECK_THAT(start.check(),
               Catch::EndsWith(
                   "in use; choose another --livenessprobe-health-port and --http-endpoint\n"));
  }
}

TEST_CASE("what is no port, or any, is not listened on") {
  Start start;
  start.add_metrics("unix:///run/http.sock", "--metrics-address");
  start.add("livenessprobe", "http_endpoint", "127.0.0.1:0", "--http-endpoint");
  start.add("node-driver-registrar", "health_port", int64_t{0}, "");
  start.add("disabled", "http_endpoint", "127.0.0.1:1", "");
  start.configuration.modules.back().enabled = false;
  CHECK(start.check().empty());
}

}  // namespace
}  // namespace longshore::sidecars
