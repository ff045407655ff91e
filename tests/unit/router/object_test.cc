// The object of a request, for logs: read from bytes that a stranger sent.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "router/method.h"
#include "tests/support/wire_writer.h"

namespace longshore::router {
namespace {

using test::WireWriter;

std::string object_in(const std::string& request, uint32_t field) {
  return object_of(request, field);
}

TEST_CASE("The object is the text or number of its field, the last one if there are several") {
  CHECK(object_in(WireWriter().text(1, "/a"), 1) == "/a");
  CHECK(object_in(WireWriter().number(2, 5).text(1, "/a").text(3, "x"), 1) == "/a");
  CHECK(object_in(WireWriter().number(4, 18446744073709551615u), 4) == "18446744073709551615");
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

TEST_CASE("Damaged requests end the reading, and never read further than they go") {
  CHECK(object_in("\x0a\x05/a", 1) == "");  // shorter than it says
  CHECK(object_in("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 1) == "");  // 2^64 - 1 bytes
  CHECK(object_in("\x0b\x0b", 1) == "");                                      // a group
  CHECK(object_in(std::string(20, '\xff'), 1) == "");  // a varint without end
  CHECK(object_in(WireWriter().text(1, "/a").bytes() + "\x0a\x7f", 1).size() <= 2);
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random() % 24, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    CHECK(object_in(bytes, 1).size() <= 24);
  }
}

}  // namespace
}  // namespace longshore::router
