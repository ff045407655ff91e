#include "supervise/linux/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace longshore::supervise {
namespace {

// posix_spawn's two objects, which have to be destroyed.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  void open_null(int number) {
    posix_spawn_file_actions_addopen(&actions_, number, "/dev/null", O_RDONLY, 0);
  }
  void give(const Descriptor& from, int to) {
    posix_spawn_file_actions_adddup2(&actions_, from.get(), to);
  }
  void close_from(int number) { posix_spawn_file_actions_addclosefrom_np(&actions_, number); }

  // 0 or an errno.
  int spawn(const std::string& program, const std::string& name, pid_t& child) const {
    char* const arguments[] = {const_cast<char*>(program.c_str()), const_cast<char*>(name.c_str()),
                               nullptr};
    // The libraries' symbols too are bound at the start: who binds one later saves the registers on
    // the stack, where a part of a password that was just copied would stay.
    char bind_now[] = "LD_BIND_NOW=1";
    char* const environment[] = {bind_now, nullptr};
    return posix_spawn(&child, program.c_str(), &actions_, &attributes_, arguments, environment);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// A copy out of the way of the numbers that the child's get.
Descriptor moved_up(int descriptor) { return Descriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 16)); }

std::string signal_name(int number) {
  const char* const name = sigabbrev_np(number);
  return name ? std::string("SIG") + name : "signal " + std::to_string(number);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const ChildCommand& command) {
  const auto failed = [&](std::error_code error) {
    return Error(StatusCode::kUnavailable, "start the module host", command.program).because(error);
  };
  const Descriptor input = moved_up(command.input);
  const Descriptor output = moved_up(command.output);
  const Descriptor image = moved_up(command.image);
  const Descriptor printed = moved_up(command.printed);
  if (!input || !output || !image || !printed) return failed(last_error());
  SpawnPlan plan;
  plan.open_null(STDIN_FILENO);
  plan.give(printed, STDOUT_FILENO);
  plan.give(printed, STDERR_FILENO);
  plan.give(input, kInputDescriptor);
  plan.give(output, kOutputDescriptor);
  plan.give(image, kImageDescriptor);
  plan.close_from(kImageDescriptor + 1);
  pid_t child = 0;
  if (const int error = plan.spawn(command.program, command.name, child); error != 0) {
    return failed({error, std::generic_category()});
  }
  Descriptor descriptor(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  ChildProcess process(child, std::move(descriptor));
  if (!process.descriptor_) {
    const std::error_code error = last_error();
    ::kill(child, SIGKILL);
    waitid(P_PID, static_cast<id_t>(child), nullptr, WEXITED);
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

std::string ChildProcess::wait() {
  // By descriptor: a module in this process may have waited for it, and its number be another's.
  const auto wait_for = [&](siginfo_t& end, int how) {
    int outcome = 0;
    do {
      outcome = waitid(P_PIDFD, static_cast<id_t>(descriptor_.get()), &end, WEXITED | how);
    } while (outcome != 0 && errno == EINTR);
    return outcome == 0;
  };
  siginfo_t end{};
  if (!wait_for(end, WNOWAIT)) return "ended, and how was told to somebody else";
  ::kill(-id_, SIGKILL);  // what it has left behind; the number is still its own
  wait_for(end, 0);
  if (end.si_code == CLD_EXITED) return "exited with code " + std::to_string(end.si_status);
  return "was killed by " + signal_name(end.si_status);
}

}  // namespace longshore::supervise
