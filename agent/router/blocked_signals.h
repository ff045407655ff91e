// Keeps signals away from threads of ours.
//
// A thread inherits what the one that starts it has blocked. In a program that embeds the agent,
// signals are that program's affair and meet its own threads; in longshored, those of I/O.
#pragma once

#if !defined(_WIN32)
#include <csignal>
#endif

namespace longshore::router {

// Blocks all signals on this thread, as long as it lives, but those that tell of its own faults.
// Threads: the one that made it.
class BlockedSignals {
 public:
#if defined(_WIN32)
  BlockedSignals() {}
  ~BlockedSignals() {}
#else
  BlockedSignals() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP}) {
      sigdelset(&blocked, fault);
    }
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
#endif
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
#if !defined(_WIN32)
  sigset_t before_;
#endif
};

}  // namespace longshore::router
