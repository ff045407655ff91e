#include "support/linux/file_users.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/live_process.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tmpfs_mount.h"
#include "tests/support/without_capability.h"

namespace longshore::support {
namespace {

namespace fs = std::filesystem;

dev_t device_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_dev;
}

FileUserSearch find_on(dev_t device, const ProcessWalk::Options& options = {}) {
  return find_file_user([&](const UsedFile& file) { return file.device == device; }, options);
}

// A filesystem with one file.
class Filesystem {
 public:
  Filesystem() {
    fs::create_directory(point);
    mounted_.emplace(point);
    test::write_file(file, "content");
    device = device_of(point);
  }
  // As a lazy unmount does.
  void detach() { mounted_.reset(); }

 private:
  const test::TemporaryDirectory directory_;
  std::optional<test::TmpfsMount> mounted_;

 public:
  const std::string point = directory_ / "point", file = point + "/file";
  dev_t device = 0;
};

TEST_CASE("a process that has something of a filesystem open is told, also when it is unmounted") {
  Filesystem filesystem;
  CHECK_FALSE(find_on(filesystem.device).found);
  enum class Use { kOpens, kWorks, kMaps };
  const auto [use, text] = GENERATE_COPY(table<Use, std::string>({
      {Use::kOpens, "has files open in it"},
      {Use::kWorks, "works in it"},
      {Use::kMaps, "maps files of it"},
  }));
  const test::LiveProcess user([&, use = use] {
    const int opened = use == Use::kWorks ? ::chdir(filesystem.point.c_str())
                                          : ::open(filesystem.file.c_str(), O_RDONLY);
    if (opened < 0) ::_exit(1);
    if (use != Use::kMaps) return;
    if (::mmap(nullptr, 7, PROT_READ, MAP_PRIVATE, opened, 0) == MAP_FAILED) ::_exit(1);
    ::close(opened);
  });
  if (GENERATE(false, true)) filesystem.detach();
  const FileUserSearch search = find_on(filesystem.device);
  REQUIRE(search.found);
  CHECK_THAT(search.found->process,
             Catch::StartsWith("process " + std::to_string(user.id()) + " (m"));
  CHECK(search.found->use == text);
  CHECK(search.text("nobody") == search.found->process + " " + text);
}

TEST_CASE("who looks is no user") {
  const Filesystem filesystem;
  const FileDescriptor own(::open(filesystem.file.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(own);
  CHECK_FALSE(find_on(filesystem.device).found);
}

TEST_CASE("without CAP_SYS_PTRACE the processes of others are not seen, and that is told") {
  const Filesystem filesystem;
  const test::LiveProcess user([&] {
    if (::chdir(filesystem.point.c_str()) != 0 || ::setuid(65534) != 0) ::_exit(1);
  });
  CHECK(find_on(filesystem.device).found);
  const test::WithoutCapability less(CAP_SYS_PTRACE);
  const FileUserSearch search = find_on(filesystem.device);
  CHECK_FALSE(search.found);
  CHECK_FALSE(search.saw_all);
}

// A folder like /proc, with one process whose links and lists the test makes.
class Made {
 public:
  Made() { fs::create_directories(directory_ / "12/fd"); }

  std::string at(const std::string& name) const { return directory_ / ("12/" + name); }
  void link(const std::string& name, const std::string& to) const {
    fs::create_symlink(to, at(name));
  }
  ProcessWalk::Options options() const { return {.proc = directory_.path()}; }
  FileUserSearch find_mapped(dev_t device) const { return find_on(device, options()); }

 private:
  const test::TemporaryDirectory directory_;
};

TEST_CASE("what a process has mapped is told by the device in its list") {
  const Made made;
  test::write_file(made.at("maps"),
                   "\n"
                   "7f00-7f01 r-xp 0 zz:1 5 /a\n"
                   "7f00-7f01 r-xp 0 :ffe 5 /a\n"
                   "7f00-7f01 r-xp 0 ffe 5 /a\n"
                   "7f00-7f01 rw-p 0 ffe:3 0\n"
                   "7f00-7f01 r-xp 0 ffe:2 5 /some file (deleted)\n");
  std::string path;
  const FileUserSearch search = find_file_user(
      [&](const UsedFile& file) {
        path = file.path;
        return file.device == makedev(0xffe, 2);
      },
      made.options());
  REQUIRE(search.found);
  CHECK(search.found->process == "process 12");
  CHECK(path == "/some file (deleted)");
  for (const unsigned minor : {0U, 1U, 3U})
    CHECK_FALSE(made.find_mapped(makedev(0xffe, minor)).found);
}

TEST_CASE("links that lead nowhere hide none, and a device is told by its node") {
  const Made made;
  made.link("cwd", "/missing");
  made.link("fd/0", "pipe:[12]");
  made.link("fd/1", "/dev/null");
  CHECK_FALSE(find_on(makedev(0xffe, 1), made.options()).found);
  CHECK(find_on(makedev(0xffe, 1), made.options()).saw_all);
  const auto find_program = [&] { return find_on(device_of(made.at("")), made.options()).found; };
  CHECK_FALSE(find_program());
  made.link("exe", made.at("fd"));
  REQUIRE(find_program());
  CHECK(find_program()->use == "runs a program of it");
}

TEST_CASE("that not all was looked into is told where nobody was found") {
  const Made made;
  made.link("fd/0", "/dev/null");
  auto options = made.options();
  options.looks = 1;  // the process, and none of its files
  const FileUserSearch search = find_on(device_of("/dev/null"), options);
  CHECK_FALSE(search.found);
  CHECK_FALSE(search.saw_all);
  CHECK_THAT(search.text("nobody"),
             Catch::StartsWith("nobody; not every process could be looked") &&
                 Catch::Contains("CAP_SYS_PTRACE"));
  options.looks = 2;
  CHECK(find_on(device_of("/dev/null"), options).found->use == "has files open in it");
}

}  // namespace
}  // namespace longshore::support
