// An agent that is there to be attacked: with an endpoint of everybody's module "echo", the group
// filesystem for a victim, and HTTP. Its endpoints are Unix sockets, or named pipes.
//
// Threads: any, but for the making and the end.
#pragma once

#include <memory>
#include <string>

#include "tests/hostile_clients/attacked_system.h"

namespace longshore::hostile_clients {

class AttackedAgent {
 public:
  // See Attack for both. Throws unless it serves. It has answered calls by then, so that its
  // threads are there with what each keeps.
  explicit AttackedAgent(const std::string& configuration = {},
                         const std::string& echo_module = {});
  ~AttackedAgent();
  AttackedAgent(const AttackedAgent&) = delete;
  AttackedAgent& operator=(const AttackedAgent&) = delete;

  // Writes the configuration with more keys of the module "echo", for `reload`.
  void configure(const std::string& more_of_echo) const;
  bool reload();

  std::string echo_socket() const;
  std::string control_socket() const;
  // That of the group filesystem in its version v1, and a path that exists.
  std::string victim_socket() const;
  std::string victim_path() const;
  // As RawClient has it, and a page that is asked for there.
  std::string http_socket() const;
  std::string http_page(const std::string& path) const;

  std::string log() const;
  size_t log_bytes() const;
  ProcessId id() const;

  // With which of both it was made.
  bool is_configured(const std::string& configuration, const std::string& echo_module) const;
  bool is_running() const;
  // Its exit status. On Windows only services and consoles are told to end: there it is 0 for an
  // agent that has been running until now.
  int stop();

 private:
  struct System;

  void warm_up() const;

  const std::string configuration_;
  const std::string echo_module_;
  const std::unique_ptr<System> system_;
};

}  // namespace longshore::hostile_clients
