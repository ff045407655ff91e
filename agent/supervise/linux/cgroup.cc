#include "supervise/linux/cgroup.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>
#include <vector>

#include "supervise/linux/cgroup_file.h"

namespace longshore::supervise {
namespace {

// What killed processes get to be gone.
constexpr std::chrono::seconds kKillTime{2};

// The time that it may run in each period of so many microseconds.
constexpr int64_t kPeriod = 100'000;
constexpr int64_t kLeastTime = 1'000;  // that the kernel takes

std::string processor_text(double processors) {
  const auto time = static_cast<int64_t>(processors * static_cast<double>(kPeriod));
  return std::to_string(std::max(time, kLeastTime)) + ' ' + std::to_string(kPeriod);
}

// The kernel says in cgroup.events whether anybody is in the group, and wakes who polls it.
void wait_until_empty(const std::string& folder) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + kKillTime;
  const FileDescriptor events(::open((folder + "/cgroup.events").c_str(), O_RDONLY | O_CLOEXEC));
  for (;;) {
    char text[256] = {};
    if (::pread(events.get(), text, sizeof(text) - 1, 0) <= 0) return;
    if (std::string(text).find("populated 1") == std::string::npos) return;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd wanted{events.get(), POLLPRI, 0};
    if (left <= 0 || ::poll(&wanted, 1, static_cast<int>(left)) == 0) return;
  }
}

}  // namespace

Result<void> write_limits(const std::string& folder, const GroupLimits& limits) {
  std::vector<std::pair<std::string, std::string>> files;
  if (limits.processors > 0) files.emplace_back("/cpu.max", processor_text(limits.processors));
  if (limits.memory > 0) {
    files.emplace_back("/memory.max", std::to_string(limits.memory));
    // Kernels without swap do not have it.
    const std::string swap = "/memory.swap.max";
    if (::access((folder + swap).c_str(), F_OK) == 0) files.emplace_back(swap, "0");
  }
  if (limits.processes > 0) files.emplace_back("/pids.max", std::to_string(limits.processes));
  for (const auto& [file, text] : files) {
    if (auto written = write_control_file(folder + file, text); !written) return written;
  }
  return {};
}

void kill_and_remove_group(const std::string& folder) {
  // Kernels before 5.14 have no such file; what is in the group then stays.
  if (write_control_file(folder + "/cgroup.kill", "1")) wait_until_empty(folder);
  ::rmdir(folder.c_str());
}

Cgroup::~Cgroup() {
  if (folder_.empty()) return;
  if (ends_all_) {
    kill_and_remove_group(folder_);
  } else {
    ::rmdir(folder_.c_str());  // fails as long as somebody is in it
  }
}

Result<void> Cgroup::add(pid_t process) const {
  return write_control_file(folder_ + "/cgroup.procs", std::to_string(process));
}

int64_t Cgroup::killed_for_memory() const {
  std::istringstream events(read_control_file(folder_ + "/memory.events"));
  int64_t times = 0;
  for (std::string event; events >> event >> times;) {
    if (event == "oom_kill") return times;
  }
  return 0;
}

}  // namespace longshore::supervise
