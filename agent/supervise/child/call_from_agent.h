// A call that came from the agent, as the child's router sees it: somebody who waits for an answer.
//
// Threads: `set_call`, `cancel` and `grant` the one that reads frames; the rest as CallObserver.
// Owner: the child's table of such calls, and the call.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "router/call.h"
#include "router/credit.h"
#include "supervise/frame_channel.h"
#include "supervise/response_pump.h"

namespace longshore::supervise {

class CallFromAgent final : public router::CallObserver {
 public:
  // `forget` takes it out of the table.
  CallFromAgent(FrameChannel& agent, uint64_t id, uint32_t credit, std::function<void()> forget)
      : agent_(agent), id_(id), forget_(std::move(forget)), credit_(credit) {}

  void set_call(const std::shared_ptr<router::Call>& call) { call_ = call; }
  void cancel() const {
    if (const auto call = call_.lock()) call->cancel();
  }
  void grant(uint32_t messages);

  bool on_message(std::string message) override;
  void on_response(std::string message) override;
  void on_finish(StatusCode code, std::string text) override;
  // Only now the agent's call ends: it has a deadline of its own for who waits for it.
  void on_over() override;

 private:
  FrameChannel& agent_;
  const uint64_t id_;
  const std::function<void()> forget_;
  std::weak_ptr<router::Call> call_;  // which keeps this

  // Whether more may be on its way. Locked.
  bool has_room() const { return bytes_ < kStreamBytes; }

  std::mutex mutex_;
  router::Credit credit_;
  std::vector<size_t> sizes_;  // of the messages that the agent has not granted again
  size_t bytes_ = 0;           // of all of them
  StatusCode code_ = StatusCode::kCancelled;
  std::string text_ = "the call ended early";
  std::string answer_;
  bool has_response_ = false;
};

}  // namespace longshore::supervise
