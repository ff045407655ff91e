// Who has a count of its own, and who is counted with others.
#include "router/bounded_counts.h"

#include <catch2/catch.hpp>
#include <string>

namespace longshore::router {
namespace {

using namespace std::chrono_literals;

int looked_at = 0;

struct Count {
  Clock::time_point begin;
  int number = 0;
  bool is_idle(Clock::time_point now) const {
    ++looked_at;
    return now - begin >= 10s;
  }
};

struct Counts {
  void add(const std::string& key) { ++counts.at(key, now).number; }
  int of(const std::string& key) {
    for (const auto& [known, count] : counts) {
      if (known == key) return count.number;
    }
    return 0;
  }

  Clock::time_point now{1h};
  BoundedCounts<std::string, Count> counts{3, "others"};
};

TEST_CASE_METHOD(Counts, "For whom there is no room is counted with the others") {
  for (const char* key : {"a", "b", "c", "d", "e", "a"}) add(key);
  CHECK(of("a") == 2);
  CHECK(of("c") == 1);
  CHECK(of("d") == 0);
  CHECK(of("others") == 2);
}

TEST_CASE_METHOD(Counts, "Those that are idle make room for others") {
  for (const char* key : {"a", "b", "c"}) add(key);
  now += 9s;
  add("d");
  CHECK(of("d") == 0);
  now += 1s;
  add("d");
  CHECK(of("d") == 1);
  CHECK(of("a") == 0);
}

TEST_CASE_METHOD(Counts, "Made-up keys have all looked at no more than once a second") {
  for (const char* key : {"a", "b", "c"}) add(key);
  looked_at = 0;
  for (int i = 0; i < 1000; ++i) add("made up " + std::to_string(i));
  CHECK(looked_at == 3);
  now += 1s;
  for (int i = 0; i < 1000; ++i) add("made up " + std::to_string(i));
  CHECK(looked_at == 3 + 4);
}

}  // namespace
}  // namespace longshore::router
