// Whose call is next where many wait.
#include "loader/fair_call_queue.h"

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <string>

namespace longshore::loader {
namespace {

// Calls are named by their callers and in the order of their coming: "a1", "a2", "b1".
struct Waiting {
  ~Waiting() {
    while (!queue.empty()) queue.erase(queue.front());
  }
  CallRecord& add(char caller) {
    CallRecord& record = records.emplace_back();
    record.behind_in_process = caller + std::to_string(++numbers[caller]);
    queue.push_back(record, static_cast<uint64_t>(caller));
    return record;
  }
  void add(const std::string& callers) {
    for (const char caller : callers) add(caller);
  }
  // Has as many as `most` come to their turns.
  std::string take(size_t most = 1000) {
    std::string names;
    for (; most > 0 && !queue.empty(); --most) {
      CallRecord& record = queue.front();
      queue.pass_turn();
      queue.erase(record);
      names += (names.empty() ? "" : " ") + record.behind_in_process;
    }
    return names;
  }

  std::deque<CallRecord> records;
  std::map<char, int> numbers;
  FairCallQueue queue;
};

TEST_CASE("The calls of one caller go in the order of their coming") {
  Waiting waiting;
  waiting.add("aaa");
  CHECK(waiting.queue.size() == 3);
  CHECK(waiting.take() == "a1 a2 a3");
  CHECK(waiting.queue.empty());
  CHECK(waiting.queue.size() == 0);
  waiting.add("a");
  CHECK(waiting.take() == "a4");
}

TEST_CASE("Callers take turns, in the order in which they came") {
  Waiting waiting;
  waiting.add("aaabbc");
  CHECK(waiting.take() == "a1 b1 c1 a2 b2 a3");
}

TEST_CASE("Who comes late, or again, waits for one call of each caller and no more") {
  Waiting waiting;
  waiting.add(std::string(5000, 'a') + std::string(5000, 'b'));
  CHECK(waiting.take(3) == "a1 b1 a2");
  waiting.add("c");
  CHECK(waiting.take(3) == "b2 a3 c1");
  waiting.add("c");
  CHECK(waiting.take(3) == "b3 a4 c2");
}

TEST_CASE("A call that is ended while it waits leaves, wherever it stands") {
  Waiting waiting;
  waiting.add("b");
  CallRecord& first = waiting.add('a');
  CallRecord& middle = waiting.add('a');
  waiting.add("a");
  CallRecord& last = waiting.add('a');
  CallRecord& only = waiting.add('c');
  waiting.add("d");
  for (CallRecord* const each : {&middle, &only, &last}) waiting.queue.erase(*each);
  CHECK(waiting.queue.size() == 4);
  CHECK(waiting.take(1) == "b1");
  waiting.queue.erase(first);  // whose turn it is; another of its caller takes it
  CHECK(waiting.take() == "a3 d1");
}

TEST_CASE("Many callers leave no lines behind, and those that are kept are used again") {
  Waiting waiting;
  for (int round = 0; round < 3; ++round) {
    for (int caller = 1; caller < 100; ++caller) waiting.add(static_cast<char>(caller));
    for (int caller = 1; caller < 100; ++caller) {
      CHECK(waiting.take(1) == static_cast<char>(caller) + std::to_string(round + 1));
    }
    CHECK(waiting.queue.empty());
  }
}

}  // namespace
}  // namespace longshore::loader
