#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>

#include "tools/module_check/process_facts.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Of the sanitizers' runtime; gcc has no header for it.
extern "C" size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace longshore::module_check {
namespace {

size_t count_entries(const char* path) {
  DIR* const folder = opendir(path);
  if (!folder) return 0;
  size_t count = 0;
  while (const dirent* entry = readdir(folder)) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

std::string masked_signals() {
  sigset_t mask;
  sigemptyset(&mask);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  std::string text;
  for (int number = 1; number < NSIG; ++number) {
    if (sigismember(&mask, number) == 1) text += std::to_string(number) + " ";
  }
  return text;
}

std::string handled_signals() {
  std::string text;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_DFL) continue;
    text += std::to_string(number) + (action.sa_handler == SIG_IGN ? "i " : "h ");
  }
  return text;
}

std::string environment() {
  std::string text;
  for (char** each = environ; each && *each; ++each) text += std::string(*each) + '\n';
  return text;
}

// What each descriptor is, as far as those below 64 go.
std::string open_files() {
  std::string text;
  for (int descriptor = 0; descriptor < 64; ++descriptor) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) continue;
    text += std::to_string(descriptor) + ":" + std::to_string(status.st_dev) + ":" +
            std::to_string(status.st_ino) + " ";
  }
  return text;
}

std::string child_processes_text() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? "some" : "none";
}

std::string creation_mask() {
  const mode_t mask = umask(0);
  umask(mask);
  return std::to_string(mask);
}

std::atomic<size_t> forks{0};

}  // namespace

size_t count_forks() {
  static const int registered = pthread_atfork(
      nullptr, [] { ++forks; }, nullptr);
  return registered == 0 ? forks.load() : 0;
}

size_t count_threads() { return count_entries("/proc/self/task"); }

size_t count_descriptors() { return count_entries("/proc/self/fd"); }

size_t count_open_files() { return count_descriptors(); }

size_t allocated_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

std::map<std::string, std::string> surroundings() {
  std::error_code ignored;
  return {{"the working directory", std::filesystem::current_path(ignored).string()},
          {"the mask of blocked signals", masked_signals()},
          {"the handlers of signals", handled_signals()},
          {"the environment", environment()},
          {"the file mode creation mask", creation_mask()},
          {"the open files", open_files()},
          {"the child processes", child_processes_text()}};
}

const longshore_host* copy_before_barrier(const longshore_host& table) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const pages =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  char* const barrier = static_cast<char*>(pages) + page;
  mprotect(barrier, page, PROT_NONE);
  void* const place = barrier - sizeof(table);
  std::memcpy(place, &table, sizeof(table));
  return static_cast<const longshore_host*>(place);
}

}  // namespace longshore::module_check
