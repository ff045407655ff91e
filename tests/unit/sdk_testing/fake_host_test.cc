#include "longshore/testing/fake_host.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/sdk_testing/echo_module.h"

namespace longshore::testing {
namespace {

using namespace echo::v1;
using std::chrono::seconds;

TEST_CASE("a module is started, called and ended without a violation") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  const auto answer = host.call<SayResponse>(echo_method("Say"), say_request("well"));
  REQUIRE(answer.ok());
  CHECK(answer->text() == "well");
  CHECK(host.end() == std::vector<std::string>());
}

TEST_CASE("what stop hands over is what the next start takes") {
  FakeHost first(echo_entry());
  REQUIRE(first.start().ok());
  const auto handover = first.stop();
  REQUIRE(handover.ok());

  FakeHost second(echo_entry());
  REQUIRE(second.start({.handover = *handover}).ok());
  const auto answer = second.call<DescribeResponse>(echo_method("Describe"), DescribeRequest());
  REQUIRE(answer.ok());
  CHECK(answer->started_after_upgrades() == 1);
}

TEST_CASE("a handler sees who calls and what time is left") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  const auto answer = host.call<DescribeResponse>(echo_method("Describe"), DescribeRequest(),
                                                  {.timeout = seconds(3600),
                                                   .caller = "module:volume",
                                                   .on_behalf_of = "uid:7",
                                                   .request_id = "r-1"});
  REQUIRE(answer.ok());
  CHECK(answer->caller() == "module:volume");
  CHECK(answer->on_behalf_of() == "uid:7");
  CHECK(answer->request_id() == "r-1");
  CHECK(answer->remaining_ms() > 3'590'000);

  const auto direct = host.call<DescribeResponse>(echo_method("Describe"), DescribeRequest());
  REQUIRE(direct.ok());
  CHECK(direct->on_behalf_of() == "uid:0");
  CHECK(direct->remaining_ms() == -1);
}

TEST_CASE("errors and exceptions of a handler come as errors") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  FailRequest request;
  request.set_code(5);
  request.set_text("not here");
  const auto answer = host.call<FailResponse>(echo_method("Fail"), request);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code() == StatusCode::kNotFound);
  CHECK(answer.error().message() == "not here");

  request.set_by_exception(true);
  CHECK(host.call<FailResponse>(echo_method("Fail"), request).error().code() ==
        StatusCode::kInternal);
  CHECK(host.begin_bytes(echo_method("Say"), "\xff").wait_for_all_bytes().error().code() ==
        StatusCode::kInvalidArgument);
  CHECK(host.violations() == std::vector<std::string>());
}

TEST_CASE("calls that cannot reach the module fail as the agent's would") {
  FakeHost host(echo_entry());
  const auto code_of = [&](const char* method) {
    const auto answer = host.call<SayResponse>(echo_method(method), say_request("x"));
    return answer ? StatusCode::kOk : answer.error().code();
  };
  CHECK(code_of("Say") == StatusCode::kUnavailable);
  REQUIRE(host.start().ok());
  CHECK(code_of("Say") == StatusCode::kOk);
  CHECK(code_of("Shout") == StatusCode::kUnimplemented);
  REQUIRE(host.stop().ok());
  CHECK(code_of("Say") == StatusCode::kUnavailable);
  CHECK_FALSE(host.stop().ok());
  CHECK_FALSE(host.start().ok());
  CHECK(host.violations() == std::vector<std::string>());
}

TEST_CASE("the messages of a stream are collected") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  const auto counted = host.call_stream<CountResponse>(echo_method("Count"), count_request(3));
  REQUIRE(counted.ok());
  REQUIRE(counted->size() == 3);
  CHECK((*counted)[2].number() == 2);
  CHECK(host.call_stream<CountResponse>(echo_method("Count"), count_request(0))->empty());
}

TEST_CASE("a stream comes as far as there is credit") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  auto call = host.begin_on_thread(echo_method("Count"), count_request(4), {.credit = 1});
  REQUIRE(call.next<CountResponse>().has_value());
  CHECK_FALSE(call.finished());
  call.grant(2);
  CHECK(call.next<CountResponse>()->number() == 1);
  CHECK(call.next<CountResponse>()->number() == 2);
  CHECK_FALSE(call.finished());
  call.grant(1);
  const auto rest = call.wait_for_all<CountResponse>();
  REQUIRE(rest.ok());
  REQUIRE(rest->size() == 1);
  CHECK(rest->front().number() == 3);
  CHECK_FALSE(call.next<CountResponse>().has_value());
}

TEST_CASE("a stream without credit ends when it is cancelled") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  auto call = host.begin_on_thread(echo_method("Count"), count_request(4), {.credit = 1});
  REQUIRE(call.next<CountResponse>().has_value());
  call.cancel();
  const auto rest = call.wait_for_all<CountResponse>();
  REQUIRE_FALSE(rest.ok());
  CHECK(rest.error().code() == StatusCode::kCancelled);
  CHECK(host.end() == std::vector<std::string>());
}

TEST_CASE("a handler that blocks is cancelled, and what it answers is seen") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  auto call = host.begin_on_thread(echo_method("Wait"), wait_request(3'600'000));
  call.cancel();
  const auto answer = call.wait<WaitResponse>();
  REQUIRE(answer.ok());
  CHECK(answer->cancelled());
}

TEST_CASE("the end of the host cancels what still runs") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  auto call = host.begin_on_thread(echo_method("Wait"), wait_request(3'600'000));
  CHECK(host.end() == std::vector<std::string>());
  CHECK(call.wait<WaitResponse>()->cancelled());
}

TEST_CASE("a file that is no module is not loaded") {
  CHECK_THROWS_WITH(ModuleFile("/nonexistent/longshore-none.so"),
                    Catch::Contains("/nonexistent/longshore-none.so"));
  CHECK_THROWS_WITH(ModuleFile(LIBRARY_WITHOUT_ENTRY),
                    Catch::Contains("exports no longshore_module"));
}

TEST_CASE("a method that is not described reaches the module only if the test says so") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  const auto kept = host.begin_bytes("no.such/Method", "").wait_for_all_bytes();
  CHECK_THAT(kept.error().message(),
             Catch::Contains("the module's description has no such method"));
  const auto passed =
      host.begin_bytes("no.such/Method", "", {.described_only = false}).wait_for_all_bytes();
  CHECK(passed.error().message() == "the module has no method no.such/Method");
  CHECK(host.end().empty());
}

}  // namespace
}  // namespace longshore::testing
