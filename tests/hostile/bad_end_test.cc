// Modules that do not end, or that go on after their end.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <future>

#include "hostile_world.h"
#include "tests/support/wire_writer.h"

namespace longshore::hostile {
namespace {

using namespace std::chrono_literals;
using router::Clock;

TEST_CASE("A stop or destroy that hangs is left behind in time") {
  const auto begun = Clock::now();
  Subject stop("stop_hangs");
  CHECK(stop.started().stop(100ms) ==
        "cannot stop the module \"stop_hangs\": its stop never returned");
  Subject destroy("destroy_hangs");
  CHECK(destroy.started().stop(100ms) ==
        "cannot stop the module \"destroy_hangs\": its destroy hangs");
  CHECK(Clock::now() - begun < 10s);
  CHECK(stop.instance().figures().state == loader::Instance::State::kFailed);
  CHECK(stop.instance().figures().reason == "its stop never returned");
  CHECK(stop.call().code == StatusCode::kUnavailable);
  CHECK(World::get().logged("the module could not be ended and is abandoned module=stop_hangs"));
}

TEST_CASE("What an instance leaves in its end reaches the next one's start") {
  Subject first("hands_over");
  CHECK(first.started().call().message == "got: ");
  const auto left = first.instance().stop(Clock::now() + 10s);
  REQUIRE(left);
  CHECK(left->text() == "two parts");
  Subject second("hands_over");
  REQUIRE(second.instance().start({}, left->text()));
  CHECK(second.call().message == "got: two parts");
  CHECK(second.stop().empty());
}

TEST_CASE("A destroy that is slow, as on a busy node, comes to its end") {
  Subject slow("destroy_slow");
  CHECK(slow.started().stop(60s).empty());
}

TEST_CASE("Nothing is freed under a function that returns after its call is finished") {
  Subject late("returns_late");
  CHECK(late.started().call().message == "well");
  CHECK(late.stop(100ms).empty());
}

TEST_CASE("An abandoned module can be started anew beside what hangs") {
  Subject first("stop_hangs");
  CHECK(first.started().stop(100ms) != "");
  Subject second("stop_hangs");
  CHECK(second.started().call().message == "well");
  CHECK(second.stop(100ms) != "");
}

// A line of what the thread that was left behind writes.
std::string line_from(int socket) {
  std::string line;
  while (line.empty() || line.back() != '\n') {
    pollfd wanted{socket, POLLIN, 0};
    char byte = 0;
    if (poll(&wanted, 1, 30'000) != 1 || read(socket, &byte, 1) != 1) return line + "(no more)";
    line += byte;
  }
  return line;
}

TEST_CASE("A thread that outlives its instance gets STALE and REFUSED, and harms nobody") {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const std::string answers = "finish 1, state 1, invoke 4, post 4\n";
  Subject subject("leftover_thread");
  CHECK(subject.started().call(std::to_string(ends[1])).message == "well");
  CHECK(subject.stop() == "");
  CHECK(line_from(ends[0]) == answers);

  // Once more without the instance.
  subject.release();
  REQUIRE(write(ends[0], "x", 1) == 1);
  CHECK(line_from(ends[0]) == answers);
  close(ends[0]);
  CHECK(World::get().count_logged("from the past") <= 1);
}

TEST_CASE("A module whose WMI hangs is left behind in time, and serves anew beside it") {
  const bool caller_waits = GENERATE(false, true);
  CAPTURE(caller_waits);
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const std::string request = test::WireWriter().text(1, std::to_string(ends[1]));
  Subject hung("longshore-hung-wmi");
  hung.started();
  auto waiting = std::async(std::launch::async, [&] {
    return hung.call(request, caller_waits ? std::chrono::seconds(30) : kTimeToReachModule);
  });
  REQUIRE(line_from(ends[0]) == "asked\n");
  if (!caller_waits) waiting.wait();
  CHECK(hung.stop(100ms) == "cannot stop the module \"longshore-hung-wmi\": its destroy hangs");
  CHECK(waiting.get().code ==
        (caller_waits ? StatusCode::kUnavailable : StatusCode::kDeadlineExceeded));

  // Its like is answered at once: the byte is there before the question.
  int others[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, others) == 0);
  REQUIRE(write(others[0], "x", 1) == 1);
  Subject next("longshore-hung-wmi");
  CHECK(next.started().call(test::WireWriter().text(1, std::to_string(others[1]))).code ==
        StatusCode::kOk);
  CHECK(next.stop().empty());
  CHECK(line_from(others[0]) == "asked\n");
  CHECK(line_from(others[0]) == "let go\n");

  // The late answer ends what was left behind: all that it touches is still there.
  REQUIRE(write(ends[0], "x", 1) == 1);
  CHECK(line_from(ends[0]) == "let go\n");
  for (const int end : {ends[0], ends[1], others[0], others[1]}) close(end);
}

}  // namespace
}  // namespace longshore::hostile
