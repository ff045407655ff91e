// A stream that is read for good, in the fake host: when it begins anew.
#include "longshore/watch.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/sdk_testing/echo_module.h"
#include "tests/unit/sdk_testing/liar.h"

namespace longshore::testing {
namespace {

using namespace echo::v1;
using namespace std::chrono_literals;
using Answers = Result<std::vector<SayResponse>>;

constexpr const char* kWatch = "acme.Shelf/Watch";

// The host, but for grants, which it keeps until the test gives them: a stream that has more to
// tell stays open meanwhile.
struct KeepingHost : longshore_host {
  explicit KeepingHost(const longshore_host& whole) : longshore_host(whole) {
    grant = [](const longshore_host* host, longshore_invocation invocation, uint32_t) {
      static_cast<const KeepingHost*>(host)->asked = invocation;
      return LONGSHORE_OK;
    };
  }
  mutable longshore_invocation asked = 0;
};

struct WatchWorld {
  WatchWorld() {
    REQUIRE(host.start().ok());
    host.answer_stream<SayRequest>(kWatch, [this](const SayRequest&) { return answers; });
  }
  void start(Watch& watch) {
    watch.start<SayResponse>(kWatch, say_request(""), [this](const SayResponse&) { ++told; });
  }
  size_t begun() const { return host.invocations_of(kWatch).size(); }

  Liar liar;
  FakeHost host{liar.entry()};
  Answers answers = std::vector<SayResponse>(1);
  std::string degraded;
  int told = 0;
  const std::function<void(std::string_view)> set_degraded = [this](std::string_view reason) {
    degraded = reason;
  };
};

TEST_CASE_METHOD(WatchWorld, "a watch whose streams tell and end begins anew later each time") {
  Watch watch(liar.host, "the shelf", set_degraded);
  start(watch);
  CHECK(told == 1);
  CHECK(degraded == "the shelf is lost: it ended");
  host.advance(10ms);
  CHECK(told == 2);
  host.advance(1min);
  const size_t soon = begun();
  CHECK(soon > 5);
  CHECK(soon < 20);
  host.advance(1h);
  CHECK(begun() == soon + 360);
}

TEST_CASE_METHOD(WatchWorld, "a watch begins anew soon where its stream has lasted") {
  const auto [lasts, is_soon] = GENERATE(std::pair(10s, true), std::pair(9s, false));
  const KeepingHost keeping(*liar.host);
  Watch watch(&keeping, "the shelf", set_degraded, {.credit = 1});
  answers = Error::of_text(StatusCode::kUnavailable, "nobody is there");
  start(watch);
  host.advance(1h);
  CHECK(degraded == "the shelf is lost: nobody is there");
  answers = std::vector<SayResponse>(2);
  for (int i = 0; i < 100 && told == 0; ++i) host.advance(100ms);
  REQUIRE(told == 1);
  CHECK(degraded.empty());
  host.advance(lasts);
  const size_t before = begun();
  REQUIRE(liar.host->grant(liar.host, keeping.asked, 1) == LONGSHORE_OK);
  CHECK(told == 2);
  CHECK(degraded == "the shelf is lost: it ended");
  host.advance(10ms);
  CHECK(begun() == before + (is_soon ? 1 : 0));
}

}  // namespace
}  // namespace longshore::testing
