// A dbus-daemon of a test's own, on a socket in a directory of its own.
//
// Owner: the test; its end kills the daemon by its process id.
#pragma once

#include <sys/types.h>

#include <string>

#include "tests/support/temporary_directory.h"

namespace longshore::test {

class PrivateBus {
 public:
  // Starts the daemon and waits until it listens; throws if it does not.
  PrivateBus();
  PrivateBus(const PrivateBus&) = delete;
  PrivateBus& operator=(const PrivateBus&) = delete;
  ~PrivateBus();

  // "unix:path=...", the same after a restart.
  const std::string& address() const { return address_; }

  // Ends the daemon, which drops every connection; `start` makes a new one at the address.
  void stop();
  void start();
  // Makes the daemon deaf: it keeps its connections and answers nobody. Ended by resume() or
  // stop().
  void freeze();
  void resume();

 private:
  TemporaryDirectory directory_;
  std::string address_;
  pid_t daemon_ = -1;
};

}  // namespace longshore::test
