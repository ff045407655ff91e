#include "embed/started_call.h"

#include <utility>

#include "embed/reply.h"

namespace longshore::embed {

bool StartedCall::on_message(std::string message) {
  {
    const std::lock_guard lock(mutex_);
    if (over_) return false;
    in_message_ = true;
  }
  const bool more =
      !events_.on_message || events_.on_message(events_.user, message.data(), message.size()) != 0;
  std::optional<Outcome> outcome;
  {
    const std::lock_guard lock(mutex_);
    in_message_ = false;
    outcome = std::exchange(waiting_, std::nullopt);
  }
  if (outcome) done(std::move(*outcome));
  return more;
}

void StartedCall::on_answer(std::string message) {
  tell({StatusCode::kOk, {}, std::move(message)});
}

void StartedCall::on_finish(StatusCode code, std::string text) {
  tell({code, std::move(text), {}});
}

void StartedCall::tell(Outcome outcome) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(over_, true)) return;
    if (in_message_) {
      waiting_ = std::move(outcome);
      return;
    }
  }
  done(std::move(outcome));
}

void StartedCall::done(Outcome outcome) const {
  events_.on_done(events_.user, new_reply(std::move(outcome)));
}

}  // namespace longshore::embed
