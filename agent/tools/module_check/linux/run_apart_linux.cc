#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <set>
#include <string>

#include "tools/module_check/check_apart.h"
#include "tools/module_check/run_apart.h"
#include "tools/module_check/shared_report.h"

namespace longshore::module_check {
namespace {

// What a module may allocate before its allocations fail, so that it does not starve the machine.
constexpr rlim_t kMaxMemory = rlim_t{512} << 20;

class SharedPage {
 public:
  SharedPage() {
    void* const memory = mmap(nullptr, sizeof(SharedReport), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    report_ = static_cast<SharedReport*>(memory);
  }
  ~SharedPage() { munmap(report_, sizeof(SharedReport)); }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  SharedReport& operator*() const { return *report_; }
  SharedReport* operator->() const { return report_; }

 private:
  SharedReport* report_;
};

[[noreturn]] void run_in_child(const std::function<Report(Steps&)>& test, SharedPage& page) {
  const pid_t self = getpid();
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit memory{kMaxMemory, kMaxMemory};
  setrlimit(RLIMIT_DATA, &memory);
#endif
  // There is nothing to be read.
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  // What the module prints must not come between the lines of the results.
  dup2(STDERR_FILENO, STDOUT_FILENO);
  SharedSteps steps(*page);
  const Report report = test(steps);
  if (getpid() != self) _exit(0);  // a module has forked, and this is its child
  page->set(report);
  _exit(0);
}

// Those that this thread has started or has become the reaper of.
std::set<pid_t> children() {
  std::ifstream list("/proc/thread-self/children");
  return {std::istream_iterator<pid_t>(list), {}};
}

void wait_for(pid_t child, int* status) {
  while (waitpid(child, status, 0) < 0 && errno == EINTR) {
  }
}

// When an orphan ends, its own children become orphans.
void kill_orphans(const std::set<pid_t>& others) {
  for (bool killed = true; killed;) {
    killed = false;
    for (const pid_t child : children()) {
      if (others.contains(child) || kill(child, SIGKILL) != 0) continue;
      wait_for(child, nullptr);
      killed = true;
    }
  }
}

// False when the time was over first.
bool wait_for_end(pid_t child, std::chrono::nanoseconds limit) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (descriptor < 0) return false;
  const auto end = std::chrono::steady_clock::now() + limit;
  int ready = 0;
  do {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd wanted{descriptor, POLLIN, 0};
    ready = poll(&wanted, 1, static_cast<int>(std::max<int64_t>(0, left.count())));
  } while (ready < 0 && errno == EINTR);
  close(descriptor);
  return ready == 1;
}

Report report_of_end(const SharedReport& report, int status) {
  if (report.is_complete) return report.get();
  if (!WIFSIGNALED(status)) return report_of_exit(report, std::to_string(WEXITSTATUS(status)));
  const char* const name = sigabbrev_np(WTERMSIG(status));
  return report_of_crash(report,
                         std::string("SIG") + (name ? name : std::to_string(WTERMSIG(status))));
}

}  // namespace

Report run_apart(const std::function<Report(Steps&)>& test, std::chrono::nanoseconds limit) {
  SharedPage page;
  std::fflush(nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const std::set<pid_t> others = children();
  const pid_t child = fork();
  if (child < 0) {
    return {Outcome::kFailed, std::string("cannot fork: ") + std::strerror(errno),
            "free memory or processes, and try again", false};
  }
  if (child == 0) run_in_child(test, page);
  setpgid(child, child);  // whoever comes first
  const bool ended = wait_for_end(child, limit);
  if (!ended) kill(child, SIGKILL);
  kill(-child, SIGKILL);  // what it left behind
  int status = 0;
  wait_for(child, &status);
  kill_orphans(others);
  return ended || page->is_complete ? report_of_end(*page, status) : report_of_hang(*page);
}

Report run_check_apart(const Check& check, const Subject& subject) {
  return run_apart([&](Steps& steps) { return run_check_here(check, subject, steps); },
                   subject.options.time_limit);
}

// Its processes are copies of this one.
std::optional<ApartTest> take_apart_test(std::vector<std::string>& /*words*/) { return {}; }

}  // namespace longshore::module_check
