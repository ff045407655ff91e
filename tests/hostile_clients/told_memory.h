// What an agent says that it holds for its clients, in each place where it says so.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/hostile_clients/attacked_agent.h"

namespace longshore::hostile_clients {

struct ToldMemory {
  uint64_t used = 0;
  uint64_t refusals = 0;
};

// By the place, as "GetStatus, the endpoint": of the endpoint "echo" and of the whole agent, over
// the control socket and both pages of HTTP. Throws where nothing is told.
std::map<std::string, ToldMemory> told_memory(const AttackedAgent& agent);

}  // namespace longshore::hostile_clients
