// A connection to a socket or pipe that says nothing and reads nothing, until its end: what
// csi-proxy's clients leave behind when they look whether it is there.
//
// Threads: one.
#pragma once

#include <memory>
#include <string>

namespace longshore::test {

class SilentConnection {
 public:
  // Throws when nobody listens.
  explicit SilentConnection(const std::string& socket);
  SilentConnection(SilentConnection&&) noexcept;
  ~SilentConnection();

 private:
  struct System;
  std::unique_ptr<System> system_;
};

}  // namespace longshore::test
