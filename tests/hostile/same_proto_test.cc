// Two modules whose .proto files, messages and C++ types have the same names and other contents,
// compiled with other options: each keeps to its own.
#include <catch2/catch.hpp>

#include "hostile_world.h"
#include "tests/support/wire_writer.h"

namespace longshore::hostile {
namespace {

using test::WireWriter;

TEST_CASE("Modules with two meanings of one message do not disturb each other") {
  Subject first("longshore-depot-first");
  Subject second("longshore-depot-second");
  first.started();
  second.started();
  const std::string part = WireWriter().text(1, "bolt").text(2, WireWriter().number(1, 1).bytes());
  for (int round = 0; round < 100; ++round) {
    const Answer one = first.call(WireWriter().text(1, "nails").number(2, 8).bytes());
    CHECK(one.code == StatusCode::kOk);
    CHECK(one.message == std::string(WireWriter().text(1, "nails").number(2, 7)));
    const Answer other = second.call(WireWriter().number(1, 8).text(2, "bolt"));
    CHECK(other.code == StatusCode::kOk);
    CHECK(other.message == std::string(WireWriter().number(1, 8).text(3, part)));
  }
  CHECK(first.call("\xff").code == StatusCode::kInvalidArgument);
  CHECK(second.call("\xff").code == StatusCode::kInvalidArgument);
  CHECK(first.stop() == "");
  CHECK(second.stop() == "");
}

}  // namespace
}  // namespace longshore::hostile
