// The audit log's file while logrotate and full disks meddle.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "audit_world.h"

namespace longshore::router {
namespace {

namespace fs = std::filesystem;
using World = AuditWorld;

// No file of this process may grow over so many bytes, as on a disk that is full.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

// A file that only grows, as by `chattr +a`.
class AppendOnly {
 public:
  explicit AppendOnly(const std::string& file) : descriptor_(open(file.c_str(), O_RDONLY)) {
    holds = set(FS_APPEND_FL);
  }
  ~AppendOnly() {
    set(0);
    close(descriptor_);
  }
  AppendOnly(const AppendOnly&) = delete;
  AppendOnly& operator=(const AppendOnly&) = delete;

  bool holds = false;

 private:
  bool set(int flags) const {
    int now = 0;
    if (ioctl(descriptor_, FS_IOC_GETFLAGS, &now) != 0) return false;
    now = (now & ~FS_APPEND_FL) | flags;
    return ioctl(descriptor_, FS_IOC_SETFLAGS, &now) == 0;
  }

  const int descriptor_;
};

}  // namespace

TEST_CASE("a file that was moved away is opened anew when told so, and lines go on before") {
  World world;
  world.call();
  REQUIRE(world.audit->reopen());
  fs::rename(world.file, world.directory / "audit.jsonl.1");
  world.call();
  CHECK(world.lines("audit.jsonl.1").size() == 2);
  REQUIRE(world.audit->reopen());
  world.call();
  CHECK(world.lines("audit.jsonl.1").size() == 2);
  CHECK(world.lines().size() == 1);
  fs::rename(world.file, world.directory / "audit.jsonl.2");
  fs::create_directory(world.file);
  CHECK_FALSE(world.audit->reopen());
  world.call();
  CHECK(world.lines("audit.jsonl.2").size() == 2);
}

TEST_CASE("what is not a plain file is no audit log") {
  World world;
  AuditLog other(*world.log);
  CHECK_FALSE(other.open(world.directory / "no/such/folder", false));
  CHECK_FALSE(other.open("/dev/null", false));
  fs::create_symlink(world.file, world.directory / "link");
  CHECK_FALSE(other.open(world.directory / "link", false));
  REQUIRE(mkfifo((world.directory / "fifo").c_str(), 0600) == 0);
  CHECK_FALSE(other.open(world.directory / "fifo", false));
}

TEST_CASE("while the file cannot be written calls go on, and lines follow whole, in order") {
  World world;
  world.call();
  {
    const SmallFiles full(fs::file_size(world.file) + 20);
    world.call(StatusCode::kNotFound, "second");
    world.call(StatusCode::kNotFound, "third");
    CHECK(world.lines().size() == 1);
    CHECK(world.audit->figures().waiting == 2);
  }
  CHECK(has(world.log_text, "the audit log cannot be written"));
  CHECK(world.recorder->code() == StatusCode::kNotFound);
  world.call();
  const auto lines = world.lines();
  REQUIRE(lines.size() == 4);
  CHECK(has(lines[1], "second"));
  CHECK(has(lines[2], "third"));
  CHECK(has(lines[3], R"("code":"OK")"));
  CHECK(has(world.log_text, "the audit log is written again"));
  CHECK(world.audit->figures().lost == 0);
}

TEST_CASE("lines that are too many to keep are counted as lost") {
  World world;
  world.call();
  {
    const SmallFiles full(fs::file_size(world.file));
    for (size_t i = 0; i < AuditLog::kMaxKept + 5; ++i) world.call();
  }
  CHECK(world.audit->figures().lost == 5);
  CHECK(has(world.log_text, "lines of the audit log are lost"));
  world.call();
  CHECK(world.lines().size() == AuditLog::kMaxKept + 2);
}

TEST_CASE("where the log is required, calls are refused until it can be written again") {
  World world(true);
  world.call();
  {
    const SmallFiles full(fs::file_size(world.file));
    world.call();  // nobody knows yet
    CHECK_FALSE(world.begin());
    CHECK(world.recorder->code() == StatusCode::kUnavailable);
    CHECK(has(world.recorder->text(), "audit log"));
    auto reads = mutating_method();
    reads->reads_only = true;
    world.set_method(reads);
    world.call();
    CHECK(world.recorder->code() == StatusCode::kOk);
    world.set_method(mutating_method());
  }
  world.call();
  CHECK(world.recorder->code() == StatusCode::kOk);
  CHECK(world.lines().size() == 3);  // what was refused for want of the log is not among them
  CHECK(has(world.log_text, "refused_calls=1"));
}

TEST_CASE("at the end what is kept is written, or its number is logged") {
  World world;
  world.call();
  {
    const SmallFiles full(fs::file_size(world.file));
    world.call();
    world.call();
  }
  world.audit->end();
  CHECK(world.lines().size() == 3);
  CHECK_FALSE(has(world.log_text, "ends without"));
  {
    const SmallFiles full(fs::file_size(world.file));
    world.call();
    world.call();
    world.audit->end();
  }
  CHECK(has(world.log_text, "the audit log ends without all of its lines"));
  CHECK(has(world.log_text, "lost=2"));
}

TEST_CASE("half a line that cannot be taken back does not spoil the next one") {
  World world;
  world.call();
  const AppendOnly kept(world.file);
  if (!kept.holds) {
    std::cout << "SKIPPED: files cannot be made append-only here\n";
    return;
  }
  {
    const SmallFiles full(fs::file_size(world.file) + 20);
    world.call();
  }
  world.call();
  const auto lines = world.lines();
  REQUIRE(lines.size() == 4);
  CHECK(lines[1].size() == 20);
  CHECK(lines[2].starts_with("{\"time\""));
  CHECK(lines[2].ends_with("}"));
  CHECK(lines[3].ends_with("}"));
}

}  // namespace longshore::router
