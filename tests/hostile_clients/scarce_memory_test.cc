// Attacks on an agent that the system gives hardly any more memory: connections of the attackers'
// end, the agent goes on.
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "tests/hostile_clients/attack.h"
#include "tests/hostile_clients/attacked_agent.h"
#include "tests/hostile_clients/victim.h"
#include "tests/support/eventually.h"
#include "tests/support/process_status.h"

using namespace longshore::hostile_clients;
using namespace longshore::test;

namespace {

struct Limit {
  const char* name;
  __rlimit_resource resource;
  const char* used;  // in /proc/<process>/status
};
// A heap reserves more of the former than it uses.
constexpr Limit kLimits[] = {{"addresses", RLIMIT_AS, "VmSize"}, {"data", RLIMIT_DATA, "VmData"}};

// The agent may grow by so much from now on.
void leave_room(pid_t agent, const Limit& limit, size_t bytes) {
  const size_t used = std::stoul(proc_status(agent, limit.used)) * 1024;
  const rlimit room{used + bytes, RLIM_INFINITY};
  REQUIRE(prlimit(agent, limit.resource, &room, nullptr) == 0);
}

void leave_all_room(pid_t agent, const Limit& limit) {
  const rlimit room{RLIM_INFINITY, RLIM_INFINITY};
  REQUIRE(prlimit(agent, limit.resource, &room, nullptr) == 0);
}

}  // namespace

TEST_CASE("Where memory runs out, connections end and the agent goes on", "[memory]") {
  for (const char* name :
       {"whole messages left open", "answers, unread", "connections come and go", "large heads"}) {
    const Attack attack = attack_called(name);
    for (const Limit& limit : kLimits) {
      for (const size_t room : {256u << 10, 1u << 20, 4u << 20}) {
        DYNAMIC_SECTION(name << ", " << room / 1024 << " KiB more " << limit.name) {
          AttackedAgent agent(attack.configuration, attack.echo_module);
          Victim meanwhile(agent);
          // The agent has what it needs for calls before it gets no more.
          REQUIRE(eventually([&] { return meanwhile.is_served(); }));
          leave_room(agent.id(), limit, room);
          {
            const AgentWatch watch(agent.id());
            Attacker attacker(agent, watch);
            attack.run(attacker);
          }
          // Nobody else's connection ends: who calls meanwhile is told why that cannot be.
          const VictimReport others = meanwhile.end();
          CAPTURE(others.first_failure);
          CHECK(others.failed == others.refused);
          leave_all_room(agent.id(), limit);
          INFO(agent.log());
          REQUIRE(agent.is_running());
          // Whoever comes afterwards is served.
          Victim victim(agent);
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          const VictimReport report = victim.end();
          INFO(report.first_failure);
          CHECK(report.answered > 0);
          CHECK(report.failed == 0);
          CHECK(agent.stop() == 0);
        }
      }
    }
  }
}
