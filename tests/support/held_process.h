// A process that cannot end though it has been killed: what an agent is whose thread the kernel
// holds. Its first thread has ended, another one lives, with all descriptors.
//
// Owner: the test, which has no other threads when it makes one. It is gone with the object.
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/eventually.h"
#include "tests/support/process_status.h"

namespace longshore::test {

class HeldProcess {
 public:
  // `take`: done in it before, such as to lock a file. What it makes lives on.
  explicit HeldProcess(const std::function<void()>& take) : id_(::fork()) {
    if (id_ == 0) {
      take();
      std::thread([] {
        for (;;) ::pause();
      }).detach();
      ::syscall(SYS_exit, 0);
    }
    if (id_ < 0 || !eventually([&] { return !is_alive(id_); })) {
      throw std::runtime_error("no process that is held");
    }
  }
  HeldProcess(const HeldProcess&) = delete;
  HeldProcess& operator=(const HeldProcess&) = delete;
  ~HeldProcess() {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }

  pid_t id() const { return id_; }

 private:
  pid_t id_;
};

}  // namespace longshore::test
