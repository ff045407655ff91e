// Methods that the module under test invokes: the test is what answers.
#include <catch2/catch.hpp>

#include "longshore/context.hpp"
#include "tests/unit/sdk_testing/echo_module.h"
#include "tests/unit/sdk_testing/liar.h"

namespace longshore::testing {
namespace {

using namespace echo::v1;
using std::chrono::seconds;

constexpr const char* kOther = "v1.Other/Do";

TEST_CASE("the test answers what the module invokes") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  host.answer<SayRequest>(kOther, [](const SayRequest& request) -> Result<SayResponse> {
    SayResponse response;
    response.set_text(request.text() + "!");
    return response;
  });
  const auto answer = host.call<ForwardResponse>(
      echo_method("Forward"), forward_request(kOther, say_request("heard").SerializeAsString()));
  REQUIRE(answer.ok());
  SayResponse inner;
  REQUIRE(inner.ParseFromString(answer->response()));
  CHECK(inner.text() == "heard!");
  CHECK(host.invocations_of(kOther) ==
        std::vector<std::string>{say_request("heard").SerializeAsString()});
}

TEST_CASE("errors of what is invoked reach the module") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  host.answer<SayRequest>(kOther, [](const SayRequest&) -> Result<SayResponse> {
    return Error(StatusCode::kNotFound, "find it");
  });
  const auto code_of = [&](const std::string& method, const std::string& bytes) {
    const auto answer =
        host.call<ForwardResponse>(echo_method("Forward"), forward_request(method, bytes));
    return answer ? StatusCode::kOk : answer.error().code();
  };
  CHECK(code_of(kOther, "") == StatusCode::kNotFound);
  CHECK(code_of(kOther, "\xff") == StatusCode::kInvalidArgument);
  CHECK(code_of("v1.Absent/Do", "") == StatusCode::kUnimplemented);
}

TEST_CASE("an invocation that is held ends with the call that it belongs to") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  host.hold(kOther);
  auto call = host.begin_on_thread(echo_method("Forward"), forward_request(kOther, ""));
  REQUIRE(host.await_invocations(kOther, 1));
  CHECK_FALSE(call.finished());
  SECTION("by cancelling") { call.cancel(); }
  SECTION("by the end of the host") { CHECK(host.end() == std::vector<std::string>()); }
  CHECK(call.wait<ForwardResponse>().error().code() == StatusCode::kCancelled);
}

TEST_CASE("an invocation has the deadline of its call") {
  FakeHost host(echo_entry());
  REQUIRE(host.start().ok());
  host.hold(kOther);
  auto call = host.begin_on_thread(echo_method("Forward"), forward_request(kOther, ""),
                                   {.timeout = seconds(2)});
  REQUIRE(host.await_invocations(kOther, 1));
  host.advance(seconds(2));
  CHECK_FALSE(call.wait<ForwardResponse>().ok());
}

// What the completions of one invocation have brought.
struct Heard {
  std::vector<std::string> messages;
  int finishes = 0;
  longshore_status_code code = -1;

  longshore_invoke_request request(uint32_t credit) {
    longshore_invoke_request request{};
    request.struct_size = sizeof(request);
    request.credit = credit;
    request.method = to_bytes(kOther);
    request.user = this;
    request.on_message = [](void* user, longshore_invocation, longshore_bytes message) {
      static_cast<Heard*>(user)->messages.emplace_back(to_view(message));
    };
    request.on_finish = [](void* user, longshore_invocation, longshore_status_code outcome,
                           longshore_bytes) {
      auto& self = *static_cast<Heard*>(user);
      ++self.finishes;
      self.code = outcome;
    };
    return request;
  }
};

TEST_CASE("a stream that is invoked comes as far as the module grants") {
  Heard heard;
  longshore_invocation invocation = 0;
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    const auto request = heard.request(1);
    CHECK(liar.host->invoke(liar.host, &request, &invocation) == LONGSHORE_OK);
    liar.answer(call);
  };
  FakeHost host(liar.entry());
  REQUIRE(host.start().ok());
  host.answer_stream<SayRequest>(kOther, [](const SayRequest&) -> Result<std::vector<SayResponse>> {
    return std::vector<SayResponse>(3);
  });
  REQUIRE(host.call<SayResponse>(echo_method("Say"), say_request("")).ok());
  CHECK(heard.messages.size() == 1);
  CHECK(heard.finishes == 0);
  SECTION("and ends when all is taken") {
    CHECK(liar.host->grant(liar.host, invocation, 2) == LONGSHORE_OK);
    CHECK(heard.messages.size() == 3);
    CHECK(heard.code == 0);
  }
  SECTION("and ends when the module cancels it") {
    CHECK(liar.host->cancel(liar.host, invocation) == LONGSHORE_OK);
    CHECK(heard.messages.size() == 1);
    CHECK(heard.code == static_cast<int32_t>(StatusCode::kCancelled));
  }
  SECTION("and ends when the module is stopped") {
    REQUIRE(host.stop().ok());
    CHECK(heard.code == static_cast<int32_t>(StatusCode::kCancelled));
  }
  CHECK(heard.finishes == 1);
  CHECK(liar.host->cancel(liar.host, invocation) == LONGSHORE_STALE);
  CHECK(liar.host->grant(liar.host, invocation, 1) == LONGSHORE_STALE);
}

}  // namespace
}  // namespace longshore::testing
