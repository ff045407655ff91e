// Processes of modules in control groups of their own: who is in them, and what ends with them.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "cgroup_world.h"
#include "supervise/linux/cgroup_tree.h"
#include "supervise/linux/cgroups.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

class CgroupsNeeded final : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    try {
      const OwnControlGroup probe;
    } catch (const std::exception& exception) {
      end_as_skipped(exception.what());
    }
  }
};

CATCH_REGISTER_LISTENER(CgroupsNeeded)

const std::string kBounded = "[modules.hostile.process]\nprocesses_max = 100\n";

AgentProcess::Options in(const OwnControlGroup& group) {
  AgentProcess::Options options;
  options.cgroup = group.folder();
  return options;
}

bool none_lives(const std::vector<pid_t>& processes) {
  return eventually([&] {
    return std::none_of(processes.begin(), processes.end(), [](pid_t id) { return is_alive(id); });
  });
}

// This process, in a group as an agent would be; back where it came from in the end.
class Inside {
 public:
  explicit Inside(const OwnControlGroup& group)
      : before_(supervise::place_in_tree("/proc/self").value().folder) {
    enter(group.folder());
  }
  ~Inside() { enter(before_); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  static void enter(const std::string& folder) {
    std::ofstream(folder + "/cgroup.procs") << getpid();
  }

  const std::string before_;
};

// A process that waits until it is killed.
class Sleeper {
 public:
  Sleeper() : id_(fork()) {
    if (id_ == 0) {
      for (;;) pause();
    }
  }
  ~Sleeper() { kill(); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  pid_t id() const { return id_; }
  bool is_alive() const { return waitpid(id_, nullptr, WNOHANG) == 0; }
  void kill() const {
    ::kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }

 private:
  const pid_t id_;
};

}  // namespace

TEST_CASE("A group's name is nobody else's until its owner has ended it") {
  const std::string limited = GENERATE("module-echo", "lasting-echo");
  const bool ends_all = limited == "module-echo";
  const supervise::GroupLimits limits{0.5, 0, ends_all ? 9U : 0U};
  const OwnControlGroup group;
  const Sleeper first, second, third;
  const Inside inside(group);
  const auto groups = supervise::Cgroups::take();
  REQUIRE(groups->available());
  auto old = groups->enclose(first.id(), "echo", limits);
  REQUIRE(old);
  CHECK(group.members(limited) == std::vector<pid_t>{first.id()});
  first.kill();  // which leaves the group empty
  REQUIRE(group.members(limited).empty());
  const auto next = groups->enclose(second.id(), "echo", limits);
  REQUIRE(next);
  CHECK(group.members(limited + "-2") == std::vector<pid_t>{second.id()});
  *old = supervise::Cgroup();
  CHECK(second.is_alive());
  CHECK_FALSE(group.has(limited));
  const auto last = groups->enclose(third.id(), "echo", limits);
  REQUIRE(last);
  CHECK(group.members(limited) == std::vector<pid_t>{third.id()});
}

TEST_CASE("What a module with processes_max has started ends with its process, wherever it went") {
  const OwnControlGroup group;
  IsolatedAgent world({}, "forks_away", kBounded, in(group));
  // Those without a limit stay with the agent.
  CHECK(group.members("agent") == std::vector<pid_t>{world.agent->id(), world.process_of("echo")});
  CHECK(group.members("module-hostile") == std::vector<pid_t>{world.process_of("hostile")});
  TestClient client(world.hostile_socket());
  REQUIRE(client.call(kHostile, "5")->messages == std::vector<std::string>{"5"});
  const std::vector<pid_t> all = group.members("module-hostile");
  CHECK(all.size() == 6);
  SECTION("when that is killed") {
    const pid_t first = world.process_of("hostile");
    kill(first, SIGKILL);
    CHECK(none_lives(all));
    REQUIRE(eventually([&] { return client.call(kHostile, "0")->code() == StatusCode::kOk; }));
    CHECK(group.members("module-hostile") == std::vector<pid_t>{world.process_of("hostile")});
  }
  SECTION("when the agent ends") {}
  client.close();
  CHECK(world.agent->stop() == 0);
  CHECK(none_lives(all));
  CHECK(group.groups() == std::vector<std::string>{"agent"});
}

TEST_CASE("Without processes_max it goes on, as an mkfs has to") {
  const OwnControlGroup group;
  IsolatedAgent world({}, "forks_away", "[modules.hostile.process]\ncpu_max = 0.5\n", in(group));
  TestClient client(world.hostile_socket());
  REQUIRE(client.call(kHostile, "1")->code() == StatusCode::kOk);
  REQUIRE(group.members("lasting-hostile").size() == 2);
  client.close();
  CHECK(world.agent->stop() == 0);
  const std::vector<pid_t> left = group.members("lasting-hostile");
  REQUIRE(left.size() == 1);
  CHECK(is_alive(left[0]));
  // The next agent leaves it alone, and removes the folder once nobody is in it.
  const auto start_next = [&] {
    world.agent.emplace(world.directory, in(group));
    REQUIRE(world.agent->serves());
  };
  start_next();
  CHECK(group.members("lasting-hostile") == left);
  CHECK(group.members("lasting-hostile-2") == std::vector<pid_t>{world.process_of("hostile")});
  CHECK(world.agent->stop() == 0);
  kill(left[0], SIGKILL);
  REQUIRE(none_lives(left));
  start_next();
  CHECK(group.members("lasting-hostile") == std::vector<pid_t>{world.process_of("hostile")});
  CHECK_FALSE(group.has("lasting-hostile-2"));
  CHECK(world.agent->stop() == 0);
}

TEST_CASE("What a killed agent has left behind the next one ends") {
  const OwnControlGroup group;
  IsolatedAgent world({}, "forks_away", kBounded, in(group));
  TestClient client(world.hostile_socket());
  REQUIRE(client.call(kHostile, "3")->code() == StatusCode::kOk);
  const std::vector<pid_t> all = group.members("module-hostile");
  REQUIRE(all.size() == 4);
  world.agent->signal(SIGKILL);
  CHECK(world.agent->wait() == 128 + SIGKILL);
  CHECK(group.members("module-hostile").size() >= 3);
  // As longshore.service ends.
  AgentProcess after(world.directory, {.more_words = {"--free-control-group"},
                                       .until_serving = false,
                                       .cgroup = group.make(".control")});
  REQUIRE(after.wait() == 0);
  world.agent.emplace(world.directory, in(group));
  REQUIRE(world.agent->serves());
  CHECK(none_lives(all));
  CHECK(group.members("module-hostile") == std::vector<pid_t>{world.process_of("hostile")});
  client.close();
  CHECK(world.agent->stop() == 0);
}

TEST_CASE("Two processes of a module, while it is replaced, have a group each") {
  const std::string bounded = "process.processes_max = 100\n";
  const OwnControlGroup group;
  IsolatedAgent world(bounded, {}, {}, in(group));
  const std::vector<pid_t> old = group.members("module-echo");
  REQUIRE(old == std::vector<pid_t>{world.process_of("echo")});
  world.directory.configure(
      {}, "isolation = \"process\"\nsettings.greeting = \"good evening\"\n" + bounded);
  REQUIRE(world.agent->reload());
  CHECK(none_lives(old));
  CHECK(eventually([&] { return !group.has("module-echo"); }));
  CHECK(group.members("module-echo-2") == std::vector<pid_t>{world.process_of("echo")});
  TestClient client(world.directory.echo_socket());
  CHECK(client.call(kEcho + "Say", "")->code() == StatusCode::kOk);
  client.close();
  CHECK(world.agent->stop() == 0);
}

TEST_CASE("An agent whose group is not its own moves nobody, and says what it goes without",
          "[plain]") {
  const std::string limits = "[modules.hostile.process]\ncpu_max = 0.5\nprocesses_max = 9\n" +
                             std::string(kMemoryTellsLeaks ? "memory_max = 200000000\n" : "");
  const OwnControlGroup group;
  IsolatedAgent first({}, "forks_away", kBounded, in(group));
  const bool is_shared = GENERATE(false, true);
  const std::string reason = is_shared ? " cannot be locked: Resource temporarily unavailable"
                                       : "the agent is not alone in its control group /";
  if (is_shared && !group.content("cgroup.subtree_control").empty()) {
    // Where there are controllers the kernel lets nobody into a group that is shared.
    AgentProcess refused(first.directory, in(group));
    CHECK(refused.wait() == 127);
    return;
  }
  IsolatedAgent second({}, "forks_away", limits, is_shared ? in(group) : AgentProcess::Options());
  CHECK(second.logged("is not limited as configured module=hostile cpu_max=none"));
  CHECK(second.logged(reason));
  CHECK(second.logged(" processes_max=none "));
  if (kMemoryTellsLeaks) CHECK(second.logged(" memory_max=rlimit "));
  TestClient client(second.hostile_socket());
  CHECK(client.call(kHostile, "0")->code() == StatusCode::kOk);
  client.close();
  CHECK(second.agent->stop() == 0);
  // The first one has noticed nothing.
  CHECK(group.members("module-hostile") == std::vector<pid_t>{first.process_of("hostile")});
  CHECK(group.groups().size() == 2);
  CHECK(first.agent->stop() == 0);
}
