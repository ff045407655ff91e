// One allocation of a module fails while it is started: the first, the second, and so on. Modules
// have operator new for themselves, without the agent's reserve, so that std::bad_alloc leaves the
// very place.
#include <catch2/catch.hpp>

#include "tests/faults/memory_faults_agent.h"

using namespace longshore;
using namespace longshore::test;

TEST_CASE("A module whose start lacks memory is refused or serves, and nobody crashes") {
  MemoryFaultsAgent agent;
  agent.fail_each(
      1, [&] { agent.replace_echo(); }, MemoryFaults::Of::kModules);
  CHECK(agent.acknowledged_reloads() > 0);
  CHECK(agent.refused_reloads() > 0);
  CHECK(agent.stop() == 0);
}
