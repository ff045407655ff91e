// Compression, and what pretends to be compressed.
#include "rpc/gzip.h"

#include <catch2/catch.hpp>
#include <string>

#include "longshore/secret.hpp"
#include "tests/support/freed_memory.h"

using namespace longshore;
using namespace longshore::rpc;
using namespace longshore::test;

TEST_CASE("What gzip makes smaller comes back as it was") {
  for (const size_t size : {600u, 16384u, 1000000u}) {
    const std::string plain(size, 'x');
    const std::string compressed = gzip_compress(plain);
    REQUIRE_FALSE(compressed.empty());
    CHECK(compressed.size() < plain.size());
    const auto back = gzip_decompress(compressed, size);
    REQUIRE(back.ok());
    CHECK(*back == plain);
  }
}

TEST_CASE("What gzip makes larger is left alone") {
  std::string noise;
  uint32_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    state = state * 1664525 + 1013904223;
    noise += static_cast<char>(state >> 24);
  }
  CHECK(gzip_compress(noise).empty());
  CHECK(gzip_compress("").empty());
}

TEST_CASE("Decompression stops at the limit") {
  const std::string bomb = gzip_compress(std::string(64u << 20, '\0'));
  REQUIRE(bomb.size() < 400000);
  const auto result = gzip_decompress(bomb, 1u << 20);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code() == StatusCode::kResourceExhausted);

  const std::string exact = gzip_compress(std::string(5000, 'x'));
  CHECK(gzip_decompress(exact, 5000).ok());
  CHECK_FALSE(gzip_decompress(exact, 4999).ok());
  CHECK_FALSE(gzip_decompress(exact, 0).ok());
}

TEST_CASE("What is not gzip is refused") {
  const std::string good = gzip_compress(std::string(5000, 'x'));
  std::string corrupt = good;
  corrupt[corrupt.size() - 6] ^= 1;  // the checksum
  for (const std::string& bytes :
       {std::string(), std::string("plain"), std::string(1000, '\0'), good.substr(0, 5),
        good.substr(0, good.size() - 1), corrupt, good + "x", good + good}) {
    const auto result = gzip_decompress(bytes, 1u << 20);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code() == StatusCode::kInternal);
  }
}

TEST_CASE("What was inflated stays nowhere, also when the message is refused") {
  const std::string plain = FreedMemory::secret_of(100'000);
  const std::string good = gzip_compress(plain);
  const FreedMemory freed;
  SECTION("good") {
    auto back = gzip_decompress(good, plain.size());
    REQUIRE(back);
    CHECK(*back == plain);
    wipe(*back);
  }
  SECTION("too large") { CHECK_FALSE(gzip_decompress(good, plain.size() - 1)); }
  SECTION("damaged") { CHECK_FALSE(gzip_decompress(good.substr(0, good.size() - 1), 1u << 20)); }
  SECTION("more follows") { CHECK_FALSE(gzip_decompress(good + "x", 1u << 20)); }
  CHECK(freed.found() == 0);
}
