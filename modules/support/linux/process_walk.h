// The processes that /proc shows, but for this one: for whoever looks for the one that keeps
// something in use.
//
// A node may have any number of them, with any number of files: a walk has so much time and so many
// looks, and then ends.
//
// Threads: one. Owner: a search.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "longshore/deadline.hpp"
#include "support/linux/directory_reader.h"

namespace longshore::support {

struct ProcessWalkOptions {
  std::string proc = "/proc";
  // Of the clock, so that nobody waits longer; a busy node needs more of it for the same looks.
  std::chrono::milliseconds time{5000};
  size_t looks = 200'000;
};

class ProcessWalk {
 public:
  using Options = ProcessWalkOptions;

  explicit ProcessWalk(const Options& options);

  // The folder of the next one ("/proc/812"); nothing at the end, or if it was cut short.
  std::optional<std::string> next();
  // From the first one again, with what is left of time and looks.
  void rewind() { processes_.rewind(); }

  // To be asked before each look at something of a process.
  bool may_look();
  bool was_cut_short() const { return was_cut_short_; }

 private:
  const std::string proc_;
  const std::string self_;
  const Deadline::Clock::time_point last_;
  size_t looks_;
  bool was_cut_short_ = false;
  DirectoryReader processes_;
};

// "process 812 (postgres)", of its folder. Whatever it calls itself, this is one line of ASCII.
std::string process_name(const std::string& folder);

}  // namespace longshore::support
