// An agent whose module echo, or a hostile one, runs in a process of its own, and that process.
#pragma once

#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/process_figures.h"
#include "tests/support/process_status.h"
#include "tests/support/test_client.h"

namespace longshore::test {

inline const std::string kEcho = "longshore.echo.v1.Echo/";
inline const std::string kHostile = "hostile.v1.Hostile/Do";

class IsolatedAgent {
 public:
  // `echo` and `hostile` are lines of their modules' tables; no hostile module without a name.
  explicit IsolatedAgent(const std::string& echo = {}, const std::string& hostile_name = {},
                         const std::string& hostile = {}, AgentProcess::Options options = {}) {
    const bool with_hostile = !hostile_name.empty();
    directory.configure(with_hostile ? tables(hostile_name, hostile) : std::string(),
                        "isolation = \"process\"\nmay_call = [\"v1.Filesystem\"" +
                            std::string(with_hostile ? ", \"hostile.v1.Hostile\"" : "") + "]\n" +
                            echo);
    agent.emplace(directory, std::move(options));
    INFO(directory.log());
    REQUIRE(agent->serves());
  }

  // What a sanitizer finds in a child it prints, and the agent logs that; it takes signals that are
  // meant to kill for its own.
  ~IsolatedAgent() {
    const std::string log = directory.log();
    if (log.find("DEADLYSIGNAL") != std::string::npos) return;
    CHECK(log.find("Sanitizer") == std::string::npos);
  }
  IsolatedAgent(const IsolatedAgent&) = delete;
  IsolatedAgent& operator=(const IsolatedAgent&) = delete;

  std::string hostile_socket() const { return directory / "extra/hostile/hostile.sock"; }

  // The process that runs `module`, waited for. Never 0, which a signal would take for this group.
  pid_t process_of(const std::string& module) const {
    pid_t found = 0;
    REQUIRE(eventually([&] {
      for (const pid_t child : children_of(agent->id())) {
        if (proc_text(child, "cmdline").ends_with('\0' + module + '\0')) found = child;
      }
      return found > 0;
    }));
    return found;
  }

  bool logged(const std::string& text) const {
    return eventually([&] { return directory.log().find(text) != std::string::npos; });
  }

  AgentDirectory directory;
  std::optional<AgentProcess> agent;

 private:
  std::string tables(const std::string& name, const std::string& more) const {
    return "[modules.hostile]\nlibrary = \"" + hostile_module(name) +
           "\"\nisolation = \"process\"\n" + more + "\n[endpoints.hostile]\naddress = \"unix://" +
           hostile_socket() + "\"\nservices = [\"hostile.v1.Hostile\"]\n";
  }
};

}  // namespace longshore::test
