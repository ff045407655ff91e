// The most memory and threads that another process had: it looks fifty times a second. The system
// keeps a peak of RSS alone.
//
// Threads: its own looks; the figures are the owner's.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <thread>

namespace longshore::bench {

struct Peaks {
  size_t pss_kib = 0;
  size_t threads = 0;
};

class ProcessPeaks {
 public:
  explicit ProcessPeaks(pid_t process);

  // Ends it.
  Peaks stop();

 private:
  Peaks peaks_;
  std::jthread thread_;  // last: it writes to the above
};

// As they are now.
size_t threads_of(pid_t process);

}  // namespace longshore::bench
