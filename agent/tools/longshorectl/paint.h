// Colours, for people at a terminal.
#pragma once

#include <optional>
#include <string_view>

#include "tools/longshorectl/printed_text.h"

namespace longshore::ctl {

enum class Tone { kPlain, kGood, kAttention, kBad, kFaint, kHeading };

class Paint {
 public:
  explicit Paint(bool enabled = false) : enabled_(enabled) {}

  // The text in the tone's colour, or as it is where there are none.
  PrintedText operator()(Tone tone, PrintedText text) const;

 private:
  bool enabled_;
};

// The choice of the command line counts ("always", "never"); with "auto" there are colours on a
// terminal that is not "dumb", unless NO_COLOR is set to anything.
struct ColourSurroundings {
  bool is_terminal = false;
  std::string_view no_color;  // the variable's value; empty as unset
  std::string_view terminal;  // TERM
};
bool wants_colours(std::string_view choice, const ColourSurroundings& surroundings);

// How the words for states, outcomes and levels are shown.
Tone tone_of(std::string_view word);

}  // namespace longshore::ctl
