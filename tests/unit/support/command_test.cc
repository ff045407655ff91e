#include "support/linux/command.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/temporary_directory.h"

namespace longshore::support {
namespace {

// A program of a test's own: a script without its first line.
class Program {
 public:
  explicit Program(const std::string& script) : path_(directory_ / "program") {
    test::write_file(path_, "#!/bin/sh\n" + script);
    REQUIRE(::chmod(path_.c_str(), 0755) == 0);
  }

  const std::string& path() const { return path_; }
  // A file that it may write.
  std::string out() const { return directory_ / "out"; }
  std::string written() const {
    std::ifstream file(out(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  CommandEnd run(std::vector<std::string> arguments = {},
                 const std::vector<int>& descriptors = {}) const {
    arguments.insert(arguments.begin(), path_);
    const Result<CommandEnd> end = run_command(arguments, {.descriptors = descriptors});
    REQUIRE(end);
    return *end;
  }

 private:
  const test::TemporaryDirectory directory_;
  const std::string path_;
};

TEST_CASE("a program's exit code is told") {
  const int code = GENERATE(0, 1, 77, 127, 255);
  const CommandEnd end = Program("exit $1\n").run({std::to_string(code)});
  CHECK(end.exit_code == code);
  CHECK(end.complaint.empty());
}

TEST_CASE("a signal that ends a program is told") {
  const int signal = GENERATE(SIGKILL, SIGTERM, SIGSEGV);
  const CommandEnd end = Program("ulimit -c 0\nkill -$1 $$\n").run({std::to_string(signal)});
  CHECK(end.exit_code == 128 + signal);
}

TEST_CASE("what a program complains of is told in one line") {
  const Program program("echo to nobody\nprintf 'first\\nsecond\\tthird\\n\\n' >&2\nexit 3\n");
  const CommandEnd end = program.run();
  CHECK(end.exit_code == 3);
  CHECK(end.complaint == "first second third");
}

TEST_CASE("of a long complaint the end is told") {
  const Program program(
      "i=0\nwhile [ $i -lt 20000 ]; do echo line $i >&2; i=$((i + 1)); done\necho the end >&2\n");
  const CommandEnd end = program.run();
  CHECK(end.exit_code == 0);
  CHECK(end.complaint.size() <= 2048);
  CHECK(end.complaint.size() > 1024);
  CHECK_THAT(end.complaint, Catch::EndsWith("line 19999 the end"));
}

TEST_CASE("arguments arrive as they are, and no shell sees them") {
  const Program program("printf '%s|' \"$@\" > \"$1\"\n");
  CHECK(program.run({program.out(), "a b", "", "$HOME", "; exit 9", "*", "\"'\\"}).exit_code == 0);
  CHECK(program.written() == program.out() + "|a b||$HOME|; exit 9|*|\"'\\|");
}

TEST_CASE("a program has no environment") {
  REQUIRE(::setenv("LONGSHORE_TEST_SECRET", "secret", 1) == 0);
  // From the kernel: a shell sets a few variables of its own.
  const Program program("read -r all < /proc/$$/environ\nprintf '%s' \"$all\" > \"$1\"\n");
  CHECK(program.run({program.out()}).exit_code == 0);
  ::unsetenv("LONGSHORE_TEST_SECRET");
  CHECK(std::filesystem::exists(program.out()));
  CHECK(program.written().empty());
}

TEST_CASE("a program has the descriptors that it is given and the standard ones") {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "given", "content");
  const auto open = [&](int flags) {
    return FileDescriptor(::open((directory / "given").c_str(), O_RDONLY | flags));
  };
  // A library may have opened one without O_CLOEXEC.
  const FileDescriptor given = open(O_CLOEXEC), kept = open(O_CLOEXEC), foreign = open(0),
                       also_given = open(0);
  // The names of what is open in the shell's own process.
  const Program program(
      "out=$1\nset -- /proc/$$/fd/*\nlist=\nfor each; do list=\"$list ${each##*/}\"; done\n"
      "printf '%s' \"$list\" > \"$out\"\n");
  REQUIRE(program.run({program.out()}, {given.get(), also_given.get()}).exit_code == 0);
  const std::string listed = program.written() + " ";
  const auto has = [&](int number) {
    return listed.find(" " + std::to_string(number) + " ") != std::string::npos;
  };
  CAPTURE(listed);
  for (const int number : {0, 1, 2, given.get(), also_given.get()}) CHECK(has(number));
  CHECK_FALSE(has(kept.get()));
  CHECK_FALSE(has(foreign.get()));
}

TEST_CASE("a descriptor is the same file in the program, and still ours afterwards") {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "given", "content\n");
  const FileDescriptor given(::open((directory / "given").c_str(), O_RDONLY | O_CLOEXEC));
  const Program program("read word < /proc/self/fd/$1\n[ \"$word\" = content ]\n");
  CHECK(program.run({std::to_string(given.get())}, {given.get()}).exit_code == 0);
  CHECK((::fcntl(given.get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a program's standard input and output lead nowhere") {
  const Program program("if read word; then exit 9; fi\necho much\n");
  CHECK(program.run().exit_code == 0);
}

TEST_CASE("a program has a session of its own and handles signals as by default, but for one") {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  REQUIRE(::pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0);
  const auto old = ::signal(SIGPIPE, SIG_IGN);
  // The fields of stat: pid, name, state, parent, group, session.
  const Program program(
      "read -r pid name state parent group session rest < /proc/$$/stat\n"
      "[ $session = $$ ] || exit 9\nkill -TERM $$\n");
  CHECK(program.run().exit_code == 128 + SIGTERM);
  // An mkfs that outlives the agent goes on though nobody reads its complaints any more.
  CHECK(Program("kill -PIPE $$\n").run().exit_code == 0);
  ::signal(SIGPIPE, old);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("a program that cannot be started is an error with its name") {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "plain", "no program");
  const auto [name, code] = GENERATE(table<std::string, StatusCode>({
      {"missing", StatusCode::kNotFound},
      {"plain", StatusCode::kPermissionDenied},
      {"", StatusCode::kPermissionDenied},
  }));
  const std::string path = directory / name;
  const Result<CommandEnd> end = run_command({path, "argument"}, {});
  REQUIRE_FALSE(end);
  CHECK(end.error().code() == code);
  CHECK_THAT(end.error().message(), Catch::Contains(path));
}

TEST_CASE("the start of a program's output is kept, as much as is asked for") {
  const Program program("echo first\nprintf 'second\\001'\necho complaint >&2\nexit 3\n");
  const auto output = [&](size_t limit) {
    const Result<CommandEnd> end = run_command({program.path()}, {.output_limit = limit});
    REQUIRE(end);
    CHECK(end->exit_code == 3);
    CHECK(end->complaint == "complaint");
    return end->output;
  };
  CHECK(output(0).empty());
  CHECK(output(5) == "first");
  CHECK(output(1000) == "first\nsecond\001");
}

TEST_CASE("more output than is kept keeps no program waiting") {
  const Program program("head -c 1000000 /dev/zero\nhead -c 1000000 /dev/zero >&2\n");
  const Result<CommandEnd> end = run_command({program.path()}, {.output_limit = 1});
  REQUIRE(end);
  CHECK(end->exit_code == 0);
  CHECK(end->output == std::string(1, '\0'));
  CHECK(end->complaint.size() == 2048);
}

TEST_CASE("a program is killed at its deadline, with what it started") {
  using Clock = std::chrono::steady_clock;
  const Program program("sleep 1000 &\necho $! > $1\necho begun\nwait\n");
  const auto begin = Clock::now();
  const Result<CommandEnd> end =
      run_command({program.path(), program.out()},
                  {.deadline = begin + std::chrono::milliseconds(500), .output_limit = 100});
  REQUIRE(end);
  CHECK(end->was_killed);
  CHECK(end->exit_code == 128 + SIGKILL);
  CHECK(Clock::now() - begin >= std::chrono::milliseconds(500));
  CHECK(Clock::now() - begin < std::chrono::seconds(100));
  if (end->output != "begun\n") return;  // on a busy machine it came to nothing
  const pid_t left = std::stoi(program.written());
  const std::string state = "/proc/" + std::to_string(left) + "/stat";
  const auto is_alive = [&] {
    std::ifstream file(state);
    std::string pid, name, letter;
    return (file >> pid >> name >> letter) && letter != "Z";
  };
  while (is_alive() && Clock::now() - begin < std::chrono::seconds(100)) std::this_thread::yield();
  CHECK_FALSE(is_alive());
}

TEST_CASE("a program that never stops writing is killed at its deadline too") {
  const std::string where = GENERATE(as<std::string>(), "", ">&2");
  // Several, so that there is always something to read.
  const Program program("yes " + where + " &\nyes " + where + " &\nyes " + where + " &\nexec yes " +
                        where + "\n");
  const Result<CommandEnd> end =
      run_command({program.path()},
                  {.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(200),
                   .output_limit = 4});
  REQUIRE(end);
  CHECK(end->was_killed);
  CHECK(end->exit_code == 128 + SIGKILL);
  CHECK(end->output == (where.empty() ? "y\ny\n" : ""));
}

TEST_CASE("a deadline that does not come changes nothing") {
  const Program program("echo done\n");
  const Result<CommandEnd> end = run_command(
      {program.path()}, {.deadline = std::chrono::steady_clock::now() + std::chrono::hours(10'000),
                         .output_limit = 100});
  REQUIRE(end);
  CHECK_FALSE(end->was_killed);
  CHECK(end->output == "done\n");
}

TEST_CASE("what a program leaves running is not waited for, though it holds the output") {
  const Program program("sleep 1000 &\necho $! > $1\necho done\n");
  const Result<CommandEnd> end =
      run_command({program.path(), program.out()}, {.output_limit = 100});
  REQUIRE(end);
  CHECK(end->exit_code == 0);
  CHECK_FALSE(end->was_killed);
  CHECK(end->output == "done\n");
  CHECK(::kill(std::stoi(program.written()), SIGKILL) == 0);
}

TEST_CASE("what keeps a text, or the rest of one, from being written is told") {
  errno = 0;
  SECTION("a full disk") {
    const FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
    CHECK(write_all(full.get(), "text") == std::errc::no_space_on_device);
    CHECK_FALSE(write_all(full.get(), ""));
  }
  SECTION("a pipe that takes a part") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    const FileDescriptor reader(ends[0]), writer(ends[1]);
    const std::string text(size_t{4} << 20, 'x');  // more than any pipe has room for
    CHECK(write_all(writer.get(), text) == std::errc::resource_unavailable_try_again);
  }
}

TEST_CASE("an error is had of a call that failed only, and of each its own") {
  struct stat status {};
  FileDescriptor missing(::open("/nowhere", O_RDONLY | O_CLOEXEC));
  FileDescriptor opened(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  REQUIRE(opened);
  CHECK(error_unless(::write(opened.get(), "x", 1) == 1) == std::errc::no_space_on_device);
  // errno is still that of the write.
  CHECK_FALSE(opened.error());
  CHECK_FALSE(error_unless(::fstat(opened.get(), &status) == 0));
  CHECK(missing.error() == std::errc::no_such_file_or_directory);
  const FileDescriptor moved(std::move(missing));
  CHECK(moved.error() == std::errc::no_such_file_or_directory);
  CHECK(FileDescriptor().error() == std::errc::bad_file_descriptor);
  opened = FileDescriptor();
  CHECK(opened.error() == std::errc::bad_file_descriptor);
}

TEST_CASE("a descriptor that is closed leaves errno to the call that failed") {
  errno = ENOSPC;
  { const FileDescriptor none(1 << 30); }
  CHECK(error_unless(false) == std::errc::no_space_on_device);
}

}  // namespace
}  // namespace longshore::support
