// Many are asked, of whom some do not answer.
#include "support/scatter_gather.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/support/eventually.h"

namespace longshore::support {
namespace {

using test::eventually;
using Words = std::vector<std::optional<std::string>>;

// Those whose names begin with "silent" answer when the test says so; what they answer is what they
// knew when they were asked.
class Crowd {
 public:
  std::optional<std::string> ask(const std::string& name) {
    const std::string known = name + " " + std::to_string(time_.load());
    if (name.starts_with("silent")) ++silent_asked_;
    if (name == "broken") throw std::runtime_error("broken");
    if (name == "nobody") return std::nullopt;
    if (name.starts_with("silent") && !eventually([&] { return speaks_.load(); })) return {};
    return known;
  }
  std::string key_of(const std::string& name) {
    const std::lock_guard lock(mutex_);
    comers_.insert(std::this_thread::get_id());
    return name;
  }
  void speak() { speaks_ = true; }
  void set_time(int time) { time_ = time; }
  int silent_asked() const { return silent_asked_; }
  // Threads that have asked. One that waits long asks twice.
  size_t comers() const {
    const std::lock_guard lock(mutex_);
    return comers_.size();
  }

 private:
  std::atomic<bool> speaks_{false};
  std::atomic<int> time_{0}, silent_asked_{0};
  mutable std::mutex mutex_;
  std::set<std::thread::id> comers_;
};

struct AskedCrowd {
  explicit AskedCrowd(std::chrono::milliseconds patience)
      : calls([this](const std::string& name) { return crowd.ask(name); },
              [this](const std::string& name) { return crowd.key_of(name); }, patience) {}

  Words gather(const std::vector<std::string>& names) { return calls.gather(names); }

  Crowd crowd;
  ScatterGather<std::string, std::string> calls;
};

TEST_CASE("answers come in the order of those who were asked, and none of those who have none") {
  AskedCrowd world(test::kPatience);
  CHECK(world.gather({}).empty());
  CHECK(world.gather({"b", "broken", "a", "nobody", "b"}) ==
        Words{"b 0", std::nullopt, "a 0", std::nullopt, "b 0"});
}

TEST_CASE("who is silent is left out, and asked by one thread whoever comes") {
  AskedCrowd world(std::chrono::seconds(2));
  CHECK(world.gather({"silent 1", "a", "silent 2"}) == Words{std::nullopt, "a 0", std::nullopt});
  CHECK(eventually([&] { return world.crowd.silent_asked() == 2; }));
  for (int i = 0; i < 3; ++i) {
    CHECK(world.gather({"silent 1", "b"}) == Words{std::nullopt, "b 0"});
  }
  CHECK(world.crowd.silent_asked() == 2);
  world.crowd.speak();
  CHECK(eventually([&] { return world.gather({"silent 1"}) == Words{"silent 1 0"}; }));
  CHECK(eventually([&] { return world.gather({"silent 2"}) == Words{"silent 2 0"}; }));
}

TEST_CASE("who comes while one is asked shares the next question, and gets no answer of before") {
  constexpr size_t kComers = 4;
  AskedCrowd world(test::kPatience);
  Words first;
  std::thread early([&] { first = world.gather({"silent"}); });
  REQUIRE(eventually([&] { return world.crowd.silent_asked() == 1; }));
  world.crowd.set_time(1);
  std::vector<Words> later(kComers);
  std::vector<std::thread> comers;
  for (Words& words : later) comers.emplace_back([&] { words = world.gather({"silent"}); });
  // They have come once they are asked about, which they are before they wait.
  REQUIRE(eventually([&] { return world.crowd.comers() == 1 + kComers; }));
  world.crowd.speak();
  early.join();
  for (std::thread& comer : comers) comer.join();
  CHECK(first.front());  // the first answer or a newer one
  for (const Words& words : later) CHECK(words == Words{"silent 1"});
  CHECK(world.crowd.silent_asked() == 2);
}

TEST_CASE("what hangs is waited for at the end") {
  std::atomic<bool> has_ended = false;
  Crowd crowd;
  std::thread speaker;
  {
    ScatterGather<std::string, std::string> calls(
        [&](const std::string& name) {
          auto answer = crowd.ask(name);
          has_ended = true;
          return answer;
        },
        [](const std::string& name) { return name; }, std::chrono::milliseconds(1));
    CHECK_FALSE(calls.gather({"silent"}).front());
    speaker = std::thread([&] { crowd.speak(); });
  }
  CHECK(has_ended);
  speaker.join();
}

}  // namespace
}  // namespace longshore::support
