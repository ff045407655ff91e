#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "longshore/linux/file_descriptor.hpp"
#include "tools/longshorectl/terminal.h"

namespace longshore::ctl {
namespace {

using Clock = std::chrono::steady_clock;

Error failed(const char* what, const std::error_code& error) {
  return Error(StatusCode::kUnknown, what).because(error);
}

// To the terminal at once, and without a buffer that a sudden end would leave half written.
void show_at_once(std::string_view text) { static_cast<void>(write_all(STDOUT_FILENO, text)); }

class SignalWatch final : public EndWatch {
 public:
  SignalWatch() {
    sigset_t ends;
    sigemptyset(&ends);
    for (const int each : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, each);
    sigprocmask(SIG_BLOCK, &ends, &before_);
    signals_ = FileDescriptor(::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch() override {
    signalfd_siginfo taken;  // else it would end us as soon as it is not blocked
    while (::read(signals_.get(), &taken, sizeof(taken)) > 0) {
    }
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

  // Why it does not work, if it does not.
  std::error_code error() const { return signals_.error(); }

  bool wait(std::chrono::nanoseconds time) override {
    const Clock::time_point end = Clock::now() + time;
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
      // Keys count only where they come from a terminal; others' input is left alone.
      pollfd wanted[] = {{signals_.get(), POLLIN, 0}, {keys_ ? STDIN_FILENO : -1, POLLIN, 0}};
      const int ready = ::poll(wanted, 2, static_cast<int>(std::max<int64_t>(0, left)));
      if (ready == 0) return false;
      if (ready < 0 && errno != EINTR) return true;
      if (ready > 0 && wanted[0].revents != 0) return true;
      if (ready > 0 && wanted[1].revents != 0 && key_ends()) return true;
    }
  }

 private:
  static bool key_ends() {
    char key = 0;
    const ssize_t size = ::read(STDIN_FILENO, &key, 1);
    return size <= 0 || key == 'q' || key == 'Q';
  }

  const bool keys_ = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
  sigset_t before_{};
  FileDescriptor signals_;
};

class TerminalScreen final : public Screen {
 public:
  explicit TerminalScreen(const termios& before) : before_(before) {
    termios unechoed = before;
    unechoed.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    unechoed.c_cc[VMIN] = 1;
    unechoed.c_cc[VTIME] = 0;
    unechoed.c_cc[VSUSP] = _POSIX_VDISABLE;  // these would leave the terminal like this
    unechoed.c_cc[VQUIT] = _POSIX_VDISABLE;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &unechoed);
    show_at_once("\x1b[?1049h\x1b[?25l");  // the alternate screen, without a cursor
  }
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;
  ~TerminalScreen() override {
    show_at_once("\x1b[?7h\x1b[?25h\x1b[?1049l");
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }

  void show(const PrintedText& lines) override {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    size_t rows = known ? size.ws_row : 24;
    std::string picture = "\x1b[?7l\x1b[H";  // no wrapping; from the top
    std::string_view left = lines.bytes();
    for (; rows > 0 && !left.empty(); --rows) {
      const size_t end = std::min(left.find('\n'), left.size());
      picture += left.substr(0, end);
      picture += "\x1b[K";  // what the line had before
      left.remove_prefix(std::min(end + 1, left.size()));
      if (rows > 1 && !left.empty()) picture += '\n';
    }
    picture += "\x1b[J";
    show_at_once(picture);
  }

 private:
  const termios before_;
};

}  // namespace

bool is_terminal(Stream stream) { return ::isatty(static_cast<int>(stream)) != 0; }

Result<std::unique_ptr<EndWatch>> EndWatch::begin() {
  auto watch = std::make_unique<SignalWatch>();
  if (const std::error_code error = watch->error()) return failed("wait for signals", error);
  return std::unique_ptr<EndWatch>(std::move(watch));
}

Result<std::unique_ptr<Screen>> Screen::open() {
  termios before{};
  if (const std::error_code error = error_unless(::tcgetattr(STDIN_FILENO, &before) == 0)) {
    return failed("use the terminal", error);
  }
  return std::unique_ptr<Screen>(std::make_unique<TerminalScreen>(before));
}

}  // namespace longshore::ctl
