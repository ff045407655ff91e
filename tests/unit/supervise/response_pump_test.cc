#include "supervise/response_pump.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

using namespace longshore;
using namespace longshore::supervise;

namespace {

class Pump final : public ResponsePump {
 public:
  longshore_result deliver(std::string_view message) override {
    if (answer == LONGSHORE_OK && room == 0) return LONGSHORE_WOULD_BLOCK;
    if (room > 0) --room;
    if (answer == LONGSHORE_OK) taken.emplace_back(message);
    return answer;
  }
  void grant(uint32_t messages) override { granted += messages; }
  void finish(StatusCode code, std::string text) override {
    ++ends;
    end_code = code;
    end_text = std::move(text);
  }

  std::atomic<int> room{0};
  longshore_result answer = LONGSHORE_OK;
  std::vector<std::string> taken;
  uint32_t granted = 0;
  int ends = 0;
  StatusCode end_code = StatusCode::kUnknown;
  std::string end_text;
};

}  // namespace

TEST_CASE("Messages wait for room, in order, and the end waits for them") {
  Pump pump;
  pump.room = 1;
  pump.add("a");
  pump.add("b");
  pump.add("c");
  pump.end(StatusCode::kOk, {});
  CHECK(pump.taken == std::vector<std::string>{"a"});
  CHECK(pump.ends == 0);
  pump.room = 5;
  pump.pump();
  CHECK(pump.taken == std::vector<std::string>{"a", "b", "c"});
  CHECK(pump.ends == 1);
  CHECK(pump.end_code == StatusCode::kOk);
}

TEST_CASE("An error overtakes the messages that wait") {
  Pump pump;
  pump.add("a");
  pump.end(StatusCode::kAborted, "why");
  CHECK(pump.taken.empty());
  CHECK(pump.ends == 1);
  CHECK(pump.end_text == "why");
}

TEST_CASE("There is one end, and nothing after it") {
  Pump pump;
  pump.room = 10;
  pump.end(StatusCode::kOk, {});
  pump.end(StatusCode::kInternal, "second");
  pump.add("late");
  pump.pump();
  CHECK(pump.ends == 1);
  CHECK(pump.end_code == StatusCode::kOk);
  CHECK(pump.taken.empty());
}

// Who has sent as much as may be on its way waits for credit.
TEST_CASE("Of large messages credit is given back sooner") {
  Pump pump;
  pump.room = 10;
  pump.add(std::string(kStreamBytes, 'm'));
  CHECK(pump.granted == 1);
  pump.add(std::string(kStreamBytes / 4, 'm'));
  CHECK(pump.granted == 1);
  pump.add(std::string(kStreamBytes / 4, 'm'));
  CHECK(pump.granted == 3);
}

TEST_CASE("Credit is given back for what was taken, not for what waits") {
  Pump pump;
  for (uint32_t i = 0; i < kStreamCredit; ++i) pump.add("m");
  CHECK(pump.granted == 0);
  pump.room = static_cast<int>(kStreamCredit);
  pump.pump();
  CHECK(pump.granted == kStreamCredit);
}

TEST_CASE("More than was granted is not taken") {
  Pump pump;
  for (uint32_t i = 0; i < kStreamCredit; ++i) REQUIRE(pump.add("m"));
  CHECK_FALSE(pump.add("one too many"));
  pump.room = static_cast<int>(kStreamCredit);
  pump.pump();
  CHECK(pump.taken.size() == kStreamCredit);
  CHECK(pump.add("m"));
}

TEST_CASE("What nobody wants any more is dropped and its credit given back") {
  Pump pump;
  pump.answer = LONGSHORE_CANCELLED;
  for (uint32_t i = 0; i < kStreamCredit; ++i) pump.add("m");
  pump.end(StatusCode::kOk, {});
  CHECK(pump.taken.empty());
  CHECK(pump.granted == kStreamCredit);
  CHECK(pump.ends == 1);
}

TEST_CASE("Room that comes while a message is refused is not missed") {
  constexpr int kMessages = 2000;
  Pump pump;
  std::thread reader([&] {
    for (int i = 0; i < kMessages; ++i) {
      ++pump.room;
      pump.pump();
    }
  });
  for (int i = 0; i < kMessages; ++i) {
    while (!pump.add(std::to_string(i))) std::this_thread::yield();  // until there is credit
  }
  pump.end(StatusCode::kOk, {});
  reader.join();
  REQUIRE(pump.ends == 1);
  REQUIRE(pump.taken.size() == kMessages);
  for (int i = 0; i < kMessages; ++i)
    REQUIRE(pump.taken[static_cast<size_t>(i)] == std::to_string(i));
}
