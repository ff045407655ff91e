// What the demonstration does, step by step, as a csi-proxy client over the agent's sockets.
#pragma once

#include <string>
#include <vector>

namespace longshore::demo {

// One call and what must come of it.
struct Step {
  std::string what;      // for people
  std::string method;    // "PathExists"
  std::string request;   // JSON
  std::string expected;  // JSON on one line; empty: whatever comes is shown as it is
};

// The steps of one version, through its own socket.
struct Part {
  std::string service;  // "v1.Filesystem"
  std::string socket;
  std::vector<Step> steps;
};

// A tree of directories below the allowed root, in every version of the group.
std::vector<Part> tree_parts();
// A service and the serial number; of the service only when there is a bus to ask.
Part system_part(bool has_bus);

struct Count {
  int steps = 0;
  int as_expected = 0;
};

// Prints a row for each step; ends early when interrupted.
Count run_part(const Part& part);

}  // namespace longshore::demo
