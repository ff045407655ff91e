// What answers the module's own calls in a child process: the agent, over the pipes.
//
// The child's router has no routes; all calls of the module come here.
// Threads: as router::Target; `on_response` and `on_response_end` the one that reads frames.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "router/router.h"
#include "supervise/frame_channel.h"
#include "supervise/response_pump.h"

namespace longshore::supervise {

class AgentTarget final : public router::Target {
 public:
  AgentTarget(FrameChannel& agent, size_t max_request_bytes)
      : agent_(agent), max_request_bytes_(max_request_bytes) {}

  Result<void> submit(std::shared_ptr<router::Call> call) override;
  void execute(router::Call& call) override;
  void on_cancel(router::Call& call) override;
  void on_writable(router::Call& call) override;

  void on_response(uint64_t id, std::string_view message);
  void on_response_end(uint64_t id, StatusCode code, std::string text);

 private:
  class Answer;
  std::shared_ptr<Answer> find(uint64_t id) const;

  FrameChannel& agent_;
  const size_t max_request_bytes_;
  mutable std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Answer>> answers_;  // by the call's handle
};

}  // namespace longshore::supervise
