// The module as its file, under Windows: settings, and its methods called with bytes.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/build_tree.h"
#include "tests/support/loaded_module.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/system/windows/trial_services.h"

namespace longshore::system {
namespace {

using test::LoadedModule;
using test::WireWriter;

// A started module that may start and stop the services named.
class Served {
 public:
  explicit Served(const std::vector<std::string>& allowed = {}) {
    auto settings = module_.default_settings();
    for (const std::string& name : allowed) {
      (*settings.mutable_values())["allowed_services"].mutable_strings_value()->add_values(name);
    }
    REQUIRE(module_.start(settings));
  }
  ~Served() { CHECK(module_.stop()); }

  // The answer's bytes, or the code's name.
  std::string call(const std::string& method, const std::string& request) {
    const auto answer = module_.call("v1alpha1.System/" + method, request);
    return answer ? *answer : status_code_name(answer.error().code());
  }

 private:
  LoadedModule module_{test::built_module("system")};
};

std::string name(const std::string& service) { return WireWriter().text(1, service); }

TEST_CASE("a service is taken through its life") {
  const TrialService service("longshore-wire");
  Served served({"Longshore-Wire"});
  const auto state = [](uint64_t status) {
    return WireWriter()
        .text(1, "The service longshore-wire")
        .number(2, 3)
        .number(3, status)
        .bytes();
  };
  CHECK(served.call("GetService", name("longshore-wire")) == state(1));
  CHECK(served.call("StartService", name("longshore-wire")) == "");
  CHECK(served.call("GetService", name("longshore-wire")) == state(4));
  CHECK(served.call("StartService", name("LONGSHORE-WIRE")) == "");
  CHECK(served.call("StopService", name("longshore-wire")) == "");
  CHECK(served.call("GetService", name("longshore-wire")) == state(1));
}

TEST_CASE("the default settings allow the iSCSI initiator and nothing else") {
  const TrialService service("longshore-other");
  Served served;
  CHECK(served.call("StartService", name("longshore-other")) == "PERMISSION_DENIED");
  CHECK(served.call("StopService", name("longshore-other")) == "PERMISSION_DENIED");
  // Wine has no such service.
  CHECK(served.call("StartService", name("msiscsi")) == "NOT_FOUND");
}

TEST_CASE("bad requests are refused") {
  Served served;
  CHECK(served.call("GetService", "") == "INVALID_ARGUMENT");
  CHECK(served.call("GetService", "\x0a\xff") == "INVALID_ARGUMENT");
  CHECK(served.call("GetService", name("a\\b")) == "INVALID_ARGUMENT");
  CHECK(served.call("StartService", "") == "INVALID_ARGUMENT");
  CHECK(served.call("RestartService", name("MSiSCSI")) == "UNIMPLEMENTED");
}

TEST_CASE("the module does not start with a name that is none") {
  LoadedModule module(test::built_module("system"));
  auto settings = module.default_settings();
  (*settings.mutable_values())["allowed_services"].mutable_strings_value()->add_values("a/b");
  const Result<void> started = module.start(settings);
  REQUIRE_FALSE(started);
  CHECK_THAT(started.error().message(), Catch::Contains("use as an allowed service \"a/b\""));
}

}  // namespace
}  // namespace longshore::system
