#include <windows.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "longshore/windows/handle.hpp"
#include "tools/longshorectl/terminal.h"

namespace longshore::ctl {
namespace {

using Clock = std::chrono::steady_clock;

HANDLE standard(Stream stream) {
  switch (stream) {
    case Stream::kInput:
      return GetStdHandle(STD_INPUT_HANDLE);
    case Stream::kOutput:
      return GetStdHandle(STD_OUTPUT_HANDLE);
    case Stream::kErrors:
      break;
  }
  return GetStdHandle(STD_ERROR_HANDLE);
}

void show_at_once(std::string_view text) {
  static_cast<void>(write_all(standard(Stream::kOutput), text));
}

// Windows calls the handler without a context; there is one watch in the program.
HANDLE ended = nullptr;

BOOL WINAPI on_console_event(DWORD) {
  SetEvent(ended);
  return TRUE;
}

class ConsoleWatch final : public EndWatch {
 public:
  explicit ConsoleWatch(Handle end) : end_(std::move(end)) {
    ended = end_.get();
    SetConsoleCtrlHandler(&on_console_event, TRUE);
  }
  ~ConsoleWatch() override {
    SetConsoleCtrlHandler(&on_console_event, FALSE);
    ended = nullptr;
  }

  bool wait(std::chrono::nanoseconds time) override {
    const Clock::time_point end = Clock::now() + time;
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
      const HANDLE wanted[] = {end_.get(), standard(Stream::kInput)};
      const DWORD ready = WaitForMultipleObjects(keys_ ? 2 : 1, wanted, FALSE,
                                                 static_cast<DWORD>(std::max<int64_t>(0, left)));
      if (ready == WAIT_TIMEOUT) return false;
      if (ready != WAIT_OBJECT_0 + 1 || key_ends()) return true;
    }
  }

 private:
  static bool key_ends() {
    INPUT_RECORD event{};
    DWORD count = 0;
    if (!ReadConsoleInputW(standard(Stream::kInput), &event, 1, &count) || count == 0) return true;
    if (event.EventType != KEY_EVENT || !event.Event.KeyEvent.bKeyDown) return false;
    const wchar_t key = event.Event.KeyEvent.uChar.UnicodeChar;
    return key == L'q' || key == L'Q';
  }

  const bool keys_ = is_terminal(Stream::kInput) && is_terminal(Stream::kOutput);
  const Handle end_;
};

class ConsoleScreen final : public Screen {
 public:
  ConsoleScreen(DWORD input_mode, DWORD output_mode)
      : input_mode_(input_mode), output_mode_(output_mode) {
    SetConsoleMode(standard(Stream::kInput),
                   input_mode & ~static_cast<DWORD>(ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT));
    SetConsoleMode(standard(Stream::kOutput), output_mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    show_at_once("\x1b[?1049h\x1b[?25l");  // the alternate screen, without a cursor
  }
  ConsoleScreen(const ConsoleScreen&) = delete;
  ConsoleScreen& operator=(const ConsoleScreen&) = delete;
  ~ConsoleScreen() override {
    show_at_once("\x1b[?7h\x1b[?25h\x1b[?1049l");
    SetConsoleMode(standard(Stream::kOutput), output_mode_);
    SetConsoleMode(standard(Stream::kInput), input_mode_);
  }

  void show(const PrintedText& lines) override {
    CONSOLE_SCREEN_BUFFER_INFO size{};
    constexpr int kUsualRows = 24;
    const bool known = GetConsoleScreenBufferInfo(standard(Stream::kOutput), &size);
    int rows = known ? size.srWindow.Bottom - size.srWindow.Top + 1 : kUsualRows;
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
  const DWORD input_mode_;
  const DWORD output_mode_;
};

}  // namespace

bool is_terminal(Stream stream) {
  DWORD mode = 0;
  return GetConsoleMode(standard(stream), &mode);
}

Result<std::unique_ptr<EndWatch>> EndWatch::begin() {
  Handle end(CreateEventW(nullptr, TRUE, FALSE, nullptr));
  if (!end) return Error(StatusCode::kUnknown, "wait for the console").because(end.error());
  return std::unique_ptr<EndWatch>(std::make_unique<ConsoleWatch>(std::move(end)));
}

Result<std::unique_ptr<Screen>> Screen::open() {
  DWORD input = 0;
  DWORD output = 0;
  std::error_code error = error_unless(GetConsoleMode(standard(Stream::kInput), &input) != FALSE);
  if (!error) error = error_unless(GetConsoleMode(standard(Stream::kOutput), &output) != FALSE);
  if (error) return Error(StatusCode::kUnknown, "use the terminal").because(error);
  return std::unique_ptr<Screen>(std::make_unique<ConsoleScreen>(input, output));
}

}  // namespace longshore::ctl
