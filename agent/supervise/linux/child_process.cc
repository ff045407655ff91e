#include "supervise/linux/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "longshore/linux/spawn.hpp"

namespace longshore::supervise {
namespace {

// A copy out of the way of the numbers that the child's get. `error` keeps what goes wrong.
FileDescriptor moved_up(int descriptor, std::error_code& error) {
  FileDescriptor copy(fcntl(descriptor, F_DUPFD_CLOEXEC, 16));
  if (!copy) error = copy.error();
  return copy;
}

std::string signal_name(int number) {
  const char* const name = sigabbrev_np(number);
  return name ? std::string("SIG") + name : "signal " + std::to_string(number);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const ChildCommand& command) {
  const auto failed = [&](std::error_code error) {
    return Error(StatusCode::kUnavailable, "start the module host", command.program).because(error);
  };
  std::error_code full;
  const FileDescriptor input = moved_up(command.input, full);
  const FileDescriptor output = moved_up(command.output, full);
  const FileDescriptor image = moved_up(command.image, full);
  const FileDescriptor printed = moved_up(command.printed, full);
  if (full) return failed(full);
  SpawnPlan plan;
  plan.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  plan.duplicate(printed.get(), STDOUT_FILENO);
  plan.duplicate(printed.get(), STDERR_FILENO);
  plan.duplicate(input.get(), kInputDescriptor);
  plan.duplicate(output.get(), kOutputDescriptor);
  plan.duplicate(image.get(), kImageDescriptor);
  plan.close_all_but({kInputDescriptor, kOutputDescriptor, kImageDescriptor});
  // The libraries' symbols too are bound at the start: who binds one later saves the registers on
  // the stack, where a part of a password that was just copied would stay.
  plan.set_environment("LD_BIND_NOW=1");
  const Result<pid_t> child = plan.spawn({command.program, command.name});
  if (!child) return failed(child.error().system());
  FileDescriptor descriptor(static_cast<int>(syscall(SYS_pidfd_open, *child, 0)));
  ChildProcess process(*child, std::move(descriptor));
  if (const std::error_code error = process.descriptor_.error()) {
    ::kill(*child, SIGKILL);
    waitid(P_PID, static_cast<id_t>(*child), nullptr, WEXITED);
    return failed(error);
  }
  return process;
}

void ChildProcess::kill() const {
  syscall(SYS_pidfd_send_signal, descriptor_.get(), SIGKILL, nullptr, 0);
}

bool ChildProcess::has_ended(std::chrono::milliseconds time) const {
  pollfd wanted{descriptor_.get(), POLLIN, 0};
  return poll(&wanted, 1, static_cast<int>(time.count())) == 1;
}

ProcessEnd ChildProcess::wait() {
  // By descriptor: a module in this process may have waited for it, and its number be another's.
  const auto wait_for = [&](siginfo_t& end, int how) {
    int outcome = 0;
    do {
      outcome = waitid(P_PIDFD, static_cast<id_t>(descriptor_.get()), &end, WEXITED | how);
    } while (outcome != 0 && errno == EINTR);
    return outcome == 0;
  };
  siginfo_t end{};
  if (!wait_for(end, WNOWAIT)) {
    return ProcessEnd::failed("ended, and how was told to somebody else");
  }
  ::kill(-id_, SIGKILL);  // what it has left behind; the number is still its own
  wait_for(end, 0);
  if (end.si_code == CLD_EXITED) {
    if (end.si_status == 0) return ProcessEnd::in_order();
    return ProcessEnd::failed("exited with code " + std::to_string(end.si_status));
  }
  std::string words = "was killed by " + signal_name(end.si_status);
  return end.si_status == SIGKILL ? ProcessEnd::killed(std::move(words))
                                  : ProcessEnd::failed(std::move(words));
}

}  // namespace longshore::supervise
