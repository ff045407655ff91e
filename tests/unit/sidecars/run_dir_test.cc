// The folder of csi-sidecars' sockets and state: as an emptyDir is, and as none must be.
#include "sidecars/run_dir.h"

#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <string>

#include "files/linux/trusted_folder.h"
#include "tests/support/temporary_directory.h"

namespace longshore::sidecars {
namespace {

using longshore::test::TemporaryDirectory;

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

TEST_CASE("a folder that is missing is made, and one that is there stays") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "a/b";
  REQUIRE(prepare_run_dir(folder));
  CHECK(mode_of(folder) == 0755);
  CHECK(prepare_run_dir(folder));
}

TEST_CASE("an empty folder that is open to all, as an emptyDir, is closed to others") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "empty";
  std::filesystem::create_directory(folder);
  REQUIRE(::chmod(folder.c_str(), 0777) == 0);
  REQUIRE(prepare_run_dir(folder + GENERATE("", "/", "//.")));
  CHECK(mode_of(folder) == 0755);
}

// Whether this user has folders of its own there.
bool is_usable_by(uid_t user, gid_t group, const std::string& folder) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool is_user = ::setgroups(1, &group) == 0 && ::setresgid(user, user, user) == 0 &&
                         ::setresuid(user, user, user) == 0;
    const bool is_usable =
        is_user && prepare_run_dir(folder) && files::TrustedFolder::make(folder + "/state", 0700);
    ::_exit(is_usable ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status == 0;
}

TEST_CASE("root's emptyDir is for a user that is not root, whom or whose group it is open to") {
  if (::geteuid() != 0) {
    std::puts("SKIPPED: only root can make it and become somebody else");
    return;
  }
  constexpr uid_t kUser = 12345;
  constexpr gid_t kGroup = 23456;
  struct Case {
    uid_t owner;
    mode_t mode;
    bool is_usable;
  };
  const auto [owner, mode, is_usable] = GENERATE(values<Case>({
      {0, 0777, true},
      {0, 02775, true},
      {0, 02777, true},
      {0, 0755, false},
      {0, 01777, false},
      {54321, 0777, false},
      {54321, 02775, false},
  }));
  CAPTURE(owner, mode);
  const TemporaryDirectory directory;
  REQUIRE(::chmod((directory / "").c_str(), 0755) == 0);
  const std::string folder = directory / "empty";
  std::filesystem::create_directory(folder);
  REQUIRE(::chown(folder.c_str(), owner, kGroup) == 0);
  REQUIRE(::chmod(folder.c_str(), mode) == 0);
  for (int start = 0; start < 2; ++start) {
    CHECK(is_usable_by(kUser, kGroup, folder) == is_usable);
  }
  CHECK(mode_of(folder) == mode);
  if (is_usable) {
    CHECK(mode_of(folder + "/state") == 0700);
    const bool is_for_all = (mode & S_IWOTH) != 0;
    CHECK(is_usable_by(kUser + 1, kGroup + 1, folder) == false);
    std::filesystem::remove_all(folder + "/state");
    CHECK(is_usable_by(kUser, kGroup + 1, folder) == is_for_all);
  }
}

TEST_CASE("where others can change the way to it nothing is changed at its end") {
  const TemporaryDirectory directory;
  const std::string open = directory / "open";
  const std::string folder = open + "/empty";
  std::filesystem::create_directories(folder);
  for (const std::string& each : {open, folder}) REQUIRE(::chmod(each.c_str(), 0777) == 0);
  std::filesystem::create_directory_symlink(folder, directory / "link");
  for (const std::string& way : {folder, directory / "link"}) {
    for (const char* const end : {"", "/"}) {
      CAPTURE(way, end);
      const auto ready = prepare_run_dir(way + end);
      REQUIRE_FALSE(ready);
      CHECK_THAT(ready.error().message(), Catch::Contains("others may write to it"));
      CHECK(mode_of(folder) == 0777);
    }
  }
}

TEST_CASE("a folder that others use is refused and left as it is") {
  const TemporaryDirectory directory;
  const std::string folder = directory / "shared";
  std::filesystem::create_directory(folder);
  // Sticky, as /tmp, or with something in it.
  const mode_t mode = GENERATE(mode_t{01777}, mode_t{0777});
  if (mode == 0777) std::filesystem::create_directory(folder + "/in_use");
  REQUIRE(::chmod(folder.c_str(), mode) == 0);
  const auto ready = prepare_run_dir(folder);
  REQUIRE_FALSE(ready);
  CHECK_THAT(ready.error().message(), Catch::Contains("cannot keep sockets and state in") &&
                                          Catch::Contains("may write to it") &&
                                          Catch::Contains("--run-dir"));
  CHECK(mode_of(folder) == mode);
}

TEST_CASE("where nothing can be made it is told what to mount") {
  const auto ready = prepare_run_dir("/proc/csi-sidecars");
  REQUIRE_FALSE(ready);
  CHECK_THAT(ready.error().message(),
             Catch::Contains("\"/proc/csi-sidecars\"") &&
                 Catch::Contains("mount an emptyDir there that nothing else uses"));
  CHECK_FALSE(prepare_run_dir("/proc/version"));
}

}  // namespace
}  // namespace longshore::sidecars
