#include "tools/longshorectl/paint.h"

#include <catch2/catch.hpp>

namespace longshore::ctl {
namespace {

TEST_CASE("there are colours on a terminal, unless somebody objects") {
  CHECK(wants_colours("auto", {true, "", "xterm"}));
  CHECK_FALSE(wants_colours("auto", {false, "", "xterm"}));
  CHECK_FALSE(wants_colours("auto", {true, "1", "xterm"}));
  CHECK_FALSE(wants_colours("auto", {true, "", "dumb"}));
}

TEST_CASE("the command line has the last word on colours") {
  CHECK(wants_colours("always", {false, "1", "dumb"}));
  CHECK_FALSE(wants_colours("never", {true, "", "xterm"}));
}

TEST_CASE("a colour ends where its text ends") {
  CHECK(Paint(true)(Tone::kBad, "failed").bytes() == "\x1b[31mfailed\x1b[0m");
  CHECK(Paint(true)(Tone::kPlain, "plain").bytes() == "plain");
  CHECK(Paint(true)(Tone::kBad, "").empty());
  CHECK(Paint(false)(Tone::kBad, "failed").bytes() == "failed");
}

TEST_CASE("words have the tone of what they mean") {
  CHECK(tone_of("serving") == Tone::kGood);
  CHECK(tone_of("OK") == Tone::kGood);
  CHECK(tone_of("NOT_FOUND") == Tone::kBad);
  CHECK(tone_of("failed") == Tone::kBad);
  CHECK(tone_of("warning") == Tone::kAttention);
  CHECK(tone_of("of a later version") == Tone::kPlain);
  CHECK(tone_of("") == Tone::kPlain);
}

}  // namespace
}  // namespace longshore::ctl
