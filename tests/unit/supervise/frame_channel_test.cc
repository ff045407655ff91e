#include "supervise/frame_channel.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/eventually.h"
#include "tests/support/freed_memory.h"
#include "tests/unit/supervise/channel_ends.h"

using namespace longshore;
using namespace longshore::supervise;
using namespace longshore::test;

namespace {

constexpr size_t kPipeLimit = 64 << 20;

}  // namespace

TEST_CASE("More than the pipe takes waits and comes in order, and no sender blocks") {
  ChannelEnds ends = make_channel_ends();
  FrameChannel sender(std::move(ends.first), {kPipeLimit});
  FrameChannel receiver(std::move(ends.second), {kPipeLimit});
  const std::string payload(200'000, 'x');
  constexpr uint64_t kFrames = 100;
  for (uint64_t id = 1; id <= kFrames; ++id) {
    REQUIRE(sender.send({FrameType::kMessage, id, {}, payload}) == FrameChannel::Sent::kYes);
  }
  // Nobody has read yet: of what begins something no more is taken, what ends something always is.
  CHECK(sender.send({FrameType::kCall, 1000}, FrameChannel::Room::kUnlessMuchWaits) ==
        FrameChannel::Sent::kMuchWaits);
  CHECK(sender.send({FrameType::kCancel, kFrames + 1}) == FrameChannel::Sent::kYes);

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

TEST_CASE("Nothing of secret frames stays in memory that they went through") {
  const std::string secret = FreedMemory::secret_of(200'000);
  const FreedMemory freed;
  {
    ChannelEnds ends = make_channel_ends();
    FrameChannel sender(std::move(ends.first), {kPipeLimit});
    FrameChannel receiver(std::move(ends.second), {kPipeLimit});
    constexpr uint64_t kFrames = 100;
    sender.send({FrameType::kMessage, 0, {}, std::string(200'000, 'x')});  // waits before secrets
    for (uint64_t id = 1; id <= kFrames; ++id) {
      sender.send({FrameType::kMessage, id, {}, secret, /*is_secret=*/true});
    }
    SECTION("read") {
      std::thread writing(
          [&] { static_cast<void>(sender.serve([](const Frame&) { return true; })); });
      CHECK(receiver.serve([](const Frame& frame) { return frame.id < kFrames; }));
      sender.close();
      writing.join();
    }
    SECTION("let go unread") { sender.close(); }
  }
  CHECK(freed.found() == 0);
}

TEST_CASE("The memory of much that waited is let go with it") {
  ChannelEnds ends = make_channel_ends();
  FrameChannel sender(std::move(ends.first), {kPipeLimit});
  const std::string payload = FreedMemory::secret_of(1 << 20);  // as plain text, which is not wiped
  sender.send({FrameType::kMessage, 1, {}, payload});
  const FreedMemory freed;
  sender.close();
  CHECK(freed.found() == 1);
}

TEST_CASE("Frames of many threads do not mix") {
  ChannelEnds ends = make_channel_ends();
  FrameChannel sender(std::move(ends.first), {kPipeLimit});
  FrameChannel receiver(std::move(ends.second), {kPipeLimit});
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

TEST_CASE("A frame arrives whole though the thread that sent it has ended") {
  ChannelEnds ends = make_channel_ends();
  FrameChannel sender(std::move(ends.first), {kPipeLimit});
  FrameChannel receiver(std::move(ends.second), {kPipeLimit});
  const std::string payload(200'000, 'x');
  sender.send({FrameType::kMessage, 1, {}, std::string_view(payload).substr(0, 1000)});
  std::thread([&] { sender.send({FrameType::kMessage, 2, {}, payload}); }).join();
  std::thread writing([&] { static_cast<void>(sender.serve([](const Frame&) { return true; })); });
  std::string last;
  const auto served = receiver.serve([&](const Frame& frame) {
    last = frame.payload;
    return frame.id == 1;
  });
  sender.close();
  writing.join();
  CHECK(served);
  CHECK(last == payload);
}

TEST_CASE("What is no frame ends serving with an error, and the other side's end without one") {
  ChannelEnds ends = make_channel_ends();
  const std::string garbage(100, '\xee');
  SECTION("garbage") {
    const std::string_view bytes[] = {garbage};
    REQUIRE(ends.first->write(bytes) == garbage.size());
    FrameChannel receiver(std::move(ends.second), {kPipeLimit});
    const auto served = receiver.serve([](const Frame&) { return true; });
    REQUIRE_FALSE(served);
    CHECK(served.error().message().find("there is no type") != std::string::npos);
  }
  SECTION("the end") {
    FrameChannel receiver(std::move(ends.second), {kPipeLimit});
    ends.first.reset();
    CHECK(receiver.serve([](const Frame&) { return true; }));
    CHECK(receiver.send({FrameType::kCancel, 1}) == FrameChannel::Sent::kGone);
  }
}

TEST_CASE("A close ends serving though the other ends stay open, after what has come") {
  ChannelEnds ends = make_channel_ends();
  FrameChannel sender(std::move(ends.first), {kPipeLimit});
  FrameChannel receiver(std::move(ends.second), {kPipeLimit});
  for (uint64_t id = 1; id <= 10; ++id) sender.send({FrameType::kCancel, id});
  receiver.close();
  int seen = 0;
  CHECK(receiver.serve([&](const Frame&) { return ++seen > 0; }));
  CHECK(seen == 10);
}

TEST_CASE("An answer waits until the other side has read enough, or is gone") {
  constexpr size_t kWaiting = 1 << 20;
  ChannelEnds ends = make_channel_ends();
  FrameChannel sender(std::move(ends.first), {kPipeLimit, kWaiting});
  FrameChannel receiver(std::move(ends.second), {kPipeLimit});
  const std::string payload(kWaiting / 2, 'x');
  std::atomic<int> sent{0};
  std::atomic<bool> is_gone{false};
  std::thread answers([&] {
    while (sender.send_when_room({FrameType::kResponseMessage, 1, {}, payload})) ++sent;
    is_gone = true;
  });
  // One may be in the pipe, in part, and two wait. What cancels finds room all the same.
  REQUIRE(eventually([&] { return sent >= 1; }));
  for (int i = 0; i < 100; ++i)
    REQUIRE(sender.send({FrameType::kCancel, 2}) == FrameChannel::Sent::kYes);
  CHECK(sent <= 3);
  const int before = sent;
  std::thread writing([&] { static_cast<void>(sender.serve([](const Frame&) { return true; })); });
  int seen = 0;
  CHECK(receiver.serve([&](const Frame& frame) {
    if (frame.type == FrameType::kResponseMessage) ++seen;
    return seen < before + 10;
  }));
  CHECK(sent > before);
  sender.close();
  answers.join();
  writing.join();
  CHECK(is_gone);
}

TEST_CASE("Whoever does not read at all is given up with a reason") {
  ChannelEnds ends = make_channel_ends();
  FrameChannel sender(std::move(ends.first), {1000, 1000});
  const std::string payload(1000, 'x');
  int sent = 0;
  while (sender.send({FrameType::kMessage, 1, {}, payload}) == FrameChannel::Sent::kYes) {
    REQUIRE(++sent < 10'000);
  }
  const auto served = sender.serve([](const Frame&) { return true; });
  REQUIRE_FALSE(served);
  CHECK(served.error().message() == "it does not read");
}
