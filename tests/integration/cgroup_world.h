// A control group (cgroup v2) of the test's own, to start an agent in, as systemd gives it one.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/integration/isolation_world.h"
#include "tests/support/require.h"
#include "tests/support/temporary_directory.h"

namespace longshore::test {

[[noreturn]] inline void end_as_skipped(const std::string& why) {
  std::printf("SKIPPED: %s\n", why.c_str());
  std::fflush(stdout);
  std::_Exit(77);
}

inline std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class OwnControlGroup {
 public:
  // The tree is mounted for this process alone. Throws where that may not be.
  OwnControlGroup() {
    require(::unshare(CLONE_NEWNS) == 0 &&
                ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0,
            "no mount namespace may be made");
    const std::string place = tree_.path();
    require(::mount("none", place.c_str(), "cgroup2", 0, nullptr) == 0,
            "cgroup v2 cannot be mounted");
    // For the groups below: on a machine that runs systemd they are enabled already.
    for (const std::string controller : {"cpu", "memory", "pids"}) {
      std::ofstream(tree_ / "cgroup.subtree_control") << '+' << controller;
    }
    folder_ = tree_ / ("longshore-test-" + std::to_string(getpid()));
    require(::mkdir(folder_.c_str(), 0755) == 0, "no control group can be made");
  }
  ~OwnControlGroup() {
    std::ofstream(folder_ + "/cgroup.kill") << '1';
    CHECK(eventually([&] { return content("cgroup.events").starts_with("populated 0"); }));
    for (const std::string& each : groups()) ::rmdir((folder_ + '/' + each).c_str());
    ::rmdir(folder_.c_str());
    ::umount2(tree_.path().c_str(), MNT_DETACH);
  }
  OwnControlGroup(const OwnControlGroup&) = delete;
  OwnControlGroup& operator=(const OwnControlGroup&) = delete;

  const std::string& folder() const { return folder_; }
  std::string content(const std::string& file) const { return content_of(folder_ + '/' + file); }

  // The groups below it.
  std::vector<std::string> groups() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.is_directory()) names.push_back(entry.path().filename());
    }
    return names;
  }
  // Makes one; its folder.
  std::string make(const std::string& group) const {
    const std::string made = folder_ + '/' + group;
    require(::mkdir(made.c_str(), 0755) == 0, "no control group can be made");
    return made;
  }
  bool has(const std::string& group) const {
    return std::filesystem::exists(folder_ + '/' + group);
  }
  // Who is in a group below it.
  std::vector<pid_t> members(const std::string& group) const {
    std::ifstream file(folder_ + '/' + group + "/cgroup.procs");
    return {std::istream_iterator<pid_t>(file), {}};
  }

 private:
  const TemporaryDirectory tree_;
  std::string folder_;
};

}  // namespace longshore::test
