#include "router/call.h"

#include <algorithm>
#include <utility>

#include "longshore/secret.hpp"
#include "rpc/bad_alloc_scope.h"

namespace longshore::router {
namespace {

// A call that is this long over its deadline counts as stuck; one without a deadline, when nobody
// has waited for it for so long.
constexpr std::chrono::seconds kGrace{1};

}  // namespace

Call::Call(Parts parts, HandleTable<Call>& table, Timers& timers)
    : parts_(std::move(parts)),
      table_(table),
      timers_(timers),
      target_(parts_.target.get()),
      runner_(parts_.runner) {}

Call::~Call() {
  if (armed_) timers_.disarm(*this);
  if (method().request_has_secrets) wipe(parts_.request);
}

bool Call::submit() {
  const auto self = std::static_pointer_cast<Call>(shared_from_this());
  handle_.store(table_.insert(self), std::memory_order_relaxed);
  return hand_over();
}

bool Call::move_to(std::shared_ptr<Target> target) {
  Target* before = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kQueued) return true;  // its deadline was first
    before = target_.exchange(target.get());
    later_targets_.push_back(std::move(target));
  }
  if (hand_over()) return true;
  target_ = before;  // which may be the one that asked for the move, and keeps it then
  return false;
}

bool Call::hand_over() {
  Target& target = *target_;
  const Result<void> taken = target.submit(std::static_pointer_cast<Call>(shared_from_this()));
  if (taken) {
    arm_deadline();
  } else if (target.has_moved()) {
    return false;
  } else {
    refuse(taken.error());
  }
  return true;
}

void Call::refuse(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kOver) return;
    state_ = State::kOver;
  }
  table_.remove(handle());
  answer(error.code(), error.message());
  parts_.observer->on_over();
}

void Call::arm_deadline() {
  if (parts_.deadline == Clock::time_point::max()) return;
  const std::lock_guard lock(mutex_);
  if (state_ == State::kOver || armed_) return;
  armed_ = true;
  stuck_at_ = parts_.deadline + kGrace;
  timers_.arm(*this, parts_.deadline);
}

void Call::expect_end() {
  if (parts_.deadline != Clock::time_point::max()) return;
  const std::lock_guard lock(mutex_);
  if (state_ == State::kOver) return;
  armed_ = true;
  stuck_at_ = Clock::now() + kGrace;
  timers_.arm(*this, stuck_at_);
}

void Call::run() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kQueued) return;
    state_ = State::kRunning;
  }
  // The call keeps its targets, and whoever runs it keeps the call.
  target_.load()->execute(*this);
}

longshore_result Call::state() const {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kOver) return LONGSHORE_STALE;
  return answered_ ? LONGSHORE_CANCELLED : LONGSHORE_OK;
}

longshore_result Call::send(std::string_view message) {
  std::string fault;
  StatusCode fault_code = StatusCode::kInternal;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kRunning) return LONGSHORE_STALE;
    if (answered_) return LONGSHORE_CANCELLED;
    if (message.size() > parts_.max_message_bytes) {
      fault_code = StatusCode::kResourceExhausted;
      fault = "the answer has a message of " + std::to_string(message.size()) +
              " bytes, more than the limit of " + std::to_string(parts_.max_message_bytes);
    } else if (sent_ && !is_stream()) {
      fault = "the module sent a second answer to a unary call";
    } else if (full_) {
      wants_writable_ = true;
      return LONGSHORE_WOULD_BLOCK;
    } else if (!is_stream()) {
      sent_ = true;
      unary_response_ = message;
      return LONGSHORE_OK;
    } else {
      sent_ = true;
      full_ = true;  // until the observer says that it has room; keeps senders in order
    }
  }
  if (!fault.empty()) {
    end_early(fault_code, std::move(fault));
    return LONGSHORE_REFUSED;
  }
  if (parts_.recorder.metrics) parts_.recorder.metrics->message_sent();
  if (parts_.observer->on_message(std::string(message))) {
    resume();
  } else if (const auto refusal = parts_.observer->refusal()) {
    // Not when the observer gets to cancelling it: what the module holds for the call counts until
    // then, and others begin meanwhile.
    end_early(refusal->code(), refusal->message());
    return LONGSHORE_CANCELLED;
  }
  return LONGSHORE_OK;
}

bool Call::finish(StatusCode code, std::string text) {
  if (!has_begun()) return false;  // its handle was guessed
  if (code == StatusCode::kUnavailable && wait_again()) return true;
  if (!table_.remove(handle())) return false;  // of two at once, one gets it
  {
    const std::lock_guard lock(mutex_);
    state_ = State::kOver;
    if (code == StatusCode::kOk && !sent_ && !is_stream()) {
      code = StatusCode::kInternal;
      text = "the module finished a unary call without an answer";
    }
    finished_well_ = code == StatusCode::kOk;
  }
  answer(code, std::move(text));
  leave();
  parts_.observer->on_over();
  return true;
}

void Call::give_back() {
  const std::lock_guard lock(mutex_);
  is_given_back_ = true;
}

bool Call::wait_again() {
  Children children;
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kRunning || !is_given_back_ || answered_ || sent_) return false;
    is_given_back_ = false;
    runner_ = nullptr;
    state_ = State::kQueued;
    children.swap(children_);
  }
  cancel_all(children);
  target_.load()->on_given_back(*this);
  return true;
}

void Call::end_early(StatusCode code, std::string text) {
  const rpc::BadAllocScope carried_through(rpc::BadAllocScope::Kind::kIsNotCaught);
  bool was_queued = false;
  const std::string behind = target_.load()->waits_behind(*this);
  {
    const std::lock_guard lock(mutex_);
    if (answered_ || state_ == State::kOver) return;
    was_queued = state_ == State::kQueued;
    if (was_queued) state_ = State::kOver;
  }
  if (!behind.empty()) text += "; it waited behind other calls for \"" + behind + '"';
  answer(code, std::move(text));
  if (was_queued) {
    // Whoever takes it out of the table leaves for it: the module may be finishing it right now.
    if (!table_.remove(handle())) return;
    leave();
    parts_.observer->on_over();
  } else {
    expect_end();
    target_.load()->on_cancel(*this);
  }
}

void Call::warn(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!answered_ && warning_.empty()) warning_ = text.substr(0, kMaxWarningBytes);
}

void Call::cancel() { end_early(StatusCode::kCancelled, "the caller cancelled the call"); }

void Call::answer(StatusCode code, std::string text) {
  bool unfinished = false;
  std::string warning;
  Children children;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(answered_, true)) return;
    unfinished = state_ == State::kRunning;
    outcome_ = code;
    outcome_text_ = text;
    warning = std::move(warning_);
    children.swap(children_);
  }
  // Nobody else touches the answer from here on: sends are refused now.
  record(code, text, warning, unfinished);
  if (code == StatusCode::kOk && !is_stream()) {
    parts_.observer->on_response(std::move(unary_response_));
  } else {
    parts_.observer->on_finish(code, std::move(text));
  }
  cancel_all(children);
}

// Embedded agents record nothing and are spared the clock.
void Call::record(StatusCode code, const std::string& text, const std::string& warning,
                  bool unfinished) const {
  if (!parts_.recorder.records()) return;
  parts_.recorder.record({handle(), parts_.method, parts_.caller, parts_.request_id, parts_.request,
                          started(), Clock::now() - started(), code, text, warning},
                         unfinished);
}

bool Call::is_nested_in(const Target& target) const {
  for (auto above = parts_.parent.lock(); above; above = above->parts_.parent.lock()) {
    if (above->belongs_to(target)) return true;
  }
  return false;
}

void Call::leave() {
  // Over, so that nobody arms it again.
  if (std::exchange(armed_, false)) timers_.disarm(*this);
  target_.load()->on_end(*this);
}

void Call::resume() {
  const rpc::BadAllocScope carried_through(rpc::BadAllocScope::Kind::kIsNotCaught);
  bool tell = false;
  {
    const std::lock_guard lock(mutex_);
    full_ = false;
    tell = std::exchange(wants_writable_, false) && state_ == State::kRunning;
  }
  if (tell) target_.load()->on_writable(*this);
}

bool Call::finished_well() const {
  const std::lock_guard lock(mutex_);
  return finished_well_;
}

std::string Call::outcome_text() const {
  const std::lock_guard lock(mutex_);
  return outcome_text_;
}

bool Call::adopt(const std::shared_ptr<Cancellable>& child) {
  const std::lock_guard lock(mutex_);
  if (answered_ || state_ == State::kOver) return false;
  std::erase_if(children_, [](const auto& weak) { return weak.expired(); });
  children_.push_back(child);
  return true;
}

void Call::cancel_all(const Children& children) {
  for (const auto& weak : children) {
    if (const auto child = weak.lock()) child->cancel();
  }
}

void Call::on_time() {
  bool overdue = false;
  const char* course = " passed before the call was finished; it may still take effect";
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kOver) return;
    if (state_ == State::kQueued) course = " passed before the call began";
    overdue = answered_ && Clock::now() >= stuck_at_;
    if (!overdue) timers_.arm(*this, stuck_at_);
  }
  if (overdue) {
    target_.load()->on_stuck(*this);
  } else {
    const char* const whose =
        parts_.deadline_is_configured ? "the configured time limit" : "the deadline";
    end_early(StatusCode::kDeadlineExceeded, std::string(whose) + course);
  }
}

}  // namespace longshore::router
