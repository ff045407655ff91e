// longshored as a process of a test's: its folders, its configuration, its end.
//
// It says that it serves as it says it to systemd: on a socket that NOTIFY_SOCKET names.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace longshore::test {

// Where an agent keeps its things. May outlive it, for the next one.
class AgentDirectory {
 public:
  AgentDirectory();

  // The configuration with the folders, the modules filesystem and echo, and an endpoint for the
  // latter; `more` follows. Written as a whole, as an administrator's editor does.
  void configure(const std::string& more = {}, const std::string& echo = {}) const;
  void write_configuration(const std::string& text) const;

  std::string config_file() const { return directory_ / "agent.toml"; }
  std::string log_file() const { return directory_ / "log"; }
  // What the callers may reach.
  std::string root() const { return directory_ / "root"; }
  std::string control_socket() const { return directory_ / "control/control.sock"; }
  std::string echo_socket() const { return directory_ / "extra/echo/echo.sock"; }
  // "v1beta2": the socket of the filesystem group in that version.
  std::string filesystem_socket(const std::string& version) const;
  std::string operator/(const std::string& name) const { return directory_ / name; }

  std::string log() const;

 private:
  TemporaryDirectory directory_;
};

struct AgentProcessOptions {
  std::vector<int> sockets = {};             // handed in as systemd does, from descriptor 3 on
  std::vector<std::string> more_words = {};  // of the command line
  std::vector<std::string> command = {};     // in place of longshored with the configuration
  bool until_serving = true;                 // whether the constructor waits for that
  std::string cgroup = {};                   // its folder, if it is to be started in one
  std::vector<std::string> variables = {};   // of the environment, before the test's own
};

class AgentProcess {
 public:
  using Options = AgentProcessOptions;

  // Starts it, and waits until it serves or has ended.
  explicit AgentProcess(const AgentDirectory& directory, Options options = {});
  // Kills it unless it has ended.
  ~AgentProcess();
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;

  bool serves() const { return serves_; }
  pid_t id() const { return id_; }
  void signal(int number) const;

  // Waits for a message like "READY=1" to the service manager; false when none came in time.
  bool await_state(const std::string& state);
  // SIGHUP, and waits until the reload is over.
  bool reload();

  // Waits for the end: its exit status, 128 plus the number when a signal ended it, -1 when it
  // goes on after a minute.
  int wait();
  int stop();

 private:
  const int notify_;
  pid_t id_ = -1;
  int process_ = -1;  // a descriptor that becomes readable at its end
  bool serves_ = false;
};

}  // namespace longshore::test
