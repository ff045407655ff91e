// What the demonstration does, step by step, as a csi-proxy client over the agent's sockets.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longshore/result.hpp"
#include "tests/demo/values.h"

namespace longshore::demo {

// One call and what must come of it, or something that the demonstration does itself.
struct Step {
  std::string what;      // for people
  std::string method;    // "PathExists"
  std::string request;   // JSON, with the names of values
  std::string expected;  // JSON on one line, with the names of values; empty: whatever comes
  // What else must hold; the values of the answer are known by then.
  std::function<bool(const Values&)> holds = {};
  // Instead of a call; what it says is shown.
  std::function<Result<std::string>()> action = {};
};

// The steps of one version, through its own socket.
struct Part {
  std::string service;  // "v1.Filesystem"
  std::string socket;   // empty: its steps make no calls
  std::vector<Step> steps;
};

std::string socket_of(const std::string& group, const std::string& version);

// A tree of directories below the allowed root, in every version of the group.
std::vector<Part> tree_parts();
// A service and the serial number; of the service only when there is a bus to ask.
Part system_part(bool has_bus);

struct Count {
  int steps = 0;
  int as_expected = 0;
};

void print_head();
// Prints a row for each step; ends early when interrupted.
Count run_part(const Part& part, Values& values);

}  // namespace longshore::demo
