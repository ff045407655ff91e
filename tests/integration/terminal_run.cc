#include "terminal_run.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "tests/support/eventually.h"

namespace longshore::test {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

TerminalRun::TerminalRun(std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  winsize size{};
  size.ws_row = 24;
  size.ws_col = 100;
  if (openpty(&terminal_, &held_open_, nullptr, nullptr, &size) != 0) {
    throw std::system_error(errno, std::generic_category(), "a terminal");
  }
  fcntl(terminal_, F_SETFD, FD_CLOEXEC);
  fcntl(held_open_, F_SETFD, FD_CLOEXEC);
  id_ = fork();
  if (id_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (id_ == 0) {
    login_tty(held_open_);
    execv(words[0], words.data());
    _exit(127);
  }
}

TerminalRun::~TerminalRun() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  close(terminal_);
  close(held_open_);
}

bool TerminalRun::read_more() {
  std::array<char, 4096> piece{};
  pollfd wanted{terminal_, POLLIN, 0};
  if (poll(&wanted, 1, 50) <= 0) return false;
  const ssize_t size = read(terminal_, piece.data(), piece.size());
  if (size <= 0) return false;
  output_.append(piece.data(), static_cast<size_t>(size));
  return true;
}

bool TerminalRun::await(const std::string& text, size_t from) {
  for (const auto end = Clock::now() + kPatience; Clock::now() < end;) {
    if (output_.find(text, from) != std::string::npos) return true;
    read_more();
  }
  return false;
}

void TerminalRun::type(const std::string& keys) {
  if (write(terminal_, keys.data(), keys.size()) < 0) {
    throw std::system_error(errno, std::generic_category(), "type");
  }
}

void TerminalRun::signal(int number) const { kill(id_, number); }

int TerminalRun::wait() {
  int status = 0;
  for (const auto end = Clock::now() + kPatience; Clock::now() < end;) {
    read_more();
    if (waitpid(id_, &status, WNOHANG) != id_) continue;
    id_ = -1;
    while (read_more()) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return -1;
}

bool TerminalRun::is_as_before() const {
  termios state{};
  return tcgetattr(held_open_, &state) == 0 && (state.c_lflag & ICANON) != 0 &&
         (state.c_lflag & ECHO) != 0 && state.c_cc[VSUSP] != _POSIX_VDISABLE;
}

}  // namespace longshore::test
