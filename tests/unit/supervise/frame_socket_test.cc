#include "supervise/linux/frame_socket.h"

#include <sys/socket.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

using namespace longshore;
using namespace longshore::supervise;

namespace {

constexpr size_t kLimit = 64 << 20;

struct Ends {
  Ends() {
    int numbers[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, numbers) == 0);
    first = Descriptor(numbers[0]);
    second = Descriptor(numbers[1]);
  }
  Descriptor first;
  Descriptor second;
};

}  // namespace

TEST_CASE("More than the socket takes waits and comes in order, and no sender blocks") {
  Ends ends;
  FrameSocket sender(std::move(ends.first), kLimit);
  FrameSocket receiver(std::move(ends.second), kLimit);
  const std::string payload(200'000, 'x');
  constexpr uint64_t kFrames = 100;
  for (uint64_t id = 1; id <= kFrames; ++id) {
    REQUIRE(sender.send({FrameType::kMessage, id, {}, payload}) == FrameSocket::Sent::kYes);
  }
  // Nobody has read yet: of what begins something no more is taken, what ends something always is.
  CHECK(sender.send({FrameType::kCall, 1000}, FrameSocket::Room::kUnlessMuchWaits) ==
        FrameSocket::Sent::kMuchWaits);
  CHECK(sender.send({FrameType::kCancel, kFrames + 1}) == FrameSocket::Sent::kYes);

  std::thread writing([&] { static_cast<void>(sender.serve([](const Frame&) { return true; })); });
  std::vector<uint64_t> ids;
  bool whole = true;
  const Result<void> served = receiver.serve([&](const Frame& frame) {
    ids.push_back(frame.id);
    whole = whole && (frame.type == FrameType::kCancel || frame.payload == payload);
    return frame.type != FrameType::kCancel;
  });
  receiver.close();
  writing.join();
  CHECK(served);
  CHECK(whole);
  REQUIRE(ids.size() == kFrames + 1);
  for (uint64_t i = 0; i < ids.size(); ++i) REQUIRE(ids[i] == i + 1);
}

TEST_CASE("Frames of many threads do not mix") {
  Ends ends;
  FrameSocket sender(std::move(ends.first), kLimit);
  FrameSocket receiver(std::move(ends.second), kLimit);
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
  receiver.close();
  writing.join();
  CHECK(served);
  CHECK(good);
  CHECK(seen == kThreads * kEach);
}

TEST_CASE("What is no frame ends serving with an error, and the other side's end without one") {
  Ends ends;
  const std::string garbage(100, '\xee');
  SECTION("garbage") {
    REQUIRE(send(ends.first.get(), garbage.data(), garbage.size(), 0) == 100);
    FrameSocket receiver(std::move(ends.second), kLimit);
    const auto served = receiver.serve([](const Frame&) { return true; });
    REQUIRE_FALSE(served);
    CHECK(served.error().message().find("there is no type") != std::string::npos);
  }
  SECTION("the end") {
    FrameSocket receiver(std::move(ends.second), kLimit);
    ends.first = Descriptor();
    CHECK(receiver.serve([](const Frame&) { return true; }));
    CHECK(receiver.send({FrameType::kCancel, 1}) == FrameSocket::Sent::kGone);
  }
}
