// Tells of exceptions that nobody takes, and of abort() of the C library that mingw's programs
// share: a module with another C library that gives up leaves no record, as its abort() asks
// nobody. Frames are found by Windows' own unwinder. Windows Error Reporting has its turn
// afterwards.
#include <windows.h>
// windows.h comes before it.
#include <io.h>

#include <atomic>
#include <csignal>
#include <cstring>

#include "observe/crash_handler.h"
#include "observe/crash_line.h"
#include "observe/windows/crash_frames.h"

namespace longshore::observe {
namespace {

constexpr DWORD kMostMilliseconds = 10'000;
constexpr ULONG kStackBytes = 64 << 10;  // left for the handler after an overflow
// How a process ends that gives up: STATUS_STACK_BUFFER_OVERRUN, as Windows has it for abort().
constexpr DWORD kGaveUp = 0xC0000409;

// Of the process; written once, before the handler is there.
struct Installed {
  bool is_installed = false;
  HANDLE record = nullptr;
  HANDLE log = nullptr;
  CrashOptions::LogForm form = CrashOptions::LogForm::kText;
  char program[64] = {};
  HANDLE begun = nullptr;  // an event: a crash is being told
  HANDLE told = nullptr;   // an event: it is
};
Installed installed;
std::atomic<DWORD> crashed_thread{0};

void write_to(HANDLE file, std::string_view text) {
  DWORD written = 0;
  if (file) WriteFile(file, text.data(), static_cast<DWORD>(text.size()), &written, nullptr);
}

timespec time_now() {
  constexpr uint64_t kTicks = 10'000'000;          // a second's
  constexpr uint64_t kUntil1970 = 11'644'473'600;  // seconds since 1601
  FILETIME time{};
  GetSystemTimeAsFileTime(&time);
  const uint64_t ticks = (uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime;
  timespec now{};
  now.tv_sec = static_cast<decltype(now.tv_sec)>(ticks / kTicks - kUntil1970);
  now.tv_nsec = static_cast<decltype(now.tv_nsec)>(ticks % kTicks * 100);
  return now;
}

// One line, to the record and, in its form, to the log.
void tell(const CrashText& line) {
  static CrashText written;
  written.clear();
  write_to(installed.record, written.raw(line.view()).raw("\n").view());
  written.clear();
  add_log_line(written, installed.form, time_now(), line);
  write_to(installed.log, written.view());
}

std::string_view name_of(DWORD code) {
  switch (code) {
    case EXCEPTION_ACCESS_VIOLATION:
      return "ACCESS_VIOLATION";
    case EXCEPTION_IN_PAGE_ERROR:
      return "IN_PAGE_ERROR";
    case EXCEPTION_ILLEGAL_INSTRUCTION:
      return "ILLEGAL_INSTRUCTION";
    case EXCEPTION_PRIV_INSTRUCTION:
      return "PRIVILEGED_INSTRUCTION";
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
      return "INTEGER_DIVIDE_BY_ZERO";
    case EXCEPTION_STACK_OVERFLOW:
      return "STACK_OVERFLOW";
    case EXCEPTION_BREAKPOINT:
      return "BREAKPOINT";
    case kGaveUp:
      return "ABORT";
    default:
      return "EXCEPTION";
  }
}

// The call comes last: on a thread that has had none, asking for it may need memory.
void tell_what_is_known(const EXCEPTION_RECORD& exception) {
  static CrashText line;
  const auto begin = [&](std::string_view key) -> CrashText& {
    line.clear();
    return line.raw(key).raw(": ");
  };
  tell(begin("time").time(time_now()));
  tell(begin("program").text(installed.program));
  tell(begin("process").decimal(GetCurrentProcessId()));
  const DWORD code = exception.ExceptionCode;
  begin("signal").raw(name_of(code)).raw(" code ").hexadecimal(code);
  const bool has_address = code == EXCEPTION_ACCESS_VIOLATION || code == EXCEPTION_IN_PAGE_ERROR;
  if (has_address && exception.NumberParameters >= 2) {
    line.raw(" address ").hexadecimal(exception.ExceptionInformation[1]);
  }
  tell(line);
  if (const char* const reason = reason_of_abort) tell(begin("reason").text(reason));
  tell(begin("thread").decimal(GetCurrentThreadId()));
  if (const CallOnThread* call = CallOnThread::current()) {
    tell(begin("module").text(call->module()));
    tell(begin("method").text(call->method()));
    if (!call->request().empty()) tell(begin("request").text(call->request()));
  }
}

void tell_crash(const EXCEPTION_RECORD& exception, const CONTEXT& context) {
  DWORD nobody = 0;
  if (!crashed_thread.compare_exchange_strong(nobody, GetCurrentThreadId())) {
    // Another one tells already, and ends this one too; or telling has failed.
    if (nobody != GetCurrentThreadId()) Sleep(INFINITE);
    return;
  }
  SetEvent(installed.begun);
  tell_what_is_known(exception);
  tell_frames(context, &tell);
  SetEvent(installed.told);
}

// Windows Error Reporting has its turn next.
LONG WINAPI on_exception(EXCEPTION_POINTERS* exception) {
  tell_crash(*exception->ExceptionRecord, *exception->ContextRecord);
  return EXCEPTION_CONTINUE_SEARCH;
}

// By the C library that this program and modules built like it share. The exit code 3, which
// abort() has for itself, would be that of exit(3).
void on_abort(int /*signal*/) {
  static CONTEXT context;
  RtlCaptureContext(&context);
  EXCEPTION_RECORD exception{};
  exception.ExceptionCode = kGaveUp;
  tell_crash(exception, context);
  TerminateProcess(GetCurrentProcess(), kGaveUp);
}

DWORD WINAPI end_what_hangs(void* /*unused*/) {
  WaitForSingleObject(installed.begun, INFINITE);
  if (WaitForSingleObject(installed.told, kMostMilliseconds) != WAIT_OBJECT_0) {
    TerminateProcess(GetCurrentProcess(), kGaveUp);
  }
  return 0;
}

HANDLE handle_of(int descriptor) {
  if (descriptor < 0) return nullptr;
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
  return handle == INVALID_HANDLE_VALUE ? nullptr : handle;
}

void leave_stack() {
  ULONG bytes = kStackBytes;
  SetThreadStackGuarantee(&bytes);
}

}  // namespace

void install_crash_handler(const CrashOptions& options) {
  installed.record = handle_of(options.record);
  installed.log = handle_of(options.log);
  installed.form = options.form;
  std::strncpy(installed.program, options.program.c_str(), sizeof(installed.program) - 1);
  installed.begun = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  installed.told = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  const HANDLE thread = CreateThread(nullptr, kStackBytes, &end_what_hangs, nullptr,
                                     STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (thread) CloseHandle(thread);
  installed.is_installed = true;
  leave_stack();  // of the first thread
  SetUnhandledExceptionFilter(&on_exception);
  std::signal(SIGABRT, &on_abort);
}

// The thread's own stack keeps a part back. The call of the thread is asked for once, so that it
// needs no memory later.
CrashStack::CrashStack() {
  if (!installed.is_installed) return;
  leave_stack();
  memory_ = const_cast<CallOnThread*>(CallOnThread::current());
}

CrashStack::~CrashStack() = default;

}  // namespace longshore::observe
