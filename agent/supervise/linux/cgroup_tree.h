// Where in the tree of control groups (cgroup v2) a process is, as /proc tells it.
//
// Threads: plain functions.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::supervise {

struct PlaceInTree {
  std::string group;   // "/system.slice/longshore.service", as the kernel names it
  std::string folder;  // where the group's files are
};

// `process`: the folder below /proc that tells of it. An error says why the place is not known.
Result<PlaceInTree> place_in_tree(const std::string& process);

}  // namespace longshore::supervise
