// Tells of a crash of this process before it ends by it: which call the thread was in, and where.
//
//   fatal signal ──► record and log ──► the signal's default action: core dump, end
//
// Only programs of our own install it; an agent within another program leaves that one's handlers
// alone. It allocates nothing, takes no lock and calls only what a signal handler may; the frames
// are found by libgcc's unwinder, which is loaded and has run once before, and finds its tables
// without a lock (_dl_find_object). What is known without it is written first; ten seconds later
// the process ends whatever hangs. For Windows see windows/crash_handler_windows.cc.
//
// Threads: any. State: the process's, as signal handlers are.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace longshore::observe {

// What this thread works at, while it is inside of a module. The texts outlive it. Costs a few
// stores.
class CallOnThread {
 public:
  CallOnThread(std::string_view module, std::string_view method, std::string_view request)
      : module_(module), method_(method), request_(request), outer_(call_of_this_thread) {
    call_of_this_thread = this;
  }
  ~CallOnThread() { call_of_this_thread = outer_; }
  CallOnThread(const CallOnThread&) = delete;
  CallOnThread& operator=(const CallOnThread&) = delete;

  // Null: nothing.
  static const CallOnThread* current() { return call_of_this_thread; }
  std::string_view module() const { return module_; }
  std::string_view method() const { return method_; }
  std::string_view request() const { return request_; }

 private:
  static inline constinit thread_local const CallOnThread* call_of_this_thread = nullptr;

  const std::string_view module_;
  const std::string_view method_;
  const std::string_view request_;
  const CallOnThread* const outer_;
};

struct CrashOptions {
  std::string program;  // "longshored 0.1.0"
  int record = -1;      // a descriptor that stays open; -1: none
  int log = -1;         // the same
  enum class LogForm { kText, kJournal, kJson, kPlain } form = LogForm::kText;
};

// What the record says beside the signal: why this process is about to abort. The text is constant.
inline std::atomic<const char*> reason_of_abort{nullptr};

// Once. What runs with a sanitizer keeps the sanitizer's handlers.
void install_crash_handler(const CrashOptions& options);

// A stack for the handler on this thread, so that it can tell of an overflow too. Nothing where no
// handler is installed. Owner: the function that a thread runs.
class CrashStack {
 public:
  CrashStack();
  ~CrashStack();
  CrashStack(const CrashStack&) = delete;
  CrashStack& operator=(const CrashStack&) = delete;

 private:
  void* memory_ = nullptr;
};

// How a line of a record begins that a module's process prints for its agent.
inline constexpr std::string_view kPrintedCrash = "crash: ";

}  // namespace longshore::observe
