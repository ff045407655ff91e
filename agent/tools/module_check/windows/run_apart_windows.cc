// shellapi.h needs it before.
#include <windows.h>
// Apart, so that it stays behind.
#include <shellapi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "longshore/windows/command_line.hpp"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/local_memory.hpp"
#include "longshore/windows/wide_text.hpp"
#include "supervise/windows/exit_words.h"
#include "supervise/windows/handle_list.h"
#include "supervise/windows/job_object.h"
#include "tools/module_check/check_apart.h"
#include "tools/module_check/shared_report.h"

namespace longshore::module_check {
namespace {

// What a module may allocate before its allocations fail, so that it does not starve the machine.
constexpr uint64_t kMaxMemory = uint64_t{512} << 20;
// Before the words of the user: this one, the test, the seed, and the handle of the shared memory.
constexpr std::string_view kApartWord = "__apart";
constexpr size_t kApartWords = 4;
// How a process ends that gives up; abort() itself would end it with 3, as exit(3) does.
constexpr UINT kGaveUp = 0xC0000409;

class SharedPage {
 public:
  // Of zeros.
  SharedPage() {
    SECURITY_ATTRIBUTES inheritable{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
    memory_ = Handle(CreateFileMappingW(INVALID_HANDLE_VALUE, &inheritable, PAGE_READWRITE, 0,
                                        sizeof(SharedReport), nullptr));
    map();
  }
  explicit SharedPage(Handle memory) : memory_(std::move(memory)) { map(); }
  ~SharedPage() { UnmapViewOfFile(report_); }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  SharedReport& operator*() const { return *report_; }
  HANDLE handle() const { return memory_.get(); }

 private:
  void map() {
    void* const view =
        MapViewOfFile(memory_.get(), FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, sizeof(SharedReport));
    if (!view) throw std::bad_alloc();
    report_ = static_cast<SharedReport*>(view);
  }

  Handle memory_;
  SharedReport* report_ = nullptr;
};

void give_up(int /*signal*/) { TerminateProcess(GetCurrentProcess(), kGaveUp); }

// In the process for the test. A crash opens no window.
int run_for_parent(const Check& check, const Subject& subject, Handle memory) {
  SharedPage page(std::move(memory));
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  std::signal(SIGABRT, &give_up);
  SharedSteps steps(*page);
  (*page).set(run_check_here(check, subject, steps));
  // At once: nothing of the module's runs any more.
  TerminateProcess(GetCurrentProcess(), 0);
  return 0;
}

std::vector<std::wstring> own_words() {
  int count = 0;
  const LocalMemory<wchar_t*> words(CommandLineToArgvW(GetCommandLineW(), &count));
  if (!words) return {};
  return {words.get(), words.get() + count};
}

std::wstring own_program() {
  std::wstring path(MAX_PATH, L'\0');
  for (;;) {
    const DWORD size = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    if (size < path.size()) return path.substr(0, size);
    path.resize(2 * path.size());
  }
}

std::wstring words_for_child(const Check& check, const Subject& subject, const SharedPage& page) {
  std::vector<std::wstring> words = own_words();
  const std::array<std::wstring, kApartWords> before = {
      wide(kApartWord), wide(check.name), std::to_wstring(subject.options.seed),
      std::to_wstring(reinterpret_cast<uintptr_t>(page.handle()))};
  words.insert(words.begin() + std::min<ptrdiff_t>(1, std::ssize(words)), before.begin(),
               before.end());
  return command_line(words);
}

// Both of the standard outputs of a test are our errors: what the module prints must not come
// between the lines of the results. And there is nothing to be read.
struct StandardHandles {
  Handle nothing;
  Handle errors;

  StandardHandles() {
    HANDLE copy = nullptr;
    if (DuplicateHandle(GetCurrentProcess(), GetStdHandle(STD_ERROR_HANDLE), GetCurrentProcess(),
                        &copy, 0, TRUE, DUPLICATE_SAME_ACCESS)) {
      errors = Handle(copy);
    }
    SECURITY_ATTRIBUTES inheritable{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
    nothing =
        Handle(CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                           &inheritable, OPEN_EXISTING, 0, nullptr));
  }
  HANDLE output() const { return errors ? errors.get() : nothing.get(); }
};

// Suspended, since it belongs to no job yet.
Result<PROCESS_INFORMATION> start_child(const Check& check, const Subject& subject,
                                        const SharedPage& page) {
  const auto failed = [&](const std::error_code& error) {
    return Error(StatusCode::kUnavailable, "start a process for the test", check.name)
        .because(error);
  };
  const StandardHandles standard;
  if (!standard.nothing) return failed(standard.nothing.error());
  std::vector<HANDLE> inherited{page.handle(), standard.nothing.get()};
  if (standard.errors) inherited.push_back(standard.errors.get());
  supervise::HandleList list(std::move(inherited));
  if (const std::error_code error = error_unless(list.is_good())) return failed(error);
  const std::wstring program = own_program();
  std::wstring line = words_for_child(check, subject, page);
  STARTUPINFOEXW how{};
  how.StartupInfo.cb = sizeof(how);
  how.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  how.StartupInfo.hStdInput = standard.nothing.get();
  how.StartupInfo.hStdOutput = standard.output();
  how.StartupInfo.hStdError = standard.output();
  how.lpAttributeList = list.get();
  PROCESS_INFORMATION started{};
  const BOOL is_started = CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE,
                                         CREATE_SUSPENDED | EXTENDED_STARTUPINFO_PRESENT, nullptr,
                                         nullptr, &how.StartupInfo, &started);
  if (const std::error_code error = error_unless(is_started != FALSE)) return failed(error);
  return started;
}

Report report_of_end(const SharedReport& report, uint32_t code) {
  if (report.is_complete) return report.get();
  const supervise::ProcessEnd end = supervise::process_end_of(code);
  if (end.words.starts_with("crashed")) return report_of_crash(report, "it " + end.words);
  return report_of_exit(report, std::to_string(code));
}

Report report_of_no_start(const Error& error) {
  return {Outcome::kFailed, error.message(), "free memory or processes, and try again", false};
}

template <typename Number>
Number whole_number_in(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

Report run_check_apart(const Check& check, const Subject& subject) {
  const SharedPage page;
  // Its end is that of all who are in it, so that nobody is left behind.
  const auto job = supervise::JobObject::make({.memory = kMaxMemory});
  if (!job) return report_of_no_start(job.error());
  const auto started = start_child(check, subject, page);
  if (!started) return report_of_no_start(started.error());
  const Handle process(started->hProcess);
  const Handle thread(started->hThread);
  if (const auto added = job->add(process.get()); !added) {
    TerminateProcess(process.get(), supervise::kKilledCode);
    return report_of_no_start(added.error());
  }
  ResumeThread(thread.get());
  const auto limit =
      std::chrono::ceil<std::chrono::milliseconds>(subject.options.time_limit).count();
  const bool ended = WaitForSingleObject(process.get(), static_cast<DWORD>(std::min<int64_t>(
                                                            limit, INFINITE - 1))) == WAIT_OBJECT_0;
  DWORD code = 0;
  GetExitCodeProcess(process.get(), &code);
  job->end_all(supervise::kKilledCode);
  return ended || (*page).is_complete ? report_of_end(*page, code) : report_of_hang(*page);
}

std::optional<ApartTest> take_apart_test(std::vector<std::string>& words) {
  if (words.size() < kApartWords || words[0] != kApartWord) return {};
  const auto checks = all_checks();
  const auto check = std::ranges::find(checks, std::string_view(words[1]), &Check::name);
  if (check == checks.end()) return {};
  const ApartTest test{
      whole_number_in<uint64_t>(words[2]),
      [&check = *check, memory = whole_number_in<uintptr_t>(words[3])](const Subject& subject) {
        return run_for_parent(check, subject, Handle(reinterpret_cast<HANDLE>(memory)));
      }};
  words.erase(words.begin(), words.begin() + kApartWords);
  return test;
}

}  // namespace longshore::module_check
