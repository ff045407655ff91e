// Each call says that it would hang on its portal, however that is written, and asks nobody when it
// is refused.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "tests/support/build_tree.h"
#include "tests/support/outcome.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wire_writer.h"

namespace longshore::iscsi {
namespace {

using test::WireWriter;

const std::vector<std::string> kMethods = {"AddTargetPortal",    "DiscoverTargetPortal",
                                           "RemoveTargetPortal", "ConnectTarget",
                                           "DisconnectTarget",   "GetTargetDisks"};

std::string request_for(const std::string& address, uint64_t port, const std::string& name) {
  return WireWriter().text(1, WireWriter().text(1, address).number(2, port).bytes()).text(2, name);
}

TEST_CASE("every call hangs on its portal") {
  const std::string target = "iqn.2001-04.org.example:disks";
  const test::TemporaryDirectory directory;
  const testing::ModuleFile file(test::built_module("iscsi"));
  testing::FakeHost host(file.entry());
  REQUIRE(host.start({.settings = {{"iscsiadm", directory / "no-iscsiadm"},
                                   {"database", directory.path().string()}}}));
  const auto call = [&](const std::string& method, const std::string& request) {
    return test::outcome(host.begin_bytes(method, request).wait_for_all_bytes());
  };

  for (const std::string& method : kMethods) {
    CHECK(call("v1alpha2.Iscsi/" + method, "") == "INVALID_ARGUMENT");
  }
  CHECK(call("v1alpha2.Iscsi/ConnectTarget", request_for("192.0.2.1", 0, "no name")) ==
        "INVALID_ARGUMENT");
  CHECK(call("v1alpha2.Iscsi/ListTargetPortals", "") == "OK");
  CHECK(host.bulkheads().empty());

  std::vector<std::string> expected;
  for (const std::string version : {"v1alpha1.Iscsi/", "v1alpha2.Iscsi/"}) {
    for (const std::string& method : kMethods) {
      CAPTURE(version, method);
      call(version + method, request_for("192.0.2.1", 0, target));
      call(version + method, request_for("2001:DB8:0::1", 3261, target));
      expected.insert(expected.end(), {"192.0.2.1:3260", "[2001:db8::1]:3261"});
    }
  }
  CHECK(host.bulkheads() == expected);

  host.fill_bulkhead("192.0.2.1:3260");
  for (const std::string& method : kMethods) {
    CAPTURE(method);
    const auto refused =
        host.begin_bytes("v1alpha2.Iscsi/" + method, request_for("192.0.2.1", 3260, target))
            .wait_for_all_bytes();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == StatusCode::kUnavailable);
    CHECK_THAT(refused.error().message(), Catch::Contains("earlier calls for it are stuck"));
  }
}

}  // namespace
}  // namespace longshore::iscsi
