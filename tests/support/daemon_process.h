// A program that a test runs beside itself and that never ends by itself: a server of somebody
// else's. Its output goes to a file. It ends with the object, and with the thread that made it,
// also when the test dies.
//
// Owner and threads: the one that made it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace longshore::test {

class DaemonProcess {
 public:
  // Starts the program that the first word names, by an absolute path, with the test's
  // environment; what it prints is added to the file. Throws std::runtime_error.
  DaemonProcess(std::vector<std::string> command, const std::string& log_file);
  // SIGKILL.
  ~DaemonProcess();
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;

  pid_t id() const { return id_; }
  // Waits for its end, so long; false when it goes on.
  bool ends_within(std::chrono::milliseconds time) const;
  // SIGSTOP, until it stands; SIGCONT.
  void freeze() const;
  void resume() const;

 private:
  pid_t id_ = -1;
  int process_ = -1;  // a descriptor that becomes readable at its end
};

}  // namespace longshore::test
