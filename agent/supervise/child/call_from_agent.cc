#include "supervise/child/call_from_agent.h"

#include <utility>

#include "longshore/child/v1.pb.h"

namespace longshore::supervise {

void CallFromAgent::grant(uint32_t messages) {
  {
    const std::lock_guard lock(mutex_);
    credit_ += messages;
  }
  if (const auto call = call_.lock()) call->resume();
}

bool CallFromAgent::on_message(std::string message) {
  agent_.send({FrameType::kMessage, id_, {}, message});
  const std::lock_guard lock(mutex_);
  if (credit_ > 0) --credit_;
  return credit_ > 0;
}

void CallFromAgent::on_answer(std::string message) {
  const std::lock_guard lock(mutex_);
  code_ = StatusCode::kOk;
  text_.clear();
  answer_ = std::move(message);
  has_answer_ = true;
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
    end.set_has_answer(has_answer_);
  }
  agent_.send(FrameType::kFinish, id_, end, answer_);
  forget_();
}

}  // namespace longshore::supervise
