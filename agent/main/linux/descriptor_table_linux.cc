#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "main/descriptor_table.h"

namespace longshore {
namespace {

// As many connections as agent.limits.max_memory has room for by default, four times over.
constexpr rlim_t kDescriptors = 4096;

// The table is never made smaller again.
void use_descriptor(int number) {
  const int some = open("/", O_PATH | O_CLOEXEC);
  const int highest = fcntl(some, F_DUPFD_CLOEXEC, number);
  if (highest >= 0) close(highest);
  if (some >= 0) close(some);
}

}  // namespace

void prepare_descriptor_table() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  if (limit.rlim_cur < kDescriptors) {
    limit.rlim_cur = std::min(limit.rlim_max, kDescriptors);
    // A process may always raise it so far. If not, fewer clients get in, and the log says so then.
    static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
  }
  use_descriptor(static_cast<int>(std::min(limit.rlim_cur, kDescriptors)) - 1);
}

}  // namespace longshore
