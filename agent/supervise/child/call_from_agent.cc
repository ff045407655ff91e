#include "supervise/child/call_from_agent.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

#include "longshore/child/v1.pb.h"

namespace longshore::supervise {

void CallFromAgent::grant(uint32_t messages) {
  bool waits = false;
  {
    const std::lock_guard lock(mutex_);
    credit_.grant(messages);
    const auto granted = sizes_.begin() + std::min<ptrdiff_t>(messages, std::ssize(sizes_));
    bytes_ -= std::accumulate(sizes_.begin(), granted, size_t{0});
    sizes_.erase(sizes_.begin(), granted);
    waits = credit_.readmits(has_room());
  }
  // Only a sender that was told to wait: another has a message under way, and may have used the
  // credit when it is told that there is room.
  if (!waits) return;
  if (const auto call = call_.lock()) call->resume();
}

bool CallFromAgent::on_message(std::string message) {
  {
    const std::lock_guard lock(mutex_);  // before the agent can grant it again
    sizes_.push_back(message.size());
    bytes_ += message.size();
  }
  agent_.send({FrameType::kMessage, id_, {}, message});
  const std::lock_guard lock(mutex_);
  credit_.take();
  return credit_.admits(has_room());
}

void CallFromAgent::on_response(std::string message) {
  const std::lock_guard lock(mutex_);
  code_ = StatusCode::kOk;
  text_.clear();
  answer_ = std::move(message);
  has_response_ = true;
}

void CallFromAgent::on_finish(StatusCode code, std::string text) {
  const std::lock_guard lock(mutex_);
  code_ = code;
  text_ = std::move(text);
}

void CallFromAgent::on_over() {
  child::v1::End end;
  {
    const std::lock_guard lock(mutex_);
    end.set_code(static_cast<int32_t>(code_));
    end.set_text(text_);
    end.set_has_response(has_response_);
  }
  agent_.send(FrameType::kFinish, id_, end, answer_);
  forget_();
}

}  // namespace longshore::supervise
