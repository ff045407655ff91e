// Linked into a test program that removes directories recursively: before the first test, the
// program moves into a mount namespace of its own in which everything is read-only except one
// scratch directory, which becomes the place of temporary files. A mistake in what is tested then
// ends with "Read-only file system" and not with the machine that runs the test.
//
// Where the program may not do so (it needs CAP_SYS_ADMIN) no test is run and the program fails.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>

namespace longshore::test {
namespace {

// Ends the program: nothing may run uncontained.
void require(bool done, const char* what) {
  if (done) return;
  std::perror(what);
  std::fputs("these tests remove directories recursively and run only where they are contained\n",
             stderr);
  std::_Exit(1);
}

class Containment final : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    const std::string outside = std::filesystem::temp_directory_path();
    scratch_ = outside + "/longshore-contained-XXXXXX";
    require(::mkdtemp(scratch_.data()) != nullptr, "mkdtemp");
    require(::chmod(scratch_.c_str(), 0711) == 0, "chmod");

    require(::unshare(CLONE_NEWNS) == 0, "unshare");
    require(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "make private");
    // A writable copy of the mount that no path leads to: to remove the scratch directory itself.
    outside_ = ::open_tree(AT_FDCWD, outside.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    require(outside_ >= 0, "open_tree");
    require(::mount(scratch_.c_str(), scratch_.c_str(), nullptr, MS_BIND, nullptr) == 0, "bind");
    mount_attr closed{};
    closed.attr_set = MOUNT_ATTR_RDONLY;
    require(::mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &closed, sizeof(closed)) == 0, "close");
    mount_attr open{};
    open.attr_clr = MOUNT_ATTR_RDONLY;
    require(::mount_setattr(AT_FDCWD, scratch_.c_str(), 0, &open, sizeof(open)) == 0, "open");

    for (const std::string& place : {outside, std::string("/"), std::string("/var")}) {
      const std::string probe = place + "/longshore-must-not-be";
      const int made = ::mkdir(probe.c_str(), 0700);
      if (made == 0) ::rmdir(probe.c_str());
      require(made != 0 && errno == EROFS, "a place outside is still writable");
    }
    ::setenv("TMPDIR", scratch_.c_str(), 1);
  }

  void testRunEnded(const Catch::TestRunStats&) override {
    ::umount2(scratch_.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH);
    ::unlinkat(outside_, std::filesystem::path(scratch_).filename().c_str(), AT_REMOVEDIR);
    ::close(outside_);
  }

 private:
  std::string scratch_;
  int outside_ = -1;
};

CATCH_REGISTER_LISTENER(Containment)

}  // namespace
}  // namespace longshore::test
