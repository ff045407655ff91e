// An embedded agent with the module echo and a scratch directory, for tests of liblongshore.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "longshore/agent.hpp"
#include "longshore/echo/v1.pb.h"
#include "tests/support/build_tree.h"
#include "tests/support/temporary_directory.h"

namespace longshore::test {

namespace echo = longshore::echo::v1;

// How long an agent waits, at its end, for calls that may never end, and for a program that is told
// of outcomes: long enough for one that does nothing else, on a machine that is busy.
constexpr const char* kStopTimeout = "1s";

// A configuration with these tables besides [agent].
inline std::string embedded_toml(const TemporaryDirectory& directory, const std::string& tables,
                                 const std::string& stop_timeout = kStopTimeout) {
  return "[agent]\nmodule_dirs = [\"" + built_modules() + "\"]\nstate_dir = \"" +
         (directory / "state") + "\"\nstop_timeout = \"" + stop_timeout + "\"\n" + tables;
}

// Throws when the agent cannot be made.
class Embedded {
 public:
  explicit Embedded(const std::string& tables = "[modules.echo]\n", AgentOptions options = {},
                    std::string stop_timeout = kStopTimeout)
      : stop_timeout_(std::move(stop_timeout)), agent_(made(toml(tables), std::move(options))) {}

  EmbeddedAgent& agent() { return agent_; }
  ApiGroup echo() const { return agent_.group("longshore.echo.v1.Echo"); }
  const TemporaryDirectory& directory() const { return directory_; }
  std::string toml(const std::string& tables) const {
    return embedded_toml(directory_, tables, stop_timeout_);
  }

 private:
  static EmbeddedAgent made(const std::string& toml, AgentOptions options) {
    auto agent = EmbeddedAgent::from_text(toml, std::move(options));
    if (!agent) throw std::runtime_error(agent.error().message());
    return std::move(*agent);
  }

  const TemporaryDirectory directory_;
  const std::string stop_timeout_;
  EmbeddedAgent agent_;
};

inline echo::SayRequest say(const std::string& text) {
  echo::SayRequest request;
  request.set_text(text);
  return request;
}

inline echo::WaitRequest wait_request(int64_t milliseconds, bool stubborn = false) {
  echo::WaitRequest request;
  request.set_milliseconds(milliseconds);
  request.set_stubborn(stubborn);
  return request;
}

}  // namespace longshore::test
