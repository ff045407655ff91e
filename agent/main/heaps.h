// How the process keeps its memory.
#pragma once

namespace longshore {

// Two heaps for all threads: one for each thread would be memory that only that thread can use.
// Threads: the first one, before there are others. Owner: the process.
void share_heaps();

}  // namespace longshore
