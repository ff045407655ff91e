#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <string>
#include <string_view>

#include "endpoint/thread_activity.h"
#include "longshore/linux/file_descriptor.hpp"

namespace longshore::endpoint {
namespace {

// From /proc: "1234 (name) R ...", where the name may hold anything.
char state_in(std::string_view stat) {
  const size_t name_end = stat.rfind(')');
  return name_end != std::string_view::npos && name_end + 2 < stat.size() ? stat[name_end + 2]
                                                                          : '?';
}

}  // namespace

struct ThreadObserver::Thread {
  std::string stat_file;
  clockid_t clock = CLOCK_MONOTONIC;
};

ThreadObserver::ThreadObserver()
    : thread_([] {
        auto thread = std::make_unique<Thread>();
        thread->stat_file = "/proc/self/task/" + std::to_string(gettid()) + "/stat";
        pthread_getcpuclockid(pthread_self(), &thread->clock);
        return thread;
      }()) {}

ThreadObserver::~ThreadObserver() = default;

// Read anew each time: this happens only when a call is late.
ThreadActivity ThreadObserver::look() const {
  ThreadActivity activity;
  const FileDescriptor file(open(thread_->stat_file.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text;
  const ssize_t size = file ? read(file.get(), text.data(), text.size()) : -1;
  activity.is_runnable = size > 0 && state_in({text.data(), static_cast<size_t>(size)}) == 'R';
  timespec time{};
  if (clock_gettime(thread_->clock, &time) == 0) {
    activity.processor_time =
        std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
  return activity;
}

}  // namespace longshore::endpoint
