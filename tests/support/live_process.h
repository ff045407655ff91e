// Another process, which has done something and waits for its end.
//
// Owner: the test, which has no other threads when it makes one. It is gone with the object.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>

namespace longshore::test {

class LiveProcess {
 public:
  // `take`: done in it before this returns, such as to lock a file. What it makes lives on.
  explicit LiveProcess(const std::function<void()>& take) {
    int done[2];
    if (::pipe(done) != 0) throw std::runtime_error("no pipe");
    id_ = ::fork();
    if (id_ == 0) {
      take();
      if (::write(done[1], "!", 1) == 1) {
        for (;;) ::pause();
      }
      ::_exit(1);
    }
    ::close(done[1]);
    char told = 0;
    const bool is_done = id_ > 0 && ::read(done[0], &told, 1) == 1;
    ::close(done[0]);
    if (!is_done) throw std::runtime_error("no process that lives");
  }
  LiveProcess(const LiveProcess&) = delete;
  LiveProcess& operator=(const LiveProcess&) = delete;
  ~LiveProcess() {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }

  pid_t id() const { return id_; }

 private:
  pid_t id_ = -1;
};

}  // namespace longshore::test
