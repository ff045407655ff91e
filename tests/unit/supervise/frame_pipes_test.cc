#include "supervise/linux/frame_pipes.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

using namespace longshore;
using namespace longshore::supervise;

namespace {

constexpr size_t kLimit = 64 << 20;

Descriptor nonblocking(int number) {
  fcntl(number, F_SETFL, O_NONBLOCK);
  return Descriptor(number);
}

// Two ends of one way.
struct Ends {
  Ends() {
    int there[2];
    int back[2];
    REQUIRE(pipe2(there, O_CLOEXEC) == 0);
    REQUIRE(pipe2(back, O_CLOEXEC) == 0);
    first = FrameEnds::of(nonblocking(back[0]), nonblocking(there[1])).value();
    second = FrameEnds::of(nonblocking(there[0]), nonblocking(back[1])).value();
    signal(SIGPIPE, SIG_IGN);
  }
  FrameEnds first;
  FrameEnds second;
};

}  // namespace

TEST_CASE("More than the socket takes waits and comes in order, and no sender blocks") {
  Ends ends;
  FramePipes sender(std::move(ends.first), kLimit);
  FramePipes receiver(std::move(ends.second), kLimit);
  const std::string payload(200'000, 'x');
  constexpr uint64_t kFrames = 100;
  for (uint64_t id = 1; id <= kFrames; ++id) {
    REQUIRE(sender.send({FrameType::kMessage, id, {}, payload}) == FramePipes::Sent::kYes);
  }
  // Nobody has read yet: of what begins something no more is taken, what ends something always is.
  CHECK(sender.send({FrameType::kCall, 1000}, FramePipes::Room::kUnlessMuchWaits) ==
        FramePipes::Sent::kMuchWaits);
  CHECK(sender.send({FrameType::kCancel, kFrames + 1}) == FramePipes::Sent::kYes);

  std::thread writing([&] { static_cast<void>(sender.serve([](const Frame&) { return true; })); });
  std::vector<uint64_t> ids;
  bool whole = true;
  const Result<void> served = receiver.serve([&](const Frame& frame) {
    ids.push_back(frame.id);
    whole = whole && (frame.type == FrameType::kCancel || frame.payload == payload);
    return frame.type != FrameType::kCancel;
  });
  sender.close();
  writing.join();
  CHECK(served);
  CHECK(whole);
  REQUIRE(ids.size() == kFrames + 1);
  for (uint64_t i = 0; i < ids.size(); ++i) REQUIRE(ids[i] == i + 1);
}

TEST_CASE("Frames of many threads do not mix") {
  Ends ends;
  FramePipes sender(std::move(ends.first), kLimit);
  FramePipes receiver(std::move(ends.second), kLimit);
  constexpr int kThreads = 4;
  constexpr int kEach = 200;
  std::thread writing([&] { static_cast<void>(sender.serve([](const Frame&) { return true; })); });
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const std::string payload(static_cast<size_t>(5000 + i), static_cast<char>('a' + i));
      for (int n = 0; n < kEach; ++n) {
        sender.send({FrameType::kMessage, static_cast<uint64_t>(i), {}, payload});
      }
    });
  }
  int seen = 0;
  bool good = true;
  const auto served = receiver.serve([&](const Frame& frame) {
    good = good && frame.payload == std::string(5000 + frame.id, static_cast<char>('a' + frame.id));
    return ++seen < kThreads * kEach;
  });
  for (auto& thread : threads) thread.join();
  sender.close();
  writing.join();
  CHECK(served);
  CHECK(good);
  CHECK(seen == kThreads * kEach);
}

TEST_CASE("What is no frame ends serving with an error, and the other side's end without one") {
  Ends ends;
  const std::string garbage(100, '\xee');
  SECTION("garbage") {
    REQUIRE(write(ends.first.output.get(), garbage.data(), garbage.size()) == 100);
    FramePipes receiver(std::move(ends.second), kLimit);
    const auto served = receiver.serve([](const Frame&) { return true; });
    REQUIRE_FALSE(served);
    CHECK(served.error().message().find("there is no type") != std::string::npos);
  }
  SECTION("the end") {
    FramePipes receiver(std::move(ends.second), kLimit);
    ends.first = {};
    CHECK(receiver.serve([](const Frame&) { return true; }));
    CHECK(receiver.send({FrameType::kCancel, 1}) == FramePipes::Sent::kGone);
  }
  SECTION("the end of its reading") {
    FramePipes receiver(std::move(ends.second), kLimit);
    ends.first.input = {};
    CHECK(receiver.serve([](const Frame&) { return true; }));
  }
}

TEST_CASE("A close ends serving though the other ends stay open, after what has come") {
  Ends ends;
  FramePipes sender(std::move(ends.first), kLimit);
  FramePipes receiver(std::move(ends.second), kLimit);
  for (uint64_t id = 1; id <= 10; ++id) sender.send({FrameType::kCancel, id});
  receiver.close();
  int seen = 0;
  CHECK(receiver.serve([&](const Frame&) { return ++seen > 0; }));
  CHECK(seen == 10);
}

TEST_CASE("Whoever does not read at all is given up with a reason") {
  Ends ends;
  FramePipes sender(std::move(ends.first), 1000);
  const std::string payload(1000, 'x');
  int sent = 0;
  while (sender.send({FrameType::kMessage, 1, {}, payload}) == FramePipes::Sent::kYes) {
    REQUIRE(++sent < 10'000);
  }
  const auto served = sender.serve([](const Frame&) { return true; });
  REQUIRE_FALSE(served);
  CHECK(served.error().message() == "it does not read");
}
