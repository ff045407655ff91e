#include "support/linux/mount_namespaces.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <vector>

#include "tests/support/other_namespace.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tmpfs_mount.h"
#include "tests/support/without_capability.h"

namespace longshore::support {
namespace {

namespace fs = std::filesystem;

// A folder like /proc, of which the test says what is in it.
class Processes {
 public:
  Processes() {
    put("self", "1 0 0:1 / / rw - rootfs own rw\n2 1 0:9 / /own rw - tmpfs wanted rw\n");
  }

  void put(const std::string& process, const std::string& mounts,
           const std::string& name = "sleep\n") {
    fs::create_directories(directory_ / process);
    test::write_file(directory_ / process + "/mountinfo", mounts);
    test::write_file(directory_ / process + "/comm", name);
  }
  ProcessWalk::Options options() const { return {.proc = directory_.path()}; }
  // How often a mount was asked for, and whether it was found.
  std::string find(const ProcessWalk::Options& options) {
    const auto found = find_mount_elsewhere(
        [&](const Mount& mount) {
          asked.push_back(mount.id);
          return mount.source == "wanted";
        },
        options);
    return found ? found->text() : "";
  }
  std::string find() { return find(options()); }

  std::vector<uint64_t> asked;

 private:
  const test::TemporaryDirectory directory_;
};

TEST_CASE("a mount that another namespace keeps is found with a process of it") {
  const test::TemporaryDirectory directory;
  const std::string point = directory / "a point";
  fs::create_directory(point);
  const auto find = [] {
    return find_mount_elsewhere([](const Mount& mount) { return mount.source == "kept"; });
  };
  auto mounted = std::make_unique<test::TmpfsMount>(point, "kept");
  CHECK_FALSE(find());
  const test::OtherNamespace other;
  mounted.reset();
  // Which the packaged agent has not got.
  const test::WithoutCapability less(CAP_SYS_PTRACE);
  const auto found = find();
  REQUIRE(found);
  CHECK(found->mount.point == point);
  CHECK_THAT(found->text(), Catch::Contains("a\\040point\" of " + other.name()) &&
                                Catch::Contains(", in another mount namespace"));
}

TEST_CASE("each namespace is read once, and this one not at all") {
  Processes processes;
  processes.put("11", "1 0 0:1 / / rw - rootfs own rw\n2 1 0:9 / /own rw - tmpfs wanted rw\n");
  const std::string other = "5 0 0:1 / / rw - rootfs x rw\n6 5 0:2 / /a rw - tmpfs y rw\n";
  processes.put("12", other);
  processes.put("13", other);
  CHECK(processes.find().empty());
  CHECK(processes.asked == std::vector<uint64_t>{5, 6});
}

TEST_CASE("what is no list of mounts, or of no process, hides none") {
  Processes processes;
  processes.put("11", "");
  processes.put("12", "no line of it\n");
  processes.put("not-a-process", "7 0 0:1 / / rw - tmpfs wanted rw\n");
  fs::create_directory(fs::path(processes.options().proc) / "14");
  CHECK(processes.find().empty());
  processes.put("15", "8 0 0:1 / / rw - tmpfs wanted rw\n", "a\nb\n");
  CHECK(processes.find() == "the mount \"/\" of process 15 (a), in another mount namespace");
}

TEST_CASE("whatever a process and its mount are called stays one line") {
  Processes processes;
  processes.put("15", "8 0 0:1 / /\\012x\\040y rw - tmpfs wanted rw\n", "\x1b[2J\xff");
  CHECK(processes.find() ==
        "the mount \"/?x\\040y\" of process 15 (?[2J?), in another mount namespace");
  processes.put("15", "8 0 0:1 / /" + std::string(5000, 'x') + " rw - tmpfs wanted rw\n", "");
  CHECK(processes.find().size() < 400);
}

TEST_CASE("a search that has had its time or its looks ends") {
  Processes processes;
  processes.put("15", "7 0 0:1 / / rw - tmpfs x rw\n8 7 0:1 / /a rw - tmpfs wanted rw\n");
  auto options = processes.options();
  options.looks = 2;  // the process and one mount
  CHECK(processes.find(options).empty());
  CHECK(processes.asked == std::vector<uint64_t>{7});
  options.looks = 3;
  CHECK_FALSE(processes.find(options).empty());
  options.time = {};
  CHECK(processes.find(options).empty());
}

}  // namespace
}  // namespace longshore::support
