#include "embed/started_call.h"

#include <utility>

namespace longshore::embed {
namespace {

thread_local int events_of_this_thread = 0;

struct InEvent {
  InEvent() { ++events_of_this_thread; }
  ~InEvent() { --events_of_this_thread; }
  InEvent(const InEvent&) = delete;
  InEvent& operator=(const InEvent&) = delete;
};

}  // namespace

bool in_event() { return events_of_this_thread > 0; }

// A caller that makes room from within on_message may bring the next message while this one is
// still with it; that one waits, and its answer is the one that counts.
bool StartedCall::on_message(std::string message) {
  std::unique_lock lock(mutex_);
  if (over_) return false;
  messages_.push_back(std::move(message));
  if (in_message_) return false;
  in_message_ = true;
  bool more = true;
  while (!messages_.empty()) {
    const std::string next = std::move(messages_.front());
    messages_.pop_front();
    lock.unlock();
    if (events_.on_message) {
      const InEvent in_event;
      more = events_.on_message(events_.user, next.data(), next.size()) != 0;
    }
    lock.lock();
  }
  in_message_ = false;
  std::optional<Outcome> outcome = std::exchange(waiting_, std::nullopt);
  lock.unlock();
  if (outcome) done(std::move(*outcome));
  return more;
}

void StartedCall::on_response(std::string message) {
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

void StartedCall::done(Outcome outcome) {
  longshore_reply* const reply = new_reply(std::move(outcome));
  const auto tell = [self = shared_from_this(), reply] {
    const InEvent in_event;
    self->events_.on_done(self->events_.user, reply);
  };
  if (thread_ && in_event()) {
    thread_->post(tell);  // else one that starts a call that is refused would go ever deeper
  } else if (thread_) {
    thread_->run(tell);
  } else {
    tell();
  }
}

}  // namespace longshore::embed
