// Modules that answer their calls wrongly.
#include <catch2/catch.hpp>
#include <thread>

#include "hostile_world.h"
#include "tests/support/wire_writer.h"

namespace longshore::hostile {
namespace {

using namespace std::chrono_literals;

TEST_CASE("Of two outcomes the first one counts and the second is stale") {
  Subject subject("finish_twice");
  const Answer answer = subject.started().call();
  CHECK(answer.code == StatusCode::kOk);
  CHECK(answer.message == "first");
  CHECK(subject.stop() == "");
  CHECK(World::get().logged("the second finish: 1, a late send: 1"));
}

TEST_CASE("Invented handles are stale and touch nothing") {
  Subject subject("stale_handles");
  const Answer answer = subject.started().call();
  CHECK(answer.code == StatusCode::kOk);
  CHECK(answer.message == "30 of 30");
  CHECK(subject.stop() == "");
}

TEST_CASE("Null where bytes should be is refused") {
  Subject subject("null_data");
  const Answer answer = subject.started().call();
  CHECK(answer.code == StatusCode::kOk);
  CHECK(answer.message == "7 of 7");
  CHECK(subject.stop() == "");
}

TEST_CASE("An answer over the limit is an error that says so, whether it is there or claimed") {
  Subject subject("huge_reply");
  subject.started();
  const Answer claimed = subject.call("claim");
  CHECK(claimed.code == StatusCode::kResourceExhausted);
  CHECK(claimed.text ==
        "the answer has a message of 1073741824 bytes, more than the limit of 1048576");
  const Answer real = subject.call();
  CHECK(real.code == StatusCode::kResourceExhausted);
  CHECK(real.text == "the answer has a message of 2097152 bytes, more than the limit of 1048576");
  CHECK(subject.stop() == "");
  CHECK(World::get().count_logged("send was refused") == 2);
  CHECK(World::get().count_logged("send was not refused") == 0);
}

TEST_CASE("A unary call with two answers or with none is the module's error") {
  Subject twice("second_answer");
  const Answer second = twice.started().call();
  CHECK(second.code == StatusCode::kInternal);
  CHECK(second.text == "the module sent a second answer to a unary call");
  CHECK(twice.stop() == "");

  Subject never("no_answer");
  const Answer none = never.started().call();
  CHECK(none.code == StatusCode::kInternal);
  CHECK(none.text == "the module finished a unary call without an answer");
  CHECK(never.stop() == "");
}

TEST_CASE("A status that does not exist is unknown, with its text") {
  Subject subject("unknown_code");
  subject.started();
  for (const int code : {-1, 17, 63, -64}) {
    const Answer answer = subject.call(std::string(1, static_cast<char>(code + 64)));
    CHECK(answer.code == StatusCode::kUnknown);
    CHECK(answer.text == "out of this world");
  }
  CHECK(subject.stop() == "");
}

TEST_CASE("A flood of log lines is cut, counted, and holds up nobody") {
  Subject subject("log_flood");
  subject.started();
  const World& world = World::get();
  CHECK(subject.call().message == "dry");
  CHECK(world.count_logged("flood module=log_flood") < 1000);
  // The first line of a later second says how many are missing.
  CHECK(eventually([&] {
    return subject.call().message == "dry" &&
           world.count_logged("log lines were dropped: too many in a second") > 0;
  }));
  CHECK(subject.stop() == "");
}

TEST_CASE("A thread that hangs in a module is replaced, so that other calls go on") {
  loader::InstanceOptions options;
  options.max_concurrent_calls = 1;
  options.max_stuck_calls = 1;
  Subject subject("hangs_on_request", options);
  subject.started();
  CHECK(subject.call("hang", kTimeToReachModule).code == StatusCode::kDeadlineExceeded);
  REQUIRE(eventually([&] { return subject.instance().figures().stuck == 1; }));
  for (int i = 0; i < 3; ++i) CHECK(subject.call("go on").message == "well");
  CHECK(eventually([&] { return subject.instance().figures().running == 1; }));
  CHECK(subject.stop(100ms) != "");
}

TEST_CASE("Calls over the deadline wait their turn, and over the second limit are refused") {
  loader::InstanceOptions options;
  options.max_concurrent_calls = 1;
  options.max_queued_calls = 1;
  options.max_stuck_calls = 0;
  Subject subject("never_finishes", options);
  subject.started();
  std::thread running([&] { subject.call({}, 2s); });
  REQUIRE(eventually([&] { return subject.instance().figures().running == 1; }));
  Answer waited;
  std::thread waiting([&] { waited = subject.call({}, 2s); });
  REQUIRE(eventually([&] { return subject.instance().figures().total == 2; }));
  const Answer refused = subject.call();
  CHECK(refused.code == StatusCode::kResourceExhausted);
  CHECK(refused.text ==
        "cannot call \"hostile.v1.Hostile/Do\": 1 calls of the module never_finishes run and 1 "
        "wait; try again later, or raise max_concurrent_calls");
  running.join();
  waiting.join();
  CHECK(waited.code == StatusCode::kDeadlineExceeded);
  CHECK(subject.stop(100ms) != "");
}

TEST_CASE("Calls that are never finished are answered, counted, and cost their object only") {
  loader::InstanceOptions options;
  options.max_stuck_calls = 1;
  Subject subject("never_finishes", options);
  subject.started();
  const std::string stuck_disk = test::WireWriter().text(1, "disk-1");

  const Answer late = subject.call(stuck_disk, kTimeToReachModule);
  CHECK(late.code == StatusCode::kDeadlineExceeded);
  CHECK(late.text == "the deadline passed before the call was finished; it may still take effect");
  CHECK(eventually([&] { return subject.instance().figures().stuck == 1; }));

  const Answer refused = subject.call(stuck_disk);
  CHECK(refused.code == StatusCode::kUnavailable);
  CHECK(refused.text.find("an earlier call for \"disk-1\" is stuck in the module; the device or "
                          "server behind it does not answer") != std::string::npos);
  CHECK(subject.call(test::WireWriter().text(1, "disk-2"), kTimeToReachModule).code ==
        StatusCode::kDeadlineExceeded);
  CHECK(subject.stop(100ms) ==
        "cannot stop the module \"never_finishes\": calls of it did not end when they were "
        "cancelled");
}

}  // namespace
}  // namespace longshore::hostile
