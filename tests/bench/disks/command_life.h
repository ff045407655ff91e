// The life of a volume by the commands that an administrator would type.
#pragma once

#include <string>

#include "tests/bench/disks/stopwatch.h"
#include "tests/support/loop_disk.h"

namespace longshore::bench {

// Runs a command by the path of PATH; throws, with what it said, when it fails. `input` is its
// standard input.
void run_command(const std::string& command_line, const std::string& input = {});

// Partition, format, mount, grow, unmount; the disk grows to `grown` bytes in between (0: it does
// not, where the filesystem may not be grown here).
void live_by_commands(test::LoopDisk& disk, const std::string& filesystem,
                      const std::string& target, uint64_t grown, Stopwatch& times);

}  // namespace longshore::bench
