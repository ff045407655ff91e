// What the system tells of the agent and of the processes of its modules, and does to them.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "tests/support/process_figures.h"

namespace longshore::hostile_clients {

#if defined(_WIN32)
using ProcessId = unsigned long;
// A heap there keeps what was freed to it, so nothing tells what is held still; but handles do.
inline constexpr bool kMemoryComesBack = false;
// To start an agent under Wine costs more than most attacks do.
inline constexpr bool kAgentsAreShared = true;
// Of those that a connection may have, where each byte goes through Wine's server.
inline constexpr int kPlainStreams = 256;
inline constexpr std::chrono::milliseconds kLookInterval{50};
// Keys of an endpoint with which everybody may connect, and a user who is no attacker.
inline constexpr const char* kOpenToAll = "";
inline constexpr const char* kOwner = "S-1-5-18";
#else
using ProcessId = int;
inline constexpr bool kMemoryComesBack = test::kMemoryTellsLeaks;
inline constexpr bool kAgentsAreShared = false;
inline constexpr int kPlainStreams = 1024;
// A look costs the more the larger the process, and with sanitizers its memory is not judged.
inline constexpr std::chrono::milliseconds kLookInterval{test::kMemoryTellsLeaks ? 10 : 50};
inline constexpr const char* kOpenToAll = "mode = \"0666\"\n";
inline constexpr const char* kOwner = "root";
#endif

// Memory of the process's own that is in use, in bytes.
size_t own_bytes(ProcessId process);

// Seconds of processor time, in the process and in the kernel.
double processor_seconds(ProcessId process);

// What it has open: descriptors, or handles.
size_t open_handles(ProcessId process);

// The processes that it has started and that have not ended.
std::vector<ProcessId> children_of(ProcessId process);

// None of its threads runs until `resume`.
void suspend(ProcessId process);
void resume(ProcessId process);

// What an attack may need that not every system has.
enum class Need {
  kNothing,
  kUsers,        // clients of several users
  kDescriptors,  // what is open in a process can be sent along with bytes
};
// Empty where this system has it; else the need in words.
const char* lacks(Need need);

}  // namespace longshore::hostile_clients
