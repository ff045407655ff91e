// So many allocations in a row fail that the agent's reserve is used up: one connection ends, or
// else the agent, which says why. Nobody waits for ever, and what was acknowledged is so.
#include <catch2/catch.hpp>
#include <cstdint>

#include "tests/faults/memory_faults_agent.h"
#include "tests/support/is_long.h"

using namespace longshore;
using namespace longshore::test;

namespace {

// One more than the reserve makes good, and so many that nothing goes on.
constexpr uint64_t kRuns[] = {9, 64};

uint64_t step_of_calls() { return is_long() ? 1 : 29; }
uint64_t step_of_reloads() { return is_long() ? 5 : 499; }

}  // namespace

TEST_CASE("Calls are answered, or end with their connection or the agent, without a reserve") {
  MemoryFaultsAgent agent;
  MemoryFaultsAgent::Ends ends;
  for (const uint64_t in_a_row : kRuns) {
    const auto more = agent.exhaust_each(step_of_calls(), in_a_row, [&] { agent.make_calls(); });
    ends.of_connections += more.of_connections;
    ends.of_agents += more.of_agents;
  }
  CHECK(ends.of_connections > 0);
  CHECK(ends.of_agents > 0);
  CHECK(agent.stop() == 0);
}

TEST_CASE("A reload is done or refused, or ends with the agent, without a reserve") {
  MemoryFaultsAgent agent;
  int ended_agents = 0;
  for (const uint64_t in_a_row : kRuns) {
    const auto ends = agent.exhaust_each(step_of_reloads(), in_a_row, [&] { agent.reload(false); });
    ended_agents += ends.of_agents;
  }
  CHECK(ended_agents > 0);
  CHECK(agent.acknowledged_reloads() > 0);
  CHECK(agent.stop() == 0);
}
