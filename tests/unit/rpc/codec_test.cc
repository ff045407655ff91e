// What gRPC writes into header fields: percent-encoding, base64, timeouts, metadata.
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "rpc/metadata_codec.h"

using namespace longshore::rpc;
using namespace std::chrono_literals;

TEST_CASE("A message is percent-encoded outside printable ASCII") {
  struct Row {
    std::string plain;
    std::string encoded;
  };
  const std::vector<Row> rows = {
      {"", ""},
      {" space at the ends  ", "%20space at the ends %20"},
      {" ", "%20"},
      {"plain text, even ~ and space", "plain text, even ~ and space"},
      {"100%", "100%25"},
      {"line\nline\ttab\r", "line%0Aline%09tab%0D"},
      {"\xc3\xa9", "%C3%A9"},
      {std::string("\0\x7f\xff", 3), "%00%7F%FF"},
      {"%41", "%2541"},
  };
  for (const Row& row : rows) {
    CHECK(percent_encode(row.plain) == row.encoded);
    CHECK(percent_decode(row.encoded) == row.plain);
  }
}

TEST_CASE("A broken percent escape stays as it is") {
  CHECK(percent_decode("%") == "%");
  CHECK(percent_decode("%4") == "%4");
  CHECK(percent_decode("%4g") == "%4g");
  CHECK(percent_decode("%g4") == "%g4");
  CHECK(percent_decode("%%41") == "%A");
  CHECK(percent_decode("a%c3%A9z") == "a\xc3\xa9z");
}

TEST_CASE("base64 is written without padding and read with or without it") {
  struct Row {
    std::string bytes;
    std::string bare;
    std::string padded;
  };
  const std::vector<Row> rows = {
      {"", "", ""},
      {"f", "Zg", "Zg=="},
      {"fo", "Zm8", "Zm8="},
      {"foo", "Zm9v", "Zm9v"},
      {"foob", "Zm9vYg", "Zm9vYg=="},
      {std::string("\0\xff\xfe", 3), "AP/+", "AP/+"},
  };
  for (const Row& row : rows) {
    CHECK(base64_encode(row.bytes) == row.bare);
    CHECK(base64_decode(row.bare) == row.bytes);
    CHECK(base64_decode(row.padded) == row.bytes);
  }
}

TEST_CASE("What is not base64 is refused") {
  for (const std::string text : {"Z", "Zm9vY", "Zm9v Yg", "Zg=", "Zg===", "=",
                                 "====", "Z===", "Zm-_", "Zm9v\n", "Z=g=", "\xff\xff"}) {
    CAPTURE(text);
    CHECK_FALSE(base64_decode(text));
  }
}

TEST_CASE("A timeout has one to eight digits and a unit") {
  struct Row {
    std::string text;
    std::chrono::nanoseconds timeout;
  };
  const std::vector<Row> rows = {
      {"1n", 1ns},
      {"2u", 2us},
      {"3m", 3ms},
      {"4S", 4s},
      {"5M", 5min},
      {"6H", 6h},
      {"0S", 0s},
      {"007m", 7ms},
      {"99999999n", 99999999ns},
      {"99999999S", 99999999s},
      {"99999999H", std::chrono::nanoseconds(std::numeric_limits<int64_t>::max())},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(parse_timeout(row.text) == row.timeout);
  }
  for (const std::string text : {"", "1", "S", "-1S", "+1S", "1.5S", "1s", "1h", "1 S", " 1S",
                                 "1SS", "123456789S", "0x1S", "1Sn", "１S"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_timeout(text));
  }
}

TEST_CASE("A timeout is written in the finest unit that fits, and never becomes shorter") {
  CHECK(format_timeout(-5s) == "0n");
  CHECK(format_timeout(0ns) == "0n");
  CHECK(format_timeout(1ns) == "1n");
  CHECK(format_timeout(99999999ns) == "99999999n");
  CHECK(format_timeout(100000001ns) == "100001u");
  CHECK(format_timeout(30s) == "30000000u");
  CHECK(format_timeout(24h) == "86400000m");
  CHECK(format_timeout(std::chrono::hours(1000000)) == "60000000M");
  CHECK(format_timeout(std::chrono::nanoseconds::max()) == "2562048H");
  for (const auto timeout : {1ns, 999999999ns, 123456789012ns, 987654321098765ns}) {
    CHECK(*parse_timeout(format_timeout(timeout)) >= timeout);
  }
}

TEST_CASE("Binary metadata is decoded, also several values in one field") {
  Metadata metadata;
  CHECK(append_received(metadata, "text", "a,b"));
  CHECK(append_received(metadata, "one-bin", "Zm9v"));
  CHECK(append_received(metadata, "more-bin", "Zg==,Zm8 , Zm9v,"));
  CHECK(metadata == Metadata{{"text", "a,b"},
                             {"one-bin", "foo"},
                             {"more-bin", "f"},
                             {"more-bin", "fo"},
                             {"more-bin", "foo"},
                             {"more-bin", ""}});
  CHECK_FALSE(append_received(metadata, "bad-bin", "Zm9v,?"));
}

TEST_CASE("Only what gRPC allows is sent as metadata") {
  CHECK(is_sendable("key", "value"));
  CHECK(is_sendable("a.b_c-1", ""));
  CHECK(is_sendable("x-bin", std::string("\0\n\xff", 3)));
  CHECK(is_sendable("grpc-status-details-bin", "x"));
  CHECK_FALSE(is_sendable("", "value"));
  CHECK_FALSE(is_sendable("Key", "value"));
  CHECK_FALSE(is_sendable("k y", "value"));
  CHECK_FALSE(is_sendable(":path", "value"));
  CHECK_FALSE(is_sendable("grpc-status", "0"));
  CHECK_FALSE(is_sendable("te", "trailers"));
  CHECK_FALSE(is_sendable("content-type", "x"));
  CHECK_FALSE(is_sendable("key", "line\nline"));
  CHECK_FALSE(is_sendable("key", "\xc3\xa9"));
}

TEST_CASE("gRPC's content type may have a suffix, and nothing else") {
  CHECK(is_grpc_content_type("application/grpc"));
  CHECK(is_grpc_content_type("application/grpc+proto"));
  CHECK(is_grpc_content_type("application/grpc;charset=utf-8"));
  CHECK_FALSE(is_grpc_content_type("application/grpc-web"));
  CHECK_FALSE(is_grpc_content_type("application/json"));
  CHECK_FALSE(is_grpc_content_type("application/grp"));
  CHECK_FALSE(is_grpc_content_type(""));
}
