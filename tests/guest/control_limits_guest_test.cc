// What a module meets at its limits, where this kernel's cgroup v2 has the controllers.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>
#include <exception>
#include <string>

#include "tests/integration/cgroup_world.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

class ControllersNeeded final : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    try {
      const OwnControlGroup probe;
      const std::string there = ' ' + probe.content("cgroup.controllers");
      for (const std::string controller : {" cpu", " memory", " pids"}) {
        require(there.find(controller) != std::string::npos,
                "cgroup v2 has no controller" + controller + " here");
      }
    } catch (const std::exception& exception) {
      end_as_skipped(exception.what());
    }
  }
};

CATCH_REGISTER_LISTENER(ControllersNeeded)

struct LimitedModule {
  LimitedModule(const std::string& name, const std::string& limits)
      : world({}, name, "[modules.hostile.process]\n" + limits, {.cgroup = group.folder()}),
        client(world.hostile_socket()) {}

  const OwnControlGroup group;
  IsolatedAgent world;
  TestClient client;
};

}  // namespace

TEST_CASE("The kernel takes every limit, and the log says so") {
  LimitedModule module("forks_away", "cpu_max = 0.5\nprocesses_max = 50\nmemory_max = 200000000\n");
  CHECK(module.client.call(kHostile, "0")->code() == StatusCode::kOk);
  CHECK(module.group.content("module-hostile/cpu.max") == "50000 100000\n");
  CHECK(module.group.content("module-hostile/pids.max") == "50\n");
  CHECK(module.group.content("module-hostile/memory.max") == "199999488\n");  // whole pages
  if (module.group.has("module-hostile/memory.swap.max")) {
    CHECK(module.group.content("module-hostile/memory.swap.max") == "0\n");
  }
  CHECK(
      module.world.logged("module=hostile cpu_max=cgroup memory_max=cgroup processes_max=cgroup"));
  CHECK(proc_text(module.world.process_of("hostile"), "limits")
            .find("Max data size             "
                  "unlimited") != std::string::npos);
  CHECK(module.world.agent->stop() == 0);
}

TEST_CASE("A module that forks without end comes to processes_max, and the agent can go on") {
  LimitedModule module("forks_away", "processes_max = 40\n");
  const auto answer = module.client.call(kHostile, "1000");
  REQUIRE(answer->code() == StatusCode::kOk);
  const int made = std::stoi(answer->messages.at(0));
  CHECK(made > 10);
  CHECK(made < 40);
  CHECK(module.group.content("module-hostile/pids.current") == "40\n");
  TestClient neighbour(module.world.directory.echo_socket());
  CHECK(neighbour.call(kEcho + "Say", "")->code() == StatusCode::kOk);
  // The next process has room again, since all of these are gone.
  kill(module.world.process_of("hostile"), SIGKILL);
  CHECK(eventually([&] { return module.client.call(kHostile, "5")->code() == StatusCode::kOk; }));
  CHECK(module.world.agent->stop() == 0);
}

TEST_CASE("A module that wants all memory is killed at memory_max, and nobody else is") {
  LimitedModule module("eats_memory", "memory_max = 50000000\n");
  const pid_t neighbour = module.world.process_of("echo");
  const auto answer = module.client.call(kHostile, "", with_timeout(60s));
  CHECK(
      answer->text().starts_with("the process of the module hostile was killed by SIGKILL (at "
                                 "memory_max the kernel has killed 1 of its processes)"));
  CHECK(is_alive(neighbour));
  CHECK(module.world.agent->stop() == 0);
}
