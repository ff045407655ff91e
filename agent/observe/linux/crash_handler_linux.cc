#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "observe/crash_handler.h"
#include "observe/crash_line.h"
#include "observe/crash_text.h"

namespace longshore::observe {
namespace {

constexpr int kFatalSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
constexpr unsigned kMostSeconds = 10;
constexpr int kMostFrames = 64;
constexpr size_t kStackBytes = 64 << 10;  // as far as it is used it takes memory

// Of the process; written once, before the handler is there.
struct Installed {
  bool is_installed = false;
  pid_t process = 0;
  int record = -1;
  int log = -1;
  CrashOptions::LogForm form = CrashOptions::LogForm::kText;
  char program[64] = {};
};
Installed installed;
std::atomic<pid_t> crashed_thread{0};

void write_to(int descriptor, std::string_view text) {
  while (descriptor >= 0 && !text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<size_t>(count));
  }
}

// One line, to the record and, in its form, to the log.
void tell(const CrashText& line) {
  static CrashText written;
  written.clear();
  write_to(installed.record, written.raw(line.view()).raw("\n").view());
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  written.clear();
  add_log_line(written, installed.form, now, line);
  write_to(installed.log, written.view());
}

std::string_view name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    case SIGFPE:
      return "SIGFPE";
    case SIGABRT:
      return "SIGABRT";
    default:
      return "SIGSYS";
  }
}

void tell_what_is_known(int signal, const siginfo_t& info) {
  static CrashText line;
  const auto begin = [&](std::string_view key) -> CrashText& {
    line.clear();
    return line.raw(key).raw(": ");
  };
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tell(begin("time").time(now));
  tell(begin("program").text(installed.program));
  tell(begin("process").decimal(static_cast<uint64_t>(installed.process)));
  begin("signal").raw(name_of(signal)).raw(" code ");
  if (info.si_code < 0) line.raw("-");
  line.decimal(static_cast<uint64_t>(std::abs(info.si_code)));
  if (info.si_code > 0)
    line.raw(" address ").hexadecimal(reinterpret_cast<uintptr_t>(info.si_addr));
  tell(line);
  if (const char* const reason = reason_of_abort) tell(begin("reason").text(reason));
  if (const CallOnThread* call = CallOnThread::current()) {
    tell(begin("module").text(call->module()));
    tell(begin("method").text(call->method()));
    if (!call->request().empty()) tell(begin("request").text(call->request()));
  }
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  tell(begin("thread").text(name).raw(" ").decimal(static_cast<uint64_t>(gettid())));
}

// The note that the linker has put into a mapped file, from its headers in memory.
void add_build_id(CrashText& line, const void* base) {
  const auto* const bytes = static_cast<const char*>(base);
  const auto* const file = reinterpret_cast<const ElfW(Ehdr)*>(bytes);
  if (std::memcmp(file->e_ident, ELFMAG, SELFMAG) != 0) return;
  const auto* const headers = reinterpret_cast<const ElfW(Phdr)*>(bytes + file->e_phoff);
  for (int i = 0; i < file->e_phnum; ++i) {
    if (headers[i].p_type != PT_NOTE) continue;
    size_t at = 0;
    while (at + sizeof(ElfW(Nhdr)) <= headers[i].p_memsz) {
      const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(bytes + headers[i].p_vaddr + at);
      const size_t content = sizeof(*note) + ((note->n_namesz + 3) & ~size_t{3});
      const auto* const id = reinterpret_cast<const unsigned char*>(note) + content;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && note->n_descsz <= 64) {
        line.raw(" build-id ");
        for (size_t j = 0; j < note->n_descsz; ++j) line.byte(id[j]);
        return;
      }
      at += content + ((note->n_descsz + 3) & ~size_t{3});
    }
  }
}

void add_name(CrashText& line, const char* name) {
  static char target[256];
  if (*name == '\0') name = "/proc/self/exe";
  const bool is_link = std::strncmp(name, "/proc/self/", 11) == 0;
  const ssize_t size = is_link ? readlink(name, target, sizeof(target)) : -1;
  line.text(size > 0 ? std::string_view(target, static_cast<size_t>(size)) : name);
}

void tell_frame(int number, uintptr_t place) {
  static CrashText line;
  line.clear();
  line.raw("#").decimal(static_cast<uint64_t>(number), 2).raw(" ");
  dl_find_object found{};
  if (_dl_find_object(std::bit_cast<void*>(place), &found) != 0) {
    return tell(line.hexadecimal(place).raw(" in no file"));
  }
  const auto base = reinterpret_cast<uintptr_t>(found.dlfo_map_start);
  line.hexadecimal(place - base).raw(" ");
  add_name(line, found.dlfo_link_map->l_name);
  add_build_id(line, found.dlfo_map_start);
  tell(line);
}

struct Walk {
  uintptr_t faulty = 0;    // where the signal struck
  bool is_behind = false;  // the handler's own frames
  int frames = 0;
};

_Unwind_Reason_Code on_frame(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  int is_before = 0;
  const uintptr_t place = _Unwind_GetIPInfo(context, &is_before);
  if (place == walk.faulty) {
    walk.is_behind = true;
  } else if (walk.is_behind) {
    // A call returns behind itself, maybe into the next function.
    tell_frame(++walk.frames, is_before != 0 ? place : place - 1);
  }
  return walk.frames < kMostFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

uintptr_t place_of(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(registers.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<uintptr_t>(registers.pc);
#endif
}

void end_if_it_hangs() {
  signal(SIGALRM, SIG_DFL);
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarm_only, nullptr);
  alarm(kMostSeconds);
}

// The same signal again, with all that the system said of it, for the core dump; it comes when the
// handler returns.
void leave_to_default(int number, siginfo_t* info) {
  signal(number, SIG_DFL);
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), number, info) != 0) {
    syscall(SYS_tgkill, getpid(), gettid(), number);
  }
}

// Unused with sanitizers, which tell crashes themselves.
[[maybe_unused]] void on_fatal_signal(int number, siginfo_t* info, void* context) {
  // What a module has forked is not this process.
  if (getpid() != installed.process) return leave_to_default(number, info);
  pid_t nobody = 0;
  if (!crashed_thread.compare_exchange_strong(nobody, gettid())) {
    if (nobody != gettid()) {
      for (;;) pause();  // another one tells already, and ends this one too
    }
    return leave_to_default(number, info);
  }
  end_if_it_hangs();
  tell_what_is_known(number, *info);
  Walk walk{.faulty = place_of(context)};
  tell_frame(0, walk.faulty);
  _Unwind_Backtrace(&on_frame, &walk);
  if (!walk.is_behind) {  // a jump to nowhere: all frames there are
    walk.is_behind = true;
    _Unwind_Backtrace(&on_frame, &walk);
  }
  leave_to_default(number, info);
}

[[maybe_unused]] _Unwind_Reason_Code stop_at_once(_Unwind_Context*, void*) {
  return _URC_END_OF_STACK;
}

}  // namespace

void install_crash_handler([[maybe_unused]] const CrashOptions& options) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  installed.process = getpid();
  installed.record = options.record;
  installed.log = options.log;
  installed.form = options.form;
  std::strncpy(installed.program, options.program.c_str(), sizeof(installed.program) - 1);
  installed.is_installed = true;
  static const CrashStack stack;  // of the first thread
  _Unwind_Backtrace(&stop_at_once, nullptr);
  struct sigaction action {};
  action.sa_sigaction = &on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (const int number : kFatalSignals) {
    sigdelset(&action.sa_mask, SIGALRM);
    sigaction(number, &action, nullptr);
  }
#endif
}

CrashStack::CrashStack() {
  if (!installed.is_installed) return;
  const size_t bytes = kStackBytes + getauxval(AT_MINSIGSTKSZ);
  memory_ =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (memory_ == MAP_FAILED) {
    memory_ = nullptr;
    return;
  }
  const stack_t stack{.ss_sp = memory_, .ss_flags = 0, .ss_size = bytes};
  sigaltstack(&stack, nullptr);
}

CrashStack::~CrashStack() {
  if (!memory_) return;
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  sigaltstack(&none, nullptr);
  munmap(memory_, kStackBytes + getauxval(AT_MINSIGSTKSZ));
}

}  // namespace longshore::observe
