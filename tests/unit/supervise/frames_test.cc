#include "supervise/frames.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

using namespace longshore;
using namespace longshore::supervise;

namespace {

constexpr size_t kFrameLimit = 1 << 20;

std::string written(const Frame& frame) {
  const FrameHeader header = header_of(frame);
  return std::string(header.data(), header.size()) + std::string(frame.head) +
         std::string(frame.payload);
}

void feed(FrameReader& reader, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::span<char> room = reader.room();
    const size_t count = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), count);
    reader.filled(count);
    bytes.remove_prefix(count);
  }
}

std::string error_of(const std::string& bytes, size_t limit = kFrameLimit) {
  FrameReader reader(limit);
  feed(reader, bytes);
  const auto frame = reader.next();
  return frame ? "no error" : frame.error().message();
}

}  // namespace

TEST_CASE("A frame is read as it was written, whatever pieces it comes in") {
  const std::string head(300, 'h');
  const std::string payload = std::string(100'000, 'p') + '\0' + "end";
  const std::string bytes = written({FrameType::kCall, 0x1122334455667788, head, payload}) +
                            written({FrameType::kCancel, 7, {}, {}});
  for (const size_t piece : {size_t{1}, size_t{23}, size_t{24}, size_t{4096}, bytes.size()}) {
    INFO(piece);
    FrameReader reader(kFrameLimit);
    std::vector<std::string> seen;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      feed(reader, std::string_view(bytes).substr(at, piece));
      for (;;) {
        const auto frame = reader.next();
        REQUIRE(frame);
        if (!*frame) break;
        seen.push_back(written(**frame));
        if (seen.size() == 1) {
          CHECK((*frame)->type == FrameType::kCall);
          CHECK((*frame)->id == 0x1122334455667788);
          CHECK((*frame)->head == head);
          CHECK((*frame)->payload == payload);
        }
      }
    }
    REQUIRE(seen.size() == 2);
    CHECK(seen[0] + seen[1] == bytes);
  }
}

TEST_CASE("The layout of a header is fixed") {
  const FrameHeader header = header_of({FrameType::kGrant, 0x0102, "abc", "de"});
  CHECK(std::string(header.data(), header.size()) ==
        std::string("\x08\0\0\0\x03\0\0\0\x02\0\0\0\0\0\0\0\x02\x01\0\0\0\0\0\0", 24));
  CHECK(header_of({FrameType::kGrant, 0, {}, {}, true})[12] == 1);
}

TEST_CASE("An unknown type, a damaged header and too many bytes are errors") {
  std::string bytes = written({FrameType::kCall, 1, "head", "payload"});
  SECTION("type 0") {
    bytes[0] = 0;
    CHECK(error_of(bytes) == "cannot read a frame: there is no type 0");
  }
  SECTION("a type after the last") {
    bytes[0] = static_cast<char>(static_cast<uint32_t>(kLastFrameType) + 1);
    CHECK(error_of(bytes).find("there is no type") != std::string::npos);
  }
  SECTION("bytes that are zero") {
    bytes[13] = 1;
    CHECK(error_of(bytes) == "cannot read a frame: its header is damaged");
  }
  SECTION("over the limit, told from the header alone") {
    CHECK(error_of(bytes.substr(0, kFrameHeaderBytes), 10) ==
          "cannot read a frame: it has 11 bytes, more than the limit of 10");
    CHECK(error_of(bytes, 11) == "no error");
  }
  SECTION("sizes whose sum does not fit into 32 bits") {
    for (size_t i = 4; i < 12; ++i) bytes[i] = '\xff';
    CHECK(error_of(bytes).find("it has 8589934590 bytes") != std::string::npos);
  }
}

TEST_CASE("A frame that is cut short is none yet") {
  const std::string bytes = written({FrameType::kLog, 1, "head", "payload"});
  for (size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    FrameReader reader(kFrameLimit);
    feed(reader, bytes.substr(0, size));
    const auto frame = reader.next();
    REQUIRE(frame);
    CHECK_FALSE(*frame);
  }
}

TEST_CASE("A frame with a secret says so, and is wiped when the next is asked for") {
  const std::string secret(3000, 's');
  FrameReader reader(kFrameLimit);
  feed(reader, written({FrameType::kCall, 7, "head", secret, true}) +
                   written({FrameType::kCall, 8, "head", "open"}));
  const auto first = reader.next();
  REQUIRE(first);
  REQUIRE(*first);
  CHECK((*first)->is_secret);
  const std::string_view bytes = (*first)->payload;
  REQUIRE(bytes == secret);
  const auto second = reader.next();
  REQUIRE(second);
  REQUIRE(*second);
  CHECK_FALSE((*second)->is_secret);
  CHECK((*second)->payload == "open");
  CHECK(bytes == std::string(secret.size(), '\0'));
}

TEST_CASE("A part of a secret is left nowhere when it is moved") {
  const std::string secret(3000, 's');
  FrameReader reader(kFrameLimit);
  const std::string bytes = written({FrameType::kCall, 8, "head", "open"}) +
                            written({FrameType::kCall, 7, {}, secret, true});
  feed(reader, bytes.substr(0, bytes.size() - 1));
  REQUIRE(reader.next().value());
  REQUIRE_FALSE(reader.next().value());
  const std::span<char> room = reader.room();
  CHECK(std::count(room.begin(), room.end(), 's') == 0);
  feed(reader, "s");
  const auto frame = reader.next();
  REQUIRE(frame);
  REQUIRE(*frame);
  CHECK((*frame)->payload == secret);
}
