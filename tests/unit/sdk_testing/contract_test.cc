// Modules that break the contract of abi.h, each in one way, and the sentence that says so.
#include <catch2/catch.hpp>
#include <optional>
#include <stdexcept>

#include "longshore/context.hpp"
#include "tests/unit/sdk_testing/echo_module.h"
#include "tests/unit/sdk_testing/liar.h"

namespace longshore::testing {
namespace {

using namespace echo::v1;
using std::chrono::milliseconds;

using Sentences = std::vector<std::string>;

// The liar in a host through a whole life, with one call.
Sentences life_of(Liar& liar, milliseconds patience = std::chrono::seconds(30)) {
  FakeHost host(liar.entry(), patience);
  if (host.start()) {
    static_cast<void>(host.begin(echo_method("Say"), say_request("x")).wait<SayResponse>());
  }
  return host.end();
}

void check_fault(const Sentences& sentences, const std::string& expected) {
  REQUIRE(sentences.size() == 1);
  CHECK_THAT(sentences.front(), Catch::Contains(expected));
}

void ignore(void*, longshore_result) {}

TEST_CASE("the liar that does not lie is found to have done nothing") {
  Liar liar;
  CHECK(life_of(liar) == Sentences());
}

TEST_CASE("a call that is finished twice is found") {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    liar.answer(call);
    CHECK(liar.finish(call, 13) == LONGSHORE_STALE);
  };
  check_fault(life_of(liar),
              "finish was given call 2 (longshore.echo.v1.Echo/Say), which is finished already");
}

TEST_CASE("an answer after the end is found") {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    liar.answer(call);
    CHECK(liar.send(call) == LONGSHORE_STALE);
  };
  check_fault(life_of(liar), "send was given call 2");
}

TEST_CASE("a handle that was never given is found") {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    CHECK(liar.finish(call + 1000) == LONGSHORE_STALE);
    liar.answer(call);
  };
  check_fault(life_of(liar), "which does not exist");
}

TEST_CASE("asking after the state of a call that is over is no fault") {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    liar.answer(call);
    CHECK(Context(liar.host, call).cancelled());
    CHECK(Context(liar.host, call).caller().empty());
  };
  CHECK(life_of(liar) == Sentences());
}

TEST_CASE("a second answer to a unary call is found") {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    liar.send(call);
    CHECK(liar.send(call) == LONGSHORE_REFUSED);
    liar.finish(call);
  };
  check_fault(life_of(liar), "a second message was sent");
}

TEST_CASE("success without an answer is found") {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) { liar.finish(call); };
  check_fault(life_of(liar), "ended well, but without an answer");
}

TEST_CASE("an answer that is no message is found") {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    liar.send(call, "\xff");
    liar.finish(call);
  };
  check_fault(life_of(liar), "is not a valid message");
}

TEST_CASE("a status code that gRPC does not have is found") {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) { liar.finish(call, 17); };
  check_fault(life_of(liar), "with the code 17");
}

TEST_CASE("bytes at no address are found") {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    CHECK(liar.host->send(liar.host, call, {nullptr, 5}) == LONGSHORE_REFUSED);
    liar.answer(call);
  };
  check_fault(life_of(liar), "send was given bytes at no address");
}

TEST_CASE("a call that is never finished is found") {
  Liar liar;
  liar.on_invoke = [](longshore_call) {};
  const Sentences sentences = life_of(liar, milliseconds(20));
  REQUIRE(sentences.size() == 2);
  CHECK_THAT(sentences[0], Catch::Contains("Say was not answered in time"));
  CHECK_THAT(sentences[1],
             Catch::Contains("call 2 (longshore.echo.v1.Echo/Say) was never finished"));
}

TEST_CASE("a call that outlives the host touches nothing") {
  Liar liar;
  int told = 0;
  liar.on_invoke = [](longshore_call) {};
  liar.on_cancel = [&](longshore_call) { ++told; };
  std::optional<PendingCall> call;
  {
    FakeHost host(liar.entry(), milliseconds(20));
    REQUIRE(host.start().ok());
    call = host.begin(echo_method("Say"), say_request("x"));
    check_fault(host.end(), "was never finished");
  }
  CHECK(told == 1);
  call->cancel();
  call->grant(1);
  CHECK(told == 1);
  CHECK_FALSE(call->finished());
}

TEST_CASE("a start and a stop that are never finished are found") {
  Liar liar;
  SECTION("start") {
    liar.on_start = [](longshore_call) {};
    CHECK_THAT(life_of(liar, milliseconds(20)).at(0), Catch::Contains("start was not answered"));
  }
  SECTION("stop") {
    liar.on_stop = [](longshore_call) {};
    CHECK_THAT(life_of(liar, milliseconds(20)).at(0), Catch::Contains("stop was not answered"));
  }
}

TEST_CASE("a start that fails is an error, and the instance is destroyed") {
  Liar liar;
  bool destroyed = false;
  liar.on_start = [&](longshore_call call) { liar.finish(call, 9); };
  liar.on_destroy = [&] { destroyed = true; };
  FakeHost host(liar.entry());
  REQUIRE_FALSE(host.start().ok());
  CHECK_FALSE(host.stop().ok());
  CHECK(host.end() == Sentences());
  CHECK(destroyed);
}

TEST_CASE("work after the stop is found") {
  Liar liar;
  SECTION("a posted function") {
    liar.on_destroy = [&] {
      CHECK(liar.post(milliseconds(0), &ignore, nullptr) == LONGSHORE_REFUSED);
    };
    check_fault(life_of(liar), "a function was posted after the stop");
  }
  SECTION("an invocation") {
    liar.on_destroy = [&] {
      longshore_invoke_request request{};
      request.struct_size = sizeof(request);
      request.method = to_bytes("v1.Other/Do");
      request.on_finish = [](void*, longshore_invocation, longshore_status_code, longshore_bytes) {
      };
      longshore_invocation invocation = 0;
      CHECK(liar.host->invoke(liar.host, &request, &invocation) == LONGSHORE_REFUSED);
    };
    check_fault(life_of(liar), "v1.Other/Do was invoked after the stop");
  }
}

TEST_CASE("using the host after destroy is found") {
  Liar liar;
  FakeHost host(liar.entry());
  REQUIRE(host.start().ok());
  REQUIRE(host.end() == Sentences());
  CHECK(liar.post(milliseconds(0), &ignore, nullptr) == LONGSHORE_REFUSED);
  check_fault(host.violations(), "post was called after destroy");
}

TEST_CASE("a create that does more than logging is found") {
  Liar liar;
  liar.on_create = [&] {
    liar.host->log(liar.host, LONGSHORE_LOG_INFO, 0, to_bytes("good morning"));
    liar.post(milliseconds(0), &ignore, nullptr);
    return LONGSHORE_OK;
  };
  FakeHost host(liar.entry());
  CHECK(host.logged("good morning"));
  check_fault(host.end(), "create may only log, but called post");
}

TEST_CASE("wrong arguments of post and invoke are found") {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    CHECK(liar.post(milliseconds(-1), &ignore, nullptr) == LONGSHORE_REFUSED);
    longshore_invocation invocation = 0;
    CHECK(liar.host->invoke(liar.host, nullptr, &invocation) == LONGSHORE_REFUSED);
    CHECK(liar.host->call_info(liar.host, call, nullptr) == LONGSHORE_REFUSED);
    liar.answer(call);
  };
  CHECK(life_of(liar).size() == 3);
}

TEST_CASE("an exception that leaves a function is found") {
  Liar liar;
  liar.on_invoke = [&](longshore_call call) {
    liar.answer(call);
    throw std::runtime_error("oops");
  };
  check_fault(life_of(liar), "an exception left invoke: oops");
}

TEST_CASE("an entry that no agent would load is found, and every call fails") {
  Liar liar;
  std::string expected;
  SECTION("magic") {
    liar.entry().magic = 1;
    expected = "its magic is wrong";
  }
  SECTION("major") {
    ++liar.entry().abi_major;
    expected = "another major version";
  }
  SECTION("minor") {
    liar.entry().abi_minor_needed = LONGSHORE_ABI_MINOR + 1;
    expected = "needs a newer version";
  }
  SECTION("description") {
    liar.entry().description_size = 1;
    expected = "it is not a longshore.module.v1.Description";
  }
  SECTION("refused") {
    liar.on_create = [] { return LONGSHORE_REFUSED; };
    expected = "refused to create an instance";
  }
  SECTION("functions") {
    liar.functions.stop = nullptr;
    expected = "lacks start, invoke, stop or destroy";
  }
  FakeHost host(liar.entry());
  CHECK_FALSE(host.start().ok());
  CHECK_FALSE(host.call<SayResponse>(echo_method("Say"), say_request("x")).ok());
  check_fault(host.end(), expected);
}

}  // namespace
}  // namespace longshore::testing
