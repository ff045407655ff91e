// The terminal that a command shows a picture on which it renews.
#pragma once

#include <chrono>
#include <memory>

#include "longshore/result.hpp"
#include "tools/longshorectl/printed_text.h"

namespace longshore::ctl {

enum class Stream { kInput, kOutput, kErrors };  // by their descriptors

bool is_terminal(Stream stream);

// Waits for what ends a command that goes on by itself: SIGINT, SIGTERM or SIGHUP, and on a screen
// also the key q. Those signals are blocked as long as it lives, so that what the command has set
// up is taken down in order.
// Threads: the program's only one. Owner: the command.
class EndWatch {
 public:
  virtual ~EndWatch() = default;
  // True when the command shall end; false when the time has passed.
  virtual bool wait(std::chrono::nanoseconds time) = 0;
  static Result<std::unique_ptr<EndWatch>> begin();
};

// The terminal's alternate screen, with keys unechoed; as it was before when this is destroyed.
class Screen {
 public:
  virtual ~Screen() = default;
  // Replaces what is shown by these lines, cut to the screen's size; the terminal wraps none.
  virtual void show(const PrintedText& lines) = 0;
  // Standard input and output must be terminals.
  static Result<std::unique_ptr<Screen>> open();
};

}  // namespace longshore::ctl
