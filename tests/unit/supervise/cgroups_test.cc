// Limits and the agent's own group, on a made-up tree: what is written to which file.
#include "supervise/linux/cgroups.h"

#include <sys/file.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::supervise;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

// A folder with files like those that the kernel makes in a group. They keep what was last written.
void make_group(const std::string& folder, const std::string& members) {
  fs::create_directories(folder);
  for (const char* file :
       {"cgroup.kill", "cgroup.subtree_control", "cpu.max", "memory.max", "pids.max"}) {
    write_file(folder + '/' + file, "");
  }
  write_file(folder + "/cgroup.controllers", "cpuset cpu io memory pids\n");
  write_file(folder + "/cgroup.events", "populated 0\nfrozen 0\n");
  write_file(folder + "/cgroup.procs", members);
}

const std::string kSelf = std::to_string(getpid());

// /proc/self and the tree, with an agent's group whose leaf is there from last time.
struct Machine {
  Machine() {
    fs::create_directories(process());
    tell_mounts("cgroup2");
    tell_group("0::/system.slice/longshore.service\n");
    make_group(group(), kSelf + '\n');
    make_group(group() + "/agent", "");
  }

  std::string process() const { return directory / "proc/self"; }
  std::string group() const { return directory / "tree/system.slice/longshore.service"; }
  std::string content(const std::string& file) const {
    std::ifstream stream(group() + '/' + file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void tell_mounts(const std::string& type) const {
    write_file(process() + "/mountinfo",
               "24 1 0:22 / /proc rw,nosuid shared:14 - proc proc rw\n30 23 0:26 /a/part " +
                   (directory / "part") + " rw - " + type + " cgroup2 rw\n31 23 0:26 / " +
                   (directory / "tree") + " rw,nosuid shared:4 - " + type + " cgroup2 rw\n");
  }
  void tell_group(const std::string& lines) const { write_file(process() + "/cgroup", lines); }
  std::string why_not(const std::string& controller = "cpu") const {
    return Cgroups::take(process())->why_not(controller);
  }

  const TemporaryDirectory directory;
};

}  // namespace

TEST_CASE("Limits are written as the kernel reads them") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "group";
  make_group(folder, "");
  const auto content = [&](const std::string& file) {
    std::ifstream stream(folder + '/' + file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  SECTION("all of them") {
    REQUIRE(write_limits(folder, {0.5, 200'000'000, 64}));
    CHECK(content("cpu.max") == "50000 100000");
    CHECK(content("memory.max") == "200000000");
    CHECK(content("pids.max") == "64");
  }
  SECTION("no swap where the kernel has any, and only with a limit of memory") {
    write_file(folder + "/memory.swap.max", "max");
    REQUIRE(write_limits(folder, {0.5, 0, 64}));
    CHECK(content("memory.swap.max") == "max");
    REQUIRE(write_limits(folder, {0, 4096, 0}));
    CHECK(content("memory.swap.max") == "0");
  }
  SECTION("more than one processor") {
    REQUIRE(write_limits(folder, {2.5, 0, 0}));
    CHECK(content("cpu.max") == "250000 100000");
  }
  SECTION("a share that is less than the kernel takes") {
    REQUIRE(write_limits(folder, {0.0001, 0, 0}));
    CHECK(content("cpu.max") == "1000 100000");
  }
  SECTION("none") {
    REQUIRE(write_limits(folder, {}));
    CHECK(content("cpu.max") + content("memory.max") + content("pids.max") == "");
  }
  SECTION("one whose file is not there") {
    fs::remove(folder + "/memory.max");
    const auto written = write_limits(folder, {0, 4096, 64});
    REQUIRE_FALSE(written);
    CHECK(written.error().message() ==
          "cannot write \"4096\" to \"" + folder + "/memory.max\": No such file or directory");
    CHECK(content("pids.max") == "");
  }
}

TEST_CASE("A group tells how many the kernel has killed in it for want of memory") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "group";
  make_group(folder, "");
  const Cgroup group(folder, false);
  CHECK(group.killed_for_memory() == 0);
  write_file(folder + "/memory.events", "low 0\nmax 7\noom 1\noom_kill 0\noom_group_kill 1\n");
  CHECK(group.killed_for_memory() == 0);
  write_file(folder + "/memory.events", "low 0\nmax 7\noom 1\noom_kill 3\noom_group_kill 0\n");
  CHECK(group.killed_for_memory() == 3);
  write_file(folder + "/memory.events", "oom_kill many");
  CHECK(group.killed_for_memory() == 0);
}

TEST_CASE("The agent goes into its leaf, and the controllers are for the groups beside it") {
  const Machine machine;
  {
    const auto groups = Cgroups::take(machine.process());
    CHECK(groups->available());
    for (const char* controller : {"cpu", "memory", "pids"})
      CHECK(groups->why_not(controller) == "");
    CHECK(machine.content("agent/cgroup.procs") == kSelf);
    CHECK(machine.content("cgroup.subtree_control") == "+pids");  // the last
  }
  CHECK(machine.content("cgroup.subtree_control") == "-pids");
}

TEST_CASE("A controller that is not there, or not given, limits nothing, and the others do") {
  const Machine machine;
  write_file(machine.group() + "/cgroup.controllers", "cpuset memory\n");
  CHECK(machine.why_not("cpu") ==
        "the controller cpu is not in " + machine.group() + "/cgroup.controllers");
  CHECK(machine.why_not("memory") == "");
  fs::remove(machine.group() + "/cgroup.subtree_control");
  CHECK(machine.why_not("memory") == "cannot write \"+memory\" to \"" + machine.group() +
                                         "/cgroup.subtree_control\": No such file or directory");
}

TEST_CASE("Where the group is not the agent's own, nothing is moved") {
  const Machine machine;
  SECTION("no cgroup v2") {
    machine.tell_mounts("cgroup");
    CHECK(machine.why_not() == "cgroup v2 is not mounted");
  }
  SECTION("a process whose group is not told") {
    machine.tell_group("4:memory:/a\n");
    CHECK(machine.why_not() == "the agent's control group is not known");
  }
  SECTION("a group out of sight") {
    machine.tell_group("0::/../b\n");
    CHECK(machine.why_not() == "the agent's control group is not known");
  }
  SECTION("a group that this mount does not show") {
    machine.tell_group("0::/of others\n");
    CHECK(machine.why_not() == "the agent's control group /of others is not in " +
                                   (machine.directory / "tree/of others"));
  }
  SECTION("others in it") {
    write_file(machine.group() + "/cgroup.procs", "1\n" + kSelf + '\n');
    CHECK(machine.why_not() ==
          "the agent is not alone in its control group "
          "/system.slice/longshore.service; longshore.service makes it so");
  }
  SECTION("another agent that has gone to its leaf") {
    const auto other = Cgroups::take(machine.process());
    fs::remove(machine.group() + "/agent/cgroup.procs");
    CHECK(machine.why_not() == "the control group in " + machine.group() +
                                   " cannot be locked: Resource temporarily unavailable");
  }
  SECTION("a group that may not be changed") {
    fs::remove_all(machine.group() + "/agent");
    write_file(machine.group() + "/agent", "");
    CHECK(machine.why_not() == "cannot write \"" + kSelf + "\" to \"" + machine.group() +
                                   "/agent/cgroup.procs\": Not a directory");
  }
  CHECK(machine.content("cgroup.subtree_control").find('+') == std::string::npos);
}

TEST_CASE("The group is found where its name and its mount have odd letters") {
  const Machine machine;
  const std::string tree = machine.directory / "odd \\ tree\t\n\\04";
  make_group(tree + "/a b\\040", kSelf + '\n');
  make_group(tree + "/a b\\040/agent", "");
  write_file(machine.process() + "/mountinfo", "31 23 0:26 / " +
                                                   (machine.directory / "odd\\040\\134\\040tree") +
                                                   "\\011\\012\\04 rw - cgroup2 cgroup2 rw\n");
  machine.tell_group("0::/a b\\040\n");
  CHECK(machine.why_not() == "");
}

TEST_CASE("A mount that a later one hides is passed over") {
  const Machine machine;
  std::ifstream stream(machine.process() + "/mountinfo");
  const std::string seen(std::istreambuf_iterator<char>(stream), {});
  fs::create_directories(machine.directory / "hidden");
  write_file(machine.process() + "/mountinfo", "29 23 0:26 / " + (machine.directory / "hidden") +
                                                   " rw - cgroup2 cgroup2 rw\n" + seen);
  CHECK(machine.why_not() == "");
}

TEST_CASE("Groups of an agent that was killed are ended, and nobody else's") {
  const Machine machine;
  for (const char* name : {"/module-disk", "/lasting-volume", "/of-others"}) {
    make_group(machine.group() + name, "");
  }
  CHECK(machine.why_not() == "");
  CHECK(machine.content("module-disk/cgroup.kill") == "1");
  CHECK(machine.content("lasting-volume/cgroup.kill") == "");
  CHECK(machine.content("of-others/cgroup.kill") == "");
}

TEST_CASE("A group that the kernel does not fill with files is an error, and does not stay") {
  const Machine machine;
  const auto groups = Cgroups::take(machine.process());
  const auto made = groups->enclose(getpid(), "echo", {0.5, 0, 9});
  REQUIRE_FALSE(made);
  CHECK(made.error().message() == "cannot write \"50000 100000\" to \"" + machine.group() +
                                      "/module-echo/cpu.max\": No such file or directory");
  CHECK_FALSE(fs::exists(machine.group() + "/module-echo"));
}

TEST_CASE("What a killed agent could not give back is given back from beside it, and only there") {
  const Machine machine;
  const std::string other = GENERATE("", "/agent", "/.control/deeper");
  make_group(machine.group() + other, "");
  machine.tell_group("0::/system.slice/longshore.service" + other + "\n");
  Cgroups::give_back(machine.process());
  CHECK(machine.content("cgroup.subtree_control").empty());
  make_group(machine.group() + "/.control", kSelf + '\n');
  machine.tell_group("0::/system.slice/longshore.service/.control\n");
  Cgroups::give_back(machine.process());
  CHECK(machine.content("cgroup.subtree_control") == "-pids");
}
