// The module as its file: description, settings, and its methods called with bytes.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/build_tree.h"
#include "tests/support/loaded_module.h"
#include "tests/support/private_bus.h"
#include "tests/support/systemd_stand_in.h"
#include "tests/support/wire_writer.h"

namespace longshore::system {
namespace {

using test::LoadedModule;
using test::WireWriter;

// A started module on a private bus.
class Served {
 public:
  Served() {
    auto settings = module_.default_settings();
    (*settings.mutable_values())["bus_address"].set_string_value(bus_.address());
    REQUIRE(module_.start(settings));
  }
  ~Served() { CHECK(module_.stop()); }

  // The answer's bytes, or the code's name.
  std::string call(const std::string& method, const std::string& request) {
    const auto answer = module_.call("v1alpha1.System/" + method, request);
    return answer ? *answer : status_code_name(answer.error().code());
  }
  test::SystemdStandIn& systemd() { return systemd_; }

 private:
  test::PrivateBus bus_;
  test::SystemdStandIn systemd_{bus_.address()};
  LoadedModule module_{test::built_module("system")};
};

std::string name(const std::string& service) { return WireWriter().text(1, service); }

TEST_CASE("a service is taken through its life") {
  Served served;
  served.systemd().put("iscsid.service", {.description = "iSCSI initiator daemon"});
  const auto state = [](uint64_t status) {
    return WireWriter().text(1, "iSCSI initiator daemon").number(2, 2).number(3, status).bytes();
  };
  CHECK(served.call("GetService", name("iscsid")) == state(1));
  CHECK(served.call("StartService", name("iscsid")) == "");
  CHECK(served.call("GetService", name("iscsid")) == state(4));
  CHECK(served.call("StartService", name("iscsid.service")) == "");
  CHECK(served.call("StopService", name("iscsid")) == "");
  CHECK(served.call("GetService", name("iscsid")) == state(1));
  CHECK(served.call("StopService", name("iscsid")) == "");
}

TEST_CASE("every state and start type has its number on the wire") {
  Served served;
  const auto [active_state, status] = GENERATE(table<std::string, uint64_t>({
      {"inactive", 1},
      {"activating", 2},
      {"deactivating", 3},
      {"active", 4},
  }));
  const auto [file_state, type] = GENERATE(table<std::string, uint64_t>({
      {"enabled", 2},
      {"disabled", 3},
      {"masked", 4},
  }));
  served.systemd().put("a.service", {.active_state = active_state, .unit_file_state = file_state});
  CHECK(served.call("GetService", name("a")) ==
        WireWriter().number(2, type).number(3, status).bytes());
}

TEST_CASE("force is taken from the wire") {
  Served served;
  served.systemd().put("iscsid.service", {.active_state = "active", .required_by = {"b.service"}});
  served.systemd().put("b.service", {.active_state = "active"});
  CHECK(served.call("StopService", name("iscsid")) == "FAILED_PRECONDITION");
  // With force the dependant is reached, which the default settings do not allow.
  CHECK(served.call("StopService", WireWriter().text(1, "iscsid").number(2, 1)) ==
        "PERMISSION_DENIED");
}

TEST_CASE("the default settings allow the iSCSI initiator and nothing else") {
  Served served;
  served.systemd().put("ssh.service", {.active_state = "active"});
  CHECK(served.call("StopService", name("ssh")) == "PERMISSION_DENIED");
  CHECK(served.call("StartService", name("iscsid")) == "NOT_FOUND");
  CHECK(served.call("GetService", name("ssh")) == WireWriter().number(2, 2).number(3, 4).bytes());
}

TEST_CASE("bad requests are refused") {
  Served served;
  CHECK(served.call("GetService", "") == "INVALID_ARGUMENT");
  CHECK(served.call("GetService", "\x0a\xff") == "INVALID_ARGUMENT");
  CHECK(served.call("GetService", name("x.mount")) == "INVALID_ARGUMENT");
  CHECK(served.call("StartService", "") == "INVALID_ARGUMENT");
  CHECK(served.call("RestartService", name("iscsid")) == "UNIMPLEMENTED");
}

TEST_CASE("the serial number is this machine's") {
  Served served;
  std::ifstream file("/sys/class/dmi/id/product_serial");
  std::string serial;
  std::getline(file, serial);
  const std::string answer = served.call("GetBIOSSerialNumber", "");
  if (!serial.empty()) {
    CHECK(answer.find(serial.substr(0, serial.find_last_not_of(' ') + 1)) != std::string::npos);
  } else {
    CHECK((answer == "NOT_FOUND" || answer == "PERMISSION_DENIED"));
  }
}

TEST_CASE("the module does not start with a name that is none") {
  LoadedModule module(test::built_module("system"));
  auto settings = module.default_settings();
  (*settings.mutable_values())["allowed_services"].mutable_strings_value()->add_values("a b");
  const Result<void> started = module.start(settings);
  REQUIRE_FALSE(started);
  CHECK_THAT(started.error().message(), Catch::Contains("use as an allowed service \"a b\""));
}

}  // namespace
}  // namespace longshore::system
