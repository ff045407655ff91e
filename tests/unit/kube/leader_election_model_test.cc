// Candidates by chance: processes that are stopped, answers that are late or lost, a server that
// fails. At no time may two of them write.
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "tests/unit/kube/lease_server.h"

namespace longshore::test {
namespace {

using namespace std::chrono_literals;

struct Chance {
  explicit Chance(unsigned seed) : numbers(seed) {}
  bool one_in(int count) { return static_cast<int>(numbers() % static_cast<unsigned>(count)) == 0; }
  std::mt19937 numbers;
};

struct Contender {
  Contender(LeaseServer& server, const std::string& name, Chance& chance) : one(server, name) {
    one.timing.chance = [&chance] { return static_cast<double>(chance.numbers() % 1000) / 1000; };
  }

  // A tenth of a second goes by.
  void step(LeaseServer& server, Chance& chance) {
    one.timing.up += 100ms;
    // Of any machine's clock: it goes on, and is put backwards now and then.
    one.timing.time += chance.one_in(200) ? std::chrono::milliseconds(-3'601'007) : 101ms;
    if (stopped_steps > 0) {
      --stopped_steps;
      return;
    }
    if (chance.one_in(400)) {
      stopped_steps = static_cast<int>(chance.numbers() % 400);
      return;
    }
    one.timing.advance(0s);
    if (one.access.running.empty() || chance.one_in(2)) return;
    // An answer is on its way for a while, also of a request that was cancelled meanwhile.
    const auto made = one.access.running.front();
    if (!answered) {
      answered = server.answer(made->request);
      return;
    }
    if (chance.one_in(20)) answered = kube::ApiError(Error(StatusCode::kUnavailable, "hear"));
    one.access.end(made, *std::exchange(answered, std::nullopt));
  }

  Candidate one;
  int stopped_steps = 0;
  std::optional<kube::Outcome> answered;  // what is asked for first
};

}  // namespace

TEST_CASE("No two may write at any time, and all have their turns") {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    INFO("seed " << seed);
    Chance chance(seed);
    LeaseServer server;
    std::vector<std::unique_ptr<Contender>> all;
    for (const char* const name : {"a", "b", "c"}) {
      all.push_back(std::make_unique<Contender>(server, name, chance));
      all.back()->one.start();
    }
    std::vector<int> turns(all.size());
    for (int i = 0; i < 20'000; ++i) {
      if (chance.one_in(300)) server.fails_with = chance.one_in(3) ? 503 : 0;
      int writers = 0;
      for (size_t each = 0; each < all.size(); ++each) {
        all[each]->step(server, chance);
        if (!all[each]->one.may_write()) continue;
        ++writers;
        ++turns[each];
      }
      if (writers > 1) FAIL("two may write at step " << i);
    }
    for (const int count : turns) CHECK(count > 0);
  }
}

}  // namespace longshore::test
