// The module as its file, under Windows: its methods called with bytes. Wine has no initiator, so
// that a request gets no farther than to be told so.
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/build_tree.h"
#include "tests/support/loaded_module.h"
#include "tests/support/wire_writer.h"

namespace longshore::iscsi {
namespace {

using test::LoadedModule;
using test::WireWriter;

class Served {
 public:
  Served() { REQUIRE(module_.start(module_.default_settings())); }
  ~Served() { CHECK(module_.stop()); }

  // The code's name.
  std::string call(const std::string& method, const std::string& request) {
    const auto answer = module_.call(method, request);
    text_ = answer ? "" : answer.error().message();
    return answer ? "OK" : status_code_name(answer.error().code());
  }
  const std::string& error_text() const { return text_; }

 private:
  LoadedModule module_{test::built_module("iscsi")};
  std::string text_;
};

std::string portal(const std::string& address, uint64_t port = 0) {
  return WireWriter().text(1, WireWriter().text(1, address).number(2, port).bytes());
}

TEST_CASE("bad requests are refused before the initiator is asked") {
  Served served;
  const std::string service = GENERATE("v1alpha1.Iscsi/", "v1alpha2.Iscsi/");
  for (const char* const method : {"AddTargetPortal", "DiscoverTargetPortal", "RemoveTargetPortal",
                                   "ConnectTarget", "DisconnectTarget", "GetTargetDisks"}) {
    CAPTURE(method);
    CHECK(served.call(service + method, "") == "INVALID_ARGUMENT");
    CHECK(served.call(service + method, portal("192.0.2.1", 65536)) == "INVALID_ARGUMENT");
    CHECK(served.call(service + method, portal("-o", 1)) == "INVALID_ARGUMENT");
  }
}

TEST_CASE("the secret of MUTUAL_CHAP has a length, and stands in no error") {
  Served served;
  const std::string method = "v1alpha2.Iscsi/SetMutualChapSecret";
  CHECK(served.call(method, WireWriter().text(1, "short")) == "INVALID_ARGUMENT");
  CHECK(served.call(method, WireWriter().text(1, std::string(17, 'x'))) == "INVALID_ARGUMENT");
  CHECK(served.call("v1alpha1.Iscsi/SetMutualChapSecret", "") == "UNIMPLEMENTED");
  // There is nobody to keep it.
  CHECK(served.call(method, WireWriter().text(1, "t0psecret-t0p")) != "OK");
  CHECK(served.error_text().find("t0psecret") == std::string::npos);
}

TEST_CASE("a Windows without an initiator says so") {
  Served served;
  CHECK(served.call("v1alpha2.Iscsi/ListTargetPortals", "") != "OK");
  CHECK_THAT(served.error_text(), Catch::Contains("cannot list the portals"));
  CHECK(served.call("v1alpha2.Iscsi/AddTargetPortal", portal("192.0.2.1")) != "OK");
}

}  // namespace
}  // namespace longshore::iscsi
