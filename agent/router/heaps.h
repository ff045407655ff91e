// How the process keeps its memory.
#pragma once

namespace longshore::router {

// Two heaps for all threads: one for each thread would be memory that only that thread can use.
// Threads: the first one, before there are others. Owner: the process.
void share_heaps();

// Gives what is free in them back to the system, if it is worth the time: some milliseconds in
// which others wait for memory. [any thread that may block]
void give_back_heaps();

}  // namespace longshore::router
