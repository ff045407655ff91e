// What a work queue remembers of keys, and how it bounds that.
#include "longshore/work_queue_history.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace longshore {
namespace {

using namespace std::chrono_literals;

WorkQueueHistory::Try failed(std::string error) { return {.error = std::move(error)}; }

TEST_CASE("the last tries of a key are remembered, the oldest first, and no more than eight") {
  WorkQueueHistory history(size_t{64} << 10);
  CHECK(history.of("a").empty());
  for (int i = 0; i < 10; ++i) history.add("a", failed(std::to_string(i)));
  history.add("b", {.took = 3ms, .is_done = true});
  const auto tries = history.of("a");
  REQUIRE(tries.size() == WorkQueueHistory::kTriesOfKey);
  CHECK(tries.front().error == "2");
  CHECK(tries.back().error == "9");
  CHECK_FALSE(tries.back().is_done);
  REQUIRE(history.of("b").size() == 1);
  CHECK(history.of("b")[0].is_done);
  CHECK(history.of("b")[0].took == 3ms);
}

TEST_CASE("the key that was tried longest ago is forgotten first") {
  WorkQueueHistory history(4096);
  const std::string text(WorkQueueHistory::kMaxErrorBytes, 'e');
  history.add("old", failed(text));
  history.add("again", failed(text));
  for (int i = 0; i < 100; ++i) {
    history.add("new" + std::to_string(i), failed(text));
    history.add("again", {.is_done = true});
  }
  CHECK(history.of("old").empty());
  CHECK(history.of("new0").empty());
  CHECK(history.of("new99").size() == 1);
  CHECK(history.of("again").size() == WorkQueueHistory::kTriesOfKey);
}

TEST_CASE("long texts are cut, and a key for which there is no room is not remembered") {
  WorkQueueHistory history(4096);
  history.add("a", failed(std::string(100'000, 'e')));
  REQUIRE(history.of("a").size() == 1);
  CHECK(history.of("a")[0].error.size() == WorkQueueHistory::kMaxErrorBytes);
  const std::string huge(100'000, 'k');
  history.add(huge, failed("e"));
  CHECK(history.of(huge).empty());
  CHECK(history.of("a").empty());  // it made room in vain
  history.add("b", failed("e"));
  CHECK(history.of("b").size() == 1);

  WorkQueueHistory none(0);
  none.add("a", failed("e"));
  CHECK(none.of("a").empty());
}

}  // namespace
}  // namespace longshore
