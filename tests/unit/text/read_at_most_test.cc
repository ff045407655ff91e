// Streams that are read up to a limit.
#include "text/read_at_most.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace longshore::text {
namespace {

TEST_CASE("All of a stream is read, or nothing of one that is longer") {
  const std::string long_text(200'000, 'x');
  for (const std::string& text : {std::string(), std::string("abc"), long_text}) {
    std::istringstream stream(text);
    CHECK(read_at_most(stream, 200'000) == text);
  }
  std::istringstream longer(long_text);
  CHECK_FALSE(read_at_most(longer, 199'999));
}

}  // namespace
}  // namespace longshore::text
