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
#include "tests/support/eventually.h"
#include "tests/support/read_file.h"

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

// This process can open nothing.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{0, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

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

// A call that was refused.
RecentCalls::Answered refusal() {
  static const std::shared_ptr<const Method> method = mutating_method();
  static const std::shared_ptr<const Caller> caller =
      std::make_shared<Caller>(Caller{"uid:7", "uid:7", nullptr, ids_of(7), 4711});
  return {0, method, caller, "r9", "", Clock::now(), {}, StatusCode::kNotFound, "no"};
}

}  // namespace

TEST_CASE("a file that was moved away is opened anew when told so, and lines go on before") {
  World world;
  world.call();
  REQUIRE(world.audit->reopen());
  fs::rename(world.file, world.directory / "audit.jsonl.1");
  world.call();
  CHECK(world.lines("audit.jsonl.1").size() == 4);
  REQUIRE(world.audit->reopen());
  world.call();
  CHECK(world.lines("audit.jsonl.1").size() == 4);
  CHECK(world.lines().size() == 2);
  fs::rename(world.file, world.directory / "audit.jsonl.2");
  fs::create_directory(world.file);
  CHECK_FALSE(world.audit->reopen());
  world.call();
  CHECK(world.lines("audit.jsonl.2").size() == 4);
}

TEST_CASE("a link that is put in the file's place is not followed when it is opened anew") {
  World world;
  world.call();
  fs::rename(world.file, world.directory / "audit.jsonl.1");
  const std::string victim = world.directory / "victim";
  test::write_file(victim, "precious\n");
  fs::permissions(victim, fs::perms(0666));
  fs::create_symlink(victim, world.file);
  const auto reopened = world.audit->reopen();
  REQUIRE_FALSE(reopened);
  CHECK(has(reopened.error().message(), "it is a link, which is not followed"));
  CHECK(world.audit->figures().trouble == reopened.error().message());
  world.call();
  CHECK(world.lines("audit.jsonl.1").size() == 4);  // the file that is open still
  CHECK(test::read_file(victim) == "precious\n");
  CHECK(fs::status(victim).permissions() == fs::perms(0666));
  fs::remove(world.file);
  REQUIRE(world.audit->reopen());
  world.call();
  CHECK(world.lines().size() == 2);
}

TEST_CASE("what is not a plain file is no audit log") {
  World world;
  fs::create_symlink(world.file, world.directory / "link");
  REQUIRE(mkfifo((world.directory / "fifo").c_str(), 0600) == 0);
  for (const std::string& file : {world.directory / "no/such/folder", std::string("/dev/null"),
                                  world.directory / "link", world.directory / "fifo"}) {
    CAPTURE(file);
    AuditLog other(*world.log, world.timers);
    const auto opened = other.open({.file = file});
    REQUIRE_FALSE(opened);
    CHECK(has(opened.error().message(), "agent.audit.file \"" + file));
    CHECK(other.figures().trouble == opened.error().message());
    CHECK(has(world.log_text, opened.error().message()));
  }
}

TEST_CASE("a file that cannot be opened at the start is tried again, and lines wait for it") {
  World world;
  const std::string file = world.directory / "later/audit.jsonl";
  AuditLog audit(*world.log, world.timers);
  REQUIRE_FALSE(audit.open({.file = file}));
  audit.add(refusal(), false);
  audit.settle();
  CHECK(audit.figures().waiting == 1);
  fs::create_directory(world.directory / "later");
  REQUIRE(test::eventually([&] { return audit.figures().trouble.empty(); }));  // nobody calls
  CHECK(audit.figures().waiting == 0);
  const auto lines = world.lines("later/audit.jsonl");
  REQUIRE(lines.size() == 1);
  CHECK(has(lines[0], R"("event":"refused")"));
  CHECK(has(world.log_text, "the audit log is written again"));
}

TEST_CASE("while the file cannot be written calls go on, and lines follow whole, in order") {
  World world;
  world.call();
  world.audit->settle();
  {
    const SmallFiles full(fs::file_size(world.file) + 20);
    world.call(StatusCode::kNotFound, "second");
    world.call(StatusCode::kNotFound, "third");
    CHECK(world.lines().size() == 2);
    CHECK(world.audit->figures().waiting == 4);
    CHECK(has(world.audit->figures().trouble, world.file));
  }
  CHECK(has(world.log_text, "cannot write the audit log of agent.audit.file"));
  CHECK(world.recorder->code() == StatusCode::kNotFound);
  world.call();
  const auto lines = world.lines();
  REQUIRE(lines.size() == 8);
  CHECK(has(lines[3], "second"));
  CHECK(has(lines[5], "third"));
  CHECK(has(lines[7], R"("code":"OK")"));
  CHECK(has(world.log_text, "the audit log is written again"));
  CHECK(world.audit->figures().lost == 0);
  CHECK(world.audit->figures().trouble.empty());
}

TEST_CASE("lines that are too many to keep are counted as lost") {
  World world;
  world.call();
  world.audit->settle();
  {
    const SmallFiles full(fs::file_size(world.file));
    for (size_t i = 0; i < AuditWriter::kMaxKept / 2 + 5; ++i) world.call();
    world.audit->settle();
  }
  CHECK(world.audit->figures().lost == 10);
  CHECK(has(world.log_text, "lines of the audit log are lost"));
  world.call();
  const auto lines = world.lines();
  REQUIRE(lines.size() == AuditWriter::kMaxKept + 5);
  CHECK(has(lines[AuditWriter::kMaxKept + 2], R"("event":"lost","lines":10,)"));
  CHECK_FALSE(has(lines[AuditWriter::kMaxKept + 2], "refused_calls"));
  CHECK(has(world.log_text, "lost=10"));
}

TEST_CASE("where the log is required, calls are refused until it can be written again") {
  World world(true);
  world.call();
  world.audit->settle();
  {
    const SmallFiles full(fs::file_size(world.file));
    world.begin();
    CHECK(world.target->count("execute") == 1);
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
  // What was refused for want of the log is counted only.
  const auto lines = world.lines();
  REQUIRE(lines.size() == 5);
  CHECK(has(lines[2], R"("event":"lost","lines":0,"refused_calls":1,)"));
  CHECK(has(world.log_text, "refused_calls=1"));
  CHECK(world.audit->figures().refused_calls == 1);
  CHECK(world.target->count("refused") == 1);
}

TEST_CASE("at the end what is kept is written, or its number is logged") {
  World world;
  world.call();
  world.audit->settle();
  {
    const SmallFiles full(fs::file_size(world.file));
    world.call();
    world.call();
    world.audit->settle();
  }
  world.audit->end();
  CHECK(world.lines().size() == 6);
  CHECK_FALSE(has(world.log_text, "ends without"));
  World other;
  other.call();
  other.audit->settle();
  {
    const SmallFiles full(fs::file_size(other.file));
    other.call();
    other.audit->end();
  }
  CHECK(has(other.log_text, "the audit log ends without all of its lines"));
  CHECK(has(other.log_text, "lost=2"));
  const size_t at = other.log_text.find(observe::kAuditLoss);
  REQUIRE(at != std::string::npos);
  const auto loss = observe::read_loss(other.log_text.substr(at));
  REQUIRE(loss);
  CHECK(loss->lines == 2);
  CHECK(loss->number == 3);
}

TEST_CASE("what an agent could not write to its end is told by the next one, once") {
  World world;
  world.call();
  world.audit->settle();
  const bool is_killed = GENERATE(false, true);
  {
    const SmallFiles full(fs::file_size(world.file));
    world.call();
    world.call();
    world.audit->settle();
    if (!is_killed) world.audit->end();
    // By a copy, as a killed agent leaves it.
    fs::copy_file(world.mark, world.mark + ".left");
  }
  fs::copy_file(world.file, world.file + ".next");
  // Of another file it says nothing.
  fs::copy_file(world.mark + ".left", world.mark + ".other");
  AuditLog other(*world.log, world.timers);
  REQUIRE(other.open({.file = world.file + ".next", .mark = world.mark + ".other"}));
  other.end();
  CHECK(world.lines("audit.jsonl.next").size() == 2);

  fs::rename(world.file, world.file + ".moved");
  fs::rename(world.file + ".next", world.file);
  for (const bool is_first : {true, false}) {
    CAPTURE(is_first);
    AuditLog next(*world.log, world.timers);
    REQUIRE(next.open({.file = world.file, .mark = world.mark + ".left"}));
    CHECK(next.figures().lost == 0);
    next.end();
    const auto lines = world.lines();
    REQUIRE(lines.size() == 3);
    CHECK(has(lines[2], R"("event":"lost","lines":4,)"));
  }
}

TEST_CASE("a new file that cannot have its first line gets it later") {
  World world;
  world.call();
  world.audit->settle();
  fs::rename(world.file, world.file + ".1");
  {
    const SmallFiles full(0);
    CHECK_FALSE(world.audit->reopen());
    world.call();
    world.audit->settle();
  }
  world.call();
  world.audit->settle();
  std::ifstream stream(world.file);
  std::string first;
  std::getline(stream, first);
  CHECK(has(first, R"("event":"opened")"));
  CHECK(world.lines().size() == 4);
}

TEST_CASE("half a line that cannot be taken back does not spoil the next one") {
  World world;
  world.call();
  world.audit->settle();
  const AppendOnly kept(world.file);
  if (!kept.holds) {
    std::cout << "SKIPPED: files cannot be made append-only here\n";
    return;
  }
  {
    const SmallFiles full(fs::file_size(world.file) + 20);
    world.call();
    world.audit->settle();
  }
  world.call();
  world.audit->settle();
  const auto lines = world.lines();
  REQUIRE(lines.size() == 7);
  CHECK(lines[2].size() == 20);
  CHECK(lines[3].starts_with("{\"time\""));
  CHECK(lines[3].ends_with("}"));
  CHECK(lines[6].ends_with("}"));
}

TEST_CASE("a file that is full is rotated, the oldest goes, and the chain goes on") {
  World world(false, 2000);
  for (int i = 0; i < 40; ++i) world.call();
  world.audit->settle();
  CHECK(fs::exists(world.file + ".7"));
  CHECK_FALSE(fs::exists(world.file + ".8"));
  CHECK(fs::file_size(world.file + ".1") <= 2000 + 200);  // and the number and hash of a line
  std::string previous;
  for (const std::string name : {"audit.jsonl.2", "audit.jsonl.1", "audit.jsonl"}) {
    std::ifstream stream(world.directory / name);
    for (std::string line; std::getline(stream, line);) {
      const auto sealed_line = observe::read_sealed(line);
      REQUIRE(sealed_line);
      if (!previous.empty()) {
        CHECK(observe::hash_after(previous, sealed_line->content) == sealed_line->hash);
      }
      previous = sealed_line->hash;
    }
  }
}

TEST_CASE("while a new file cannot be made, the old ones are moved once") {
  World world(false, 2000);
  while (!fs::exists(world.file + ".3")) world.call();
  {
    const NoDescriptors none;
    while (world.audit->figures().trouble.empty()) world.call();
    for (int i = 0; i < 10; ++i) world.call();
    CHECK_FALSE(fs::exists(world.file));
    for (const char* number : {".1", ".2", ".3", ".4"}) CHECK(fs::exists(world.file + number));
    CHECK_FALSE(fs::exists(world.file + ".5"));
  }
  world.call();
  world.audit->settle();
  CHECK(fs::exists(world.file));
  CHECK(world.audit->figures().trouble.empty());
}

TEST_CASE("a last line that is torn is mended by the next agent, and the chain goes on") {
  World world;
  world.call();
  world.audit->end();
  fs::resize_file(world.file, fs::file_size(world.file) - 30);
  AuditLog next(*world.log, world.timers);
  REQUIRE(next.open({.file = world.file}));
  const auto lines = world.lines();
  REQUIRE(lines.size() == 2);
  CHECK(has(lines[1], R"("event":"mended","torn":"{\"time\")"));
  const auto before = observe::read_sealed(lines[0]);
  const auto mended = observe::read_sealed(lines[1]);
  REQUIRE(before);
  REQUIRE(mended);
  CHECK(mended->number == before->number + 1);
  CHECK(observe::hash_after(before->hash, mended->content) == mended->hash);
}

TEST_CASE("a folder that others can write has no audit log") {
  World world;
  const std::string folder = world.directory / "open";
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::all);
  AuditLog other(*world.log, world.timers);
  CHECK_FALSE(other.open({.file = folder + "/audit.jsonl"}));
  CHECK_FALSE(fs::exists(folder + "/audit.jsonl"));
}

}  // namespace longshore::router
