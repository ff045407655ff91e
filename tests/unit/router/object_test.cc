// The object of a request, for logs: read from bytes that a stranger sent.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "router/method.h"
#include "tests/support/wire_writer.h"

namespace longshore::router {
namespace {

using namespace std::string_literals;
using test::WireWriter;

std::string object_in(const std::string& request, uint32_t field, int type = kString) {
  Method method;
  method.object_field = field;
  method.object_type = type;
  return object_of(request, method);
}

TEST_CASE("The object is the text or number of its field, the last one if there are several") {
  CHECK(object_in(WireWriter().text(1, "/a"), 1) == "/a");
  CHECK(object_in(WireWriter().number(2, 5).text(1, "/a").text(3, "x"), 1) == "/a");
  CHECK(object_in(WireWriter().number(4, 18446744073709551615u), 4, kUint64) ==
        "18446744073709551615");
  CHECK(object_in(WireWriter().text(1, "/a").text(1, "/b"), 1) == "/b");
  CHECK(object_in(WireWriter().text(500, "far"), 500) == "far");
}

TEST_CASE("Without the field, or without a method that names one, there is no object") {
  CHECK(object_in("", 1) == "");
  CHECK(object_in(WireWriter().text(1, "/a"), 2) == "");
  CHECK(object_in(WireWriter().text(1, "/a"), 0) == "");
}

TEST_CASE("Fixed fields on the way are passed over") {
  const std::string fixed64 = "\x11" + std::string(8, '\xff');
  const std::string fixed32 = "\x1d" + std::string(4, '\xff');
  CHECK(object_in(fixed64 + fixed32 + WireWriter().text(1, "/a").bytes(), 1) == "/a");
}

TEST_CASE("What the module's parser does not take for the object is none") {
  const auto five = WireWriter().number(1, 5);
  CHECK(object_in(five.bytes() + "\x0a\x01\x37"s, 1, kUint32) == "5");  // 55, packed
  CHECK(object_in(five.bytes() + "\x0d\x37\0\0\0"s, 1, kUint32) == "5");
  CHECK(object_in(WireWriter().text(1, "/a").number(1, 5), 1) == "/a");
  CHECK(object_in(five, 1) == "");
}

TEST_CASE("Numbers of 32 bits are what is left of longer ones") {
  CHECK(object_in(WireWriter().number(1, (uint64_t{1} << 32) + 5), 1, kUint32) == "5");
  CHECK(object_in(WireWriter().number(1, (uint64_t{1} << 32) + 5), 1, kEnum) == "5");
  CHECK(object_in(WireWriter().number(1, (uint64_t{1} << 32) + 5), 1, kUint64) == "4294967301");
  CHECK(object_in(WireWriter().number(1, ~uint64_t{0}), 1, kInt32) == "-1");
  CHECK(object_in(WireWriter().number(1, uint64_t{1} << 63), 1, kInt64) == "-9223372036854775808");
  // Tags, too: this one is of field 1.
  CHECK(object_in("\x88\x80\x80\x80\x10\x37"s, 1, kUint32) == "55");
}

TEST_CASE("Groups, which nobody described, hide nothing behind them and add nothing") {
  const std::string object = WireWriter().text(1, "/a").bytes();
  CHECK(object_in("\xa3\x06\xa4\x06" + object, 1) == "/a");
  CHECK(object_in("\xa3\x06\x0b\x08\x05\x0d\1\2\3\4\x0c\x0a\x01x\xa4\x06" + object, 1) == "/a");
  CHECK(object_in(object + "\xa3\x06\x0a\x01x\xa4\x06", 1) == "/a");
  CHECK(object_in(std::string(100000, '\x0b') + std::string(100000, '\x0c') + object, 1) == "/a");
  CHECK(object_in("\x0c" + object, 1) == "");  // ends one that did not begin
}

TEST_CASE("Damaged requests end the reading, and never read further than they go") {
  CHECK(object_in("\x0a\x05/a", 1) == "");  // shorter than it says
  CHECK(object_in("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 1) == "");  // 2^64 - 1 bytes
  CHECK(object_in("\x0b\x0b", 1) == "");                                      // groups without end
  CHECK(object_in(std::string(20, '\xff'), 1) == "");  // a varint without end
  CHECK(object_in(WireWriter().text(1, "/a").bytes() + "\x0a\x7f", 1).size() <= 2);
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random() % 24, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    CHECK(object_in(bytes, 1).size() <= 24);
    CHECK(object_in(bytes, 1, kInt64).size() <= 20);
  }
}

}  // namespace
}  // namespace longshore::router
