#include "tools/longshorectl/time_text.h"

#include <catch2/catch.hpp>
#include <cstdint>

namespace longshore::ctl {
namespace {

TEST_CASE("times are told in the unit that fits") {
  CHECK(short_time_text(0) == "0 µs");
  CHECK(short_time_text(999) == "999 µs");
  CHECK(short_time_text(1250) == "1.25 ms");
  CHECK(short_time_text(3'500'000) == "3.50 s");
  CHECK(duration_text(6789) == "6.789s");
  CHECK(duration_text(245'000) == "4m 5s");
  CHECK(duration_text(3'600'000) == "1h 0m");
  CHECK(duration_text(183'600'000) == "2d 3h");
}

TEST_CASE("moments are told as the log tells them") {
  CHECK(time_text(0) == "1970-01-01T00:00:00.000Z");
  CHECK(time_text(1'795'235'495'123) == "2026-11-21T04:31:35.123Z");
  CHECK(time_text(-1) == "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace longshore::ctl
