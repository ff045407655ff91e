// Text that must not reach a terminal as it is, and the check that it has not.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "text/escape.h"

namespace longshore::test {

// Clears the screen, titles the window, forges a line, and turns the order of reading around; in
// escapes of 7 and of 8 bits.
inline const std::string kHostile =
    "x\x1b[2J\x1b]0;title\x07\r\nOK forged\xc2\x9b"
    "31m\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8\x7f";

// Nothing but line ends is left that is dangerous, and no line is a stranger's invention.
inline void check_harmless(const std::string& printed) {
  CHECK(text::escaped_lines(printed) == printed);
  CHECK(("\n" + printed).find("\nOK forged") == std::string::npos);
}

}  // namespace longshore::test
