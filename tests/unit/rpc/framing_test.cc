// gRPC's messages in a stream of bytes, in both directions.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "rpc/message_framing.h"
#include "rpc/send_queue.h"

using namespace longshore::rpc;
using Step = MessageReader::Step;

namespace {

std::string framed(const std::string& message) {
  const auto prefix = message_prefix(message.size());
  return std::string(prefix.data(), prefix.size()) + message;
}

// Feeds `bytes` in pieces of `portion` and collects the messages.
std::vector<std::string> read_all(MessageReader& reader, const std::string& bytes, size_t portion) {
  std::vector<std::string> messages;
  for (size_t offset = 0; offset < bytes.size(); offset += portion) {
    std::string_view piece = std::string_view(bytes).substr(offset, portion);
    while (!piece.empty() && reader.read(piece) == Step::kMessage) {
      messages.push_back(reader.take_message());
    }
  }
  return messages;
}

}  // namespace

TEST_CASE("The prefix is a flag of 0 and the length, most significant byte first") {
  const auto prefix = message_prefix(0x01020304);
  CHECK(std::string(prefix.data(), prefix.size()) == std::string("\0\x01\x02\x03\x04", 5));
}

TEST_CASE("A message is handed over in memory of its own, however short") {
  const std::string bytes = framed("a") + framed(std::string(300, 'x'));
  for (const size_t portion : {1u, 1000u}) {
    MessageReader reader(1000);
    for (std::string& message : read_all(reader, bytes, portion)) {
      const char* const place = message.data();
      const std::string moved = std::move(message);
      CHECK(moved.data() == place);
    }
  }
}

TEST_CASE("Messages are found whatever the portions are") {
  const std::vector<std::string> messages = {"", "a", std::string(300, 'x'), "", "end"};
  std::string bytes;
  for (const std::string& message : messages) bytes += framed(message);
  for (const size_t portion : {1u, 2u, 4u, 5u, 6u, 7u, 100u, 10000u}) {
    CAPTURE(portion);
    MessageReader reader(1000);
    CHECK(read_all(reader, bytes, portion) == messages);
    CHECK(reader.held_bytes() == 0);
  }
}

TEST_CASE("A reader knows what it holds of a message that is not whole") {
  MessageReader reader(1000);
  const std::string bytes = framed(std::string(10, 'x'));
  std::string_view piece = std::string_view(bytes).substr(0, 3);
  CHECK(reader.read(piece) == Step::kMoreNeeded);
  CHECK(reader.held_bytes() == 3);
  CHECK_FALSE(reader.prefix_is_whole());
  piece = std::string_view(bytes).substr(3, 6);
  CHECK(reader.read(piece) == Step::kMoreNeeded);
  CHECK(reader.held_bytes() == 9);
  CHECK(reader.length() == 10);
}

TEST_CASE("A message over the limit is noticed by its length alone") {
  MessageReader reader(10);
  const std::string at_limit = framed(std::string(10, 'x'));
  std::string_view piece = at_limit;
  CHECK(reader.read(piece) == Step::kMessage);
  CHECK(reader.take_message().size() == 10);
  const std::string over = framed(std::string(11, 'x')).substr(0, 5);
  piece = over;
  CHECK(reader.read(piece) == Step::kTooLarge);
  CHECK(reader.length() == 11);
}

TEST_CASE("A length of four gigabytes reserves nothing") {
  MessageReader reader(1000);
  std::string_view piece("\0\xff\xff\xff\xff", 5);
  CHECK(reader.read(piece) == Step::kTooLarge);
  CHECK(reader.length() == 0xffffffff);
}

TEST_CASE("A compressed message is noticed by its flag alone") {
  MessageReader reader(1000);
  std::string_view piece("\1\0\0\0\12", 5);
  CHECK(reader.read(piece) == Step::kCompressed);
}

TEST_CASE("A flag other than 0 and 1 breaks the framing") {
  for (const char flag : {'\x02', '\x7f', '\xff'}) {
    MessageReader reader(1000);
    const std::string bytes = std::string(1, flag) + std::string(4, '\0');
    std::string_view piece = bytes;
    CHECK(reader.read(piece) == Step::kBroken);
  }
}

TEST_CASE("A send queue hands out its messages in any portions") {
  const std::string expected = framed("first") + framed("") + framed(std::string(50, 'z'));
  for (const size_t portion : {1u, 3u, 5u, 9u, 100u}) {
    CAPTURE(portion);
    SendQueue queue;
    queue.push("first");
    queue.push("");
    queue.push(std::string(50, 'z'));
    CHECK(queue.size() == expected.size());
    std::string output;
    while (queue.size() > 0) queue.take(std::min(portion, queue.size()), output);
    CHECK(output == expected);
  }
}

TEST_CASE("A long send queue that never runs empty stays in order") {
  SendQueue queue;
  std::string expected;
  std::string output;
  for (int i = 0; i < 1000; ++i) {
    queue.push(std::to_string(i));
    expected += framed(std::to_string(i));
    if (i > 3) queue.take(6, output);
  }
  queue.take(queue.size(), output);
  CHECK(output == expected);
}

TEST_CASE("A send queue that keeps what was sent can start again") {
  SendQueue queue;
  queue.keep_sent();
  queue.push("request");
  queue.end();
  std::string output;
  queue.take(8, output);
  queue.rewind();
  output.clear();
  CHECK(queue.size() == 12);
  queue.take(12, output);
  CHECK(output == framed("request"));
  CHECK(queue.ended());
  queue.drop_sent();
  CHECK(queue.size() == 0);
}
