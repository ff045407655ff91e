// The credit of a stream that a module's process sends to the agent.
#include "supervise/child/call_from_agent.h"

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/router/test_target.h"

namespace longshore::supervise {
namespace {

// A pipe that takes everything and does something else while it is written to.
class BusyPipe final : public PipeTransport {
 public:
  explicit BusyPipe(std::function<void()>& meanwhile) : meanwhile_(meanwhile) {}
  std::optional<size_t> write(std::span<const std::string_view> parts) override {
    size_t bytes = 0;
    for (const std::string_view part : parts) bytes += part.size();
    if (meanwhile_) meanwhile_();
    return bytes;
  }
  std::optional<size_t> read(std::span<char>) override { return std::nullopt; }
  void wake() override {}
  Result<Found> wait(bool, std::span<Watched>) override { return Found{}; }

 private:
  std::function<void()>& meanwhile_;
};

struct ChildStream {
  explicit ChildStream(uint32_t credit)
      : observer(std::make_shared<CallFromAgent>(agent, 7, credit, [] {})) {
    auto method = std::make_shared<router::Method>();
    method->full_name = "test.Service/Watch";
    method->server_streaming = true;
    router::CallRequest request;
    request.caller = std::make_shared<router::Caller>(router::Caller{"uid:0", "uid:0", nullptr});
    request.observer = observer;
    call = router.call_directly(target, method, std::move(request));
    observer->set_call(call);
    call->run();
  }
  ~ChildStream() { call->finish(StatusCode::kOk, {}); }

  std::function<void()> meanwhile;
  FrameChannel agent{std::make_unique<BusyPipe>(meanwhile), {1000}, nullptr};
  router::Timers timers;
  router::Router router{timers, {.default_timeout = std::chrono::hours(1)}};
  std::shared_ptr<router::TestTarget> target = std::make_shared<router::TestTarget>();
  std::shared_ptr<CallFromAgent> observer;
  std::shared_ptr<router::Call> call;
};

TEST_CASE("A stream sends as many messages as it has credit for, and waits for more") {
  ChildStream stream(2);
  CHECK(stream.call->send("1") == LONGSHORE_OK);
  CHECK(stream.call->send("2") == LONGSHORE_OK);
  CHECK(stream.call->send("3") == LONGSHORE_WOULD_BLOCK);
  stream.observer->grant(1);
  CHECK(stream.target->count("writable") == 1);
  CHECK(stream.call->send("3") == LONGSHORE_OK);
  CHECK(stream.call->send("4") == LONGSHORE_WOULD_BLOCK);
}

// Whoever opens streams and reads none of them decides how many there are.
TEST_CASE("Of large messages a stream has no more on their way than make so many bytes") {
  ChildStream stream(kStreamCredit);
  const std::string half(kStreamBytes / 2, 'x');
  CHECK(stream.call->send(half) == LONGSHORE_OK);
  CHECK(stream.call->send(half) == LONGSHORE_OK);
  CHECK(stream.call->send(half) == LONGSHORE_WOULD_BLOCK);
  stream.observer->grant(1);
  CHECK(stream.target->count("writable") == 1);
  CHECK(stream.call->send(half) == LONGSHORE_OK);
  CHECK(stream.call->send(half) == LONGSHORE_WOULD_BLOCK);
  // However large it is, one goes.
  stream.observer->grant(2);
  CHECK(stream.target->count("writable") == 2);
  CHECK(stream.call->send(std::string(10 * kStreamBytes, 'x')) == LONGSHORE_OK);
  CHECK(stream.call->send("x") == LONGSHORE_WOULD_BLOCK);
}

// It let the next message overtake the one under way, and be sent without credit: for that the
// agent ended the process.
TEST_CASE("Credit that comes while a message is written makes no room for another meanwhile") {
  ChildStream stream(1);
  std::vector<longshore_result> answers;
  stream.meanwhile = [&] {
    stream.meanwhile = nullptr;
    stream.observer->grant(1);
    answers.push_back(stream.call->send("2"));
  };
  CHECK(stream.call->send("1") == LONGSHORE_OK);
  CHECK(answers == std::vector<longshore_result>{LONGSHORE_WOULD_BLOCK});
  // The one who was refused is told when it is over.
  CHECK(stream.target->count("writable") == 1);
  CHECK(stream.call->send("2") == LONGSHORE_OK);
  CHECK(stream.call->send("3") == LONGSHORE_WOULD_BLOCK);
}

}  // namespace
}  // namespace longshore::supervise
