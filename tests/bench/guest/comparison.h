// The agent and the plain commands, which take turns at the same work.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/bench/disks/stopwatch.h"

namespace longshore::bench {

// One side's way through a round: it times its steps, in the same order every time.
using Way = std::function<void(Stopwatch&)>;

// Runs a round that does not count, and then `rounds` in which each side begins every other time.
// Prints a table: each step of the agent's above the commands' step in the same place, the least,
// the middle and the worst, and how many times as long the agent takes. On a machine that is busy
// with other things the least says most.
void compare(int rounds, const Way& agent, const Way& commands);

// Runs a plain command, an absolute path first; throws, with what it said, when it fails.
void must_run(const std::vector<std::string>& command);

}  // namespace longshore::bench
