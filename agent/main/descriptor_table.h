// How many descriptors the process may have open, and the kernel's table for them.
#pragma once

namespace longshore {

// Raises the limit, as far as it may, to what the connections of `[agent.limits]` can need: the
// usual one of 1,024 is meant for programs that use select(2). Processes of modules have limits of
// their own. The table gets its full size too, 8 bytes a descriptor: where a process has threads,
// each doubling of it waits until all processors have seen the old one go, 10 to 20 ms in which a
// client could have an accept hold up everybody's calls.
// Threads: the first one, before there are others. Owner: the process.
void prepare_descriptor_table();

}  // namespace longshore
