// The package's AppArmor profile, enforced: that the service and its children are under it, and
// that the profile, not something else, refuses a module what it has no business with. What the
// profile must allow, all cases of the service show: InstalledAgent checks that nothing was
// refused. And in complain mode, in which it only tells.
#include <errno.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/guest/service_world.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

bool is_without_apparmor() {
  if (read_file("/sys/module/apparmor/parameters/enabled") == "Y\n") return false;
  std::cout << "SKIPPED: this guest's kernel has no AppArmor\n";
  SUCCEED();
  return true;
}

std::string profile_of(const std::string& process) {
  return read_file("/proc/" + process + "/attr/apparmor/current");
}

// Each is in the list of the thread that started it.
std::vector<std::string> children_of(const std::string& process) {
  std::vector<std::string> children;
  for (const auto& thread : fs::directory_iterator("/proc/" + process + "/task")) {
    std::istringstream list(read_file(thread.path() / "children"));
    for (std::string child; list >> child;) children.push_back(child);
  }
  return children;
}

// What the module "asks_kernel" answers: an error number, or the exit status of a program.
int ask(const std::string& wish) {
  const auto answer = provoke(wish);
  INFO(wish << ": " << answer->text());
  REQUIRE(answer->code() == StatusCode::kOk);
  return std::stoi(answer->messages.at(0));
}

// The profile refuses nothing and only tells, in the way that deploy/README.md says.
class ComplainMode {
 public:
  ComplainMode() {
    fs::create_directories(fs::path(kLink).parent_path());
    fs::create_symlink(kProfile, kLink);
    load();
  }
  ComplainMode(const ComplainMode&) = delete;
  ComplainMode& operator=(const ComplainMode&) = delete;
  ~ComplainMode() {
    fs::remove(kLink);
    load();
  }

 private:
  static constexpr const char* kProfile = "/etc/apparmor.d/usr.sbin.longshored";
  static constexpr const char* kLink = "/etc/apparmor.d/force-complain/usr.sbin.longshored";

  static void load() {
    const ProgramRun loaded = run_program({"/usr/sbin/apparmor_parser", "-r", kProfile});
    INFO(loaded.errors);
    CHECK(loaded.exit_code == 0);
  }
};

}  // namespace

TEST_CASE("The service is under its profile, enforced, with the modules' processes") {
  if (is_without_apparmor()) return;
  InstalledAgent agent(hostile_lines("asks_kernel", ""));
  agent.must("start");
  REQUIRE(ask("read /proc/self/status") == 0);
  const std::string process = std::to_string(agent.process());
  CHECK(profile_of(process) == "longshored (enforce)\n");
  const std::vector<std::string> children = children_of(process);
  REQUIRE(children.size() == 1);
  CHECK(profile_of(children[0]) == "longshored (enforce)\n");
}

TEST_CASE("A module with root's rights in the agent itself gets no further than the profile") {
  if (is_without_apparmor()) return;
  InstalledAgent agent(hostile_lines("asks_kernel"));
  agent.must("start");
  fs::create_directories("/home/user");
  std::vector<std::string> written;
  for (const char* folder : {"/etc", "/etc/longshore", "/usr/lib/longshore", "/usr/local/sbin",
                             "/root", "/home/user", "/boot", "/var/spool", "/run/systemd/system"}) {
    fs::create_directories(folder);
    const std::string path = std::string(folder) + "/was-here";
    CAPTURE(path);
    CHECK(ask("write " + path) == EACCES);
    CHECK_FALSE(fs::exists(path));
    written.push_back(path);
  }
  const std::string refusals = agent.refusals();
  for (const std::string& path : written) {
    CAPTURE(path);
    CHECK(refusals.find("\"" + path + "\"") != std::string::npos);
  }
  for (const char* path : {"/etc/shadow", "/root/.bashrc", "/dev/vport0p1", "/dev/kmsg"}) {
    CAPTURE(path);
    CHECK(ask(std::string("read ") + path) == EACCES);
  }
  CHECK(ask("write /proc/sys/kernel/core_pattern") == EACCES);
  CHECK(ask("mount /usr") == EACCES);
  // Not 0: execve failed.
  CHECK(ask("run /usr/bin/true x") == 127);
  // That the module can do these things at all.
  CHECK(ask("write " + agent.in_root("was-here")) == 0);
  CHECK(ask("read " + agent.in_root("was-here")) == 0);
  fs::remove(agent.in_root("was-here"));
  agent.forget_journal();
}

TEST_CASE("A program that makes filesystems may write to disks, and not to what the agent may") {
  if (is_without_apparmor()) return;
  InstalledAgent agent(hostile_lines("asks_kernel"));
  agent.must("start");
  const std::string file = agent.in_root("image");
  write_file(file, std::string(size_t{1} << 20, '\0'));
  CHECK(ask("run /usr/sbin/mkfs.ext4 " + file) != 0);
  CHECK(read_file(file) == std::string(size_t{1} << 20, '\0'));
  CHECK(agent.refusals().find("longshored//mkfs") != std::string::npos);
  CHECK(ask("write " + file) == 0);
  fs::remove(file);
  agent.forget_journal();
}

TEST_CASE("In complain mode nothing is refused, all that would be is told, and then refused again",
          "[thorough]") {
  if (is_without_apparmor()) return;
  const std::string path = "/etc/longshore/was-here";
  const std::string image = InstalledAgent::in_root("image");
  {
    const ComplainMode complains;
    InstalledAgent agent(hostile_lines("asks_kernel"));
    agent.must("start");
    CHECK(profile_of(std::to_string(agent.process())) == "longshored (complain)\n");
    CHECK(ask("write " + path) == 0);
    CHECK(ask("read /etc/shadow") == 0);
    write_file(image, "");
    fs::resize_file(image, uint64_t{16} << 20);
    CHECK(ask("run /usr/sbin/mkfs.ext4 " + image) == 0);
    for (const std::string& each : {path, std::string("/etc/shadow"), image}) {
      CAPTURE(each);
      CHECK(agent.allowances().find(each) != std::string::npos);
    }
    CHECK(agent.asks() == StatusCode::kOk);
  }
  fs::remove(path);
  fs::remove(image);
  InstalledAgent agent(hostile_lines("asks_kernel"));
  agent.must("start");
  CHECK(profile_of(std::to_string(agent.process())) == "longshored (enforce)\n");
  CHECK(ask("write " + path) == EACCES);
  agent.forget_journal();
}
