// A process that a test starts and ends: argument array, no shell.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

namespace longshore::conformance {

class ChildProcess {
 public:
  // Starts it and waits until it has printed the line "serving". Throws std::runtime_error when it
  // ends before, or says nothing for a minute.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  // Kills it unless stop() was called.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t id() const { return id_; }

  // The signal, then its exit status; 128 plus the number when a signal ended it.
  int stop(int signal = SIGTERM);

 private:
  void wait_until_serving();

  pid_t id_ = -1;
  int output_ = -1;
};

// A new empty directory of its own, removed with everything in it.
class SocketDirectory {
 public:
  SocketDirectory();
  ~SocketDirectory();
  SocketDirectory(const SocketDirectory&) = delete;
  SocketDirectory& operator=(const SocketDirectory&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A connected Unix socket that speaks nothing by itself. Throws std::system_error.
class RawSocket {
 public:
  explicit RawSocket(const std::string& path);
  ~RawSocket();
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  // False: the peer takes nothing any more.
  bool write(const std::string& bytes);
  void end_writing();
  // All that the peer says until it closes; nothing more is waited for after ten seconds.
  std::string read_to_end();

 private:
  int socket_ = -1;
};

}  // namespace longshore::conformance
