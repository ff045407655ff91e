// What the process of an agent does before all else and at its very end, whichever program it is.
//
//   started ──prepare_process──► a MemoryReserve(end_without_memory) ──work──► end_process
//
// Threads: `end_without_memory` any; the rest the main thread, before and after all others.
// Owner: main().
#pragma once

namespace longshore {

// SIGTERM and SIGINT end it with 0 from then on, until the agent waits for them itself.
// `program` is what the process calls itself where it ends at once; it lives as long as that.
void prepare_process(const char* program);

// Nothing is unwound, see router/memory_reserve.h. The crash record tells the call and the place,
// and who runs the agent starts it again. Needs no memory.
void end_without_memory();

// Ends the process without its destructors: modules may have left threads behind.
[[noreturn]] void end_process(int exit_code);

}  // namespace longshore
