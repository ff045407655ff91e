// A call whose caller is told: hands messages and the outcome to the functions of a
// longshore_call_events, one at a time and the outcome last, though it may overtake a message.
//
// Threads: any but the timers'. Owner: the call.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "embed/event_thread.h"
#include "embed/outcome.h"
#include "longshore/agent.h"
#include "router/call.h"

namespace longshore::embed {

// Whether this thread is inside an event of some call right now. The agent's own threads bring
// events, so what waits for a call or for the end must not be done there.
bool in_event();

class StartedCall final : public router::CallObserver,
                          public std::enable_shared_from_this<StartedCall> {
 public:
  // `thread` may be null, and outlives it: of the agent, if there is one.
  StartedCall(const longshore_call_events& events, EventThread* thread)
      : events_(events), thread_(thread) {}

  bool on_message(std::string message) override;
  void on_response(std::string message) override;
  void on_finish(StatusCode code, std::string text) override;

 private:
  void tell(Outcome outcome);
  // Gives the outcome away. Not locked.
  void done(Outcome outcome);

  const longshore_call_events events_;
  EventThread* const thread_;
  std::mutex mutex_;
  bool over_ = false;
  bool in_message_ = false;
  std::list<std::string> messages_;  // that came while another was with the caller
  std::optional<Outcome> waiting_;   // until on_message returns
};

}  // namespace longshore::embed
