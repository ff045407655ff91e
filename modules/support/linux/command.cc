#include "support/linux/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/linux/spawn.hpp"

namespace longshore::support {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxComplaintBytes = 2048;
constexpr std::chrono::seconds kDying{1};

// What comes through a pipe: its start or its end, whatever else there is being read and dropped.
class PipeReader {
 public:
  explicit PipeReader(FileDescriptor pipe) : pipe_(std::move(pipe)) {}

  // -1 once nobody writes any more: poll leaves it out.
  int descriptor() const { return pipe_.get(); }
  std::string& text() { return text_; }

  // Reads what is there now, but of a program that goes on writing no more than a pipe holds at
  // once: others wait for their turn. `keep` shortens the text to what is wanted of it.
  template <typename Keep>
  void read_available(const Keep& keep) {
    char buffer[4096];
    constexpr size_t kMostReads = (size_t{1} << 16) / sizeof(buffer);
    for (size_t reads = 0; pipe_ && reads < kMostReads; ++reads) {
      const ssize_t size = ::read(pipe_.get(), buffer, sizeof(buffer));
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == EAGAIN) return;
      if (size <= 0) {
        pipe_ = FileDescriptor();
        return;
      }
      text_.append(buffer, static_cast<size_t>(size));
      keep(text_);
    }
  }

 private:
  FileDescriptor pipe_;
  std::string text_;
};

// A pipe of which the program gets one end. Reading never blocks; the program's writing does.
struct Pipe {
  static Result<Pipe> make(const std::string& program) {
    int ends[2];
    if (const std::error_code error = error_unless(::pipe2(ends, O_CLOEXEC) == 0)) {
      return Error(StatusCode::kUnknown, "run", program).because(error);
    }
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  }

  FileDescriptor reading;
  FileDescriptor writing;
};

void in_one_line(std::string& text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
}

// A program that was started.
class RunningCommand {
 public:
  RunningCommand(pid_t child, FileDescriptor process, FileDescriptor output,
                 FileDescriptor complaint, size_t output_limit)
      : child_(child),
        process_(std::move(process)),
        output_(std::move(output)),
        complaint_(std::move(complaint)),
        output_limit_(output_limit) {}

  CommandEnd finish(Clock::time_point deadline) {
    CommandEnd end;
    if (!await(deadline)) {
      end.was_killed = true;
      ::kill(-child_, SIGKILL);  // its session's group: it and what it started
      await(Clock::now() + kDying);
    }
    read_available();  // what it wrote last
    end.output = std::move(output_.text());
    end.complaint = std::move(complaint_.text());
    in_one_line(end.complaint);
    end.exit_code = reap(end.was_killed);
    return end;
  }

 private:
  // Whether the program has ended before.
  bool await(Clock::time_point deadline) {
    for (;;) {
      pollfd polled[] = {{process_.get(), POLLIN, 0},
                         {output_.descriptor(), POLLIN, 0},
                         {complaint_.descriptor(), POLLIN, 0}};
      const int ready = ::poll(polled, std::size(polled), milliseconds_until(deadline));
      if (ready < 0 && errno != EINTR) return false;
      if (ready > 0) read_available();
      if (ready > 0 && polled[0].revents != 0) return true;
      if (Clock::now() >= deadline) return false;
    }
  }

  static int milliseconds_until(Clock::time_point deadline) {
    constexpr auto kLongest = std::chrono::hours(1);
    const auto now = Clock::now();
    if (deadline <= now) return 0;
    const auto left = std::min<Clock::duration>(deadline - now, kLongest);
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
  }

  void read_available() {
    output_.read_available([this](std::string& text) {
      if (text.size() > output_limit_) text.resize(output_limit_);
    });
    complaint_.read_available([](std::string& text) {
      if (text.size() > kMaxComplaintBytes) text.erase(0, text.size() - kMaxComplaintBytes);
    });
  }

  // One that was killed and is not gone yet stays a zombie until the agent ends.
  int reap(bool was_killed) const {
    int status = SIGKILL;
    while (::waitpid(child_, &status, was_killed ? WNOHANG : 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  pid_t child_;
  FileDescriptor process_;
  PipeReader output_;
  PipeReader complaint_;
  size_t output_limit_;
};

}  // namespace

Result<CommandEnd> run_command(const std::vector<std::string>& arguments,
                               const CommandOptions& options) {
  Result<Pipe> output = Pipe::make(arguments[0]);
  if (!output) return std::move(output).error();
  Result<Pipe> complaint = Pipe::make(arguments[0]);
  if (!complaint) return std::move(complaint).error();

  SpawnPlan plan;
  plan.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  // Nobody to complain of a closed pipe to, should it outlive us.
  if (options.output_limit == 0) plan.open(STDOUT_FILENO, "/dev/null", O_WRONLY);
  if (options.output_limit != 0) plan.duplicate(output->writing.get(), STDOUT_FILENO);
  plan.duplicate(complaint->writing.get(), STDERR_FILENO);
  for (const int descriptor : options.descriptors) plan.duplicate(descriptor, descriptor);
  plan.close_all_but(options.descriptors);
  const Result<pid_t> child = plan.spawn(arguments);
  if (!child) return child.error();
  // By number: the header of glibc 2.36 declares the function as one of C++.
  FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, *child, 0)));
  if (!process) {
    ::kill(*child, SIGKILL);
    ::waitpid(*child, nullptr, 0);
    return Error(StatusCode::kUnknown, "run", arguments[0]).because(process.error());
  }
  output->writing = FileDescriptor();
  complaint->writing = FileDescriptor();
  return RunningCommand(*child, std::move(process), std::move(output->reading),
                        std::move(complaint->reading), options.output_limit)
      .finish(options.deadline);
}

}  // namespace longshore::support
