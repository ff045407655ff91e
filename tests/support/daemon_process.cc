#include "tests/support/daemon_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "longshore/linux/spawn.hpp"

extern char** environ;

namespace longshore::test {

DaemonProcess::DaemonProcess(std::vector<std::string> command, const std::string& log_file) {
  // It gives itself the signal for the death of its parent, and becomes the program.
  command.insert(command.begin(), {"/usr/bin/setpriv", "--pdeathsig", "KILL"});
  SpawnPlan plan;
  plan.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  plan.open(STDOUT_FILENO, log_file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  plan.duplicate(STDOUT_FILENO, STDERR_FILENO);
  plan.close_all_but({});
  // By its environment the run of the tests knows whose it is.
  for (char** each = environ; *each; ++each) plan.set_environment(*each);
  const Result<pid_t> child = plan.spawn(command);
  if (!child) throw std::runtime_error(child.error().message());
  id_ = *child;
  process_ = static_cast<int>(::syscall(SYS_pidfd_open, id_, 0));
}

DaemonProcess::~DaemonProcess() {
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
  ::close(process_);
}

bool DaemonProcess::ends_within(std::chrono::milliseconds time) const {
  pollfd wanted{process_, POLLIN, 0};
  return ::poll(&wanted, 1, static_cast<int>(time.count())) == 1;
}

void DaemonProcess::freeze() const {
  ::kill(id_, SIGSTOP);
  ::waitpid(id_, nullptr, WUNTRACED);
}

void DaemonProcess::resume() const { ::kill(id_, SIGCONT); }

}  // namespace longshore::test
