// One set of handlers under the names of several services.
#include <catch2/catch.hpp>

#include "longshore/module.hpp"
#include "tests/unit/sdk_testing/echo_module.h"

namespace longshore::testing {
namespace {

using echo::v1::SayRequest;
using echo::v1::SayResponse;

// "new.Echo" has a method more than "old.Echo" and "older.Echo"; "old.Echo" answers one of them in
// its own way.
class ThreeVersions final : public Module {
 public:
  Result<void> start(const Settings&, std::string_view) override {
    add_service("new.Echo", *this)
        .unary("Louder", &ThreeVersions::louder)
        .unary("Name", &ThreeVersions::new_name)
        .also_as("old.Echo")
        .also_as("older.Echo")
        .unary("Say", &ThreeVersions::say)
        .async("SayLater", &ThreeVersions::say_later);
    add_service("old.Echo", *this).unary("Name", &ThreeVersions::old_name);
    return {};
  }

 private:
  static SayResponse response(const std::string& text) {
    SayResponse response;
    response.set_text(text);
    return response;
  }
  Result<SayResponse> say(Context, const SayRequest& request) { return response(request.text()); }
  void say_later(Context, SayRequest request, Reply<SayResponse> reply) {
    reply(response(request.text()));
  }
  Result<SayResponse> louder(Context, const SayRequest& request) {
    return response(request.text() + "!");
  }
  Result<SayResponse> new_name(Context, const SayRequest&) { return response("new"); }
  Result<SayResponse> old_name(Context, const SayRequest&) { return response("old"); }
};

const longshore_module_entry& three_versions() {
  static longshore_module_entry entry = echo_entry();
  entry.create = &longshore::detail::Trampolines<ThreeVersions>::create;
  return entry;
}

// The answer's text, or the code's name. No description has these services.
std::string said(FakeHost& host, const std::string& method) {
  const auto answer =
      host.call<SayResponse>(method, say_request("hello"), {.described_only = false});
  return answer ? answer->text() : status_code_name(answer.error().code());
}

TEST_CASE("services that share handlers have the methods that follow their names") {
  FakeHost host(three_versions());
  REQUIRE(host.start().ok());
  for (const std::string service : {"new.Echo", "old.Echo", "older.Echo"}) {
    CAPTURE(service);
    CHECK(said(host, service + "/Say") == "hello");
    CHECK(said(host, service + "/SayLater") == "hello");
  }
  CHECK(said(host, "new.Echo/Louder") == "hello!");
  CHECK(said(host, "old.Echo/Louder") == "UNIMPLEMENTED");
  CHECK(said(host, "older.Echo/Louder") == "UNIMPLEMENTED");
}

TEST_CASE("a service can share handlers and have some of its own") {
  FakeHost host(three_versions());
  REQUIRE(host.start().ok());
  CHECK(said(host, "new.Echo/Name") == "new");
  CHECK(said(host, "old.Echo/Name") == "old");
  CHECK(said(host, "older.Echo/Name") == "UNIMPLEMENTED");
}

TEST_CASE("a request that is no message is refused by the name of the service that was called") {
  FakeHost host(three_versions());
  REQUIRE(host.start().ok());
  const auto answer =
      host.begin_bytes("older.Echo/Say", "\xff", {.described_only = false}).wait<SayResponse>();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(answer.error().message(), Catch::Contains("older.Echo/Say"));
}

}  // namespace
}  // namespace longshore::testing
