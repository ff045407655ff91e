// Who controls the agent's process besides its signals: the service manager that started it, and on
// Windows the console that it runs in.
//
//   made ──serve(agent)──► controls the agent ──end of serve──► controls nothing
//
// Threads: `notify` any; the rest the main thread. Owner: main.
#pragma once

#include <memory>
#include <string_view>

#include "longshore/result.hpp"

namespace longshore {

class Agent;

class ProcessControl {
 public:
  // Of this process: by what started it.
  static std::unique_ptr<ProcessControl> make();
  virtual ~ProcessControl() = default;

  // What the agent tells of itself: "READY=1", "STOPPING=1", "RELOADING=1...".
  virtual void notify(std::string_view state) = 0;

  // Why the process is about to end with an error; it is on standard error too.
  virtual void fail(std::string_view /*why*/) {}

  // Before the agent runs, and when it does so no more (null): what is asked for meanwhile goes to
  // it.
  virtual void serve(Agent* agent) = 0;
};

}  // namespace longshore
