// Methods that the module invokes, posted functions, and the clock that both keep to.
#include <algorithm>
#include <utility>

#include "session.h"

namespace longshore::testing {

struct Session::Invocation {
  longshore_invocation handle = 0;
  longshore_invoke_request request{};
  std::optional<Nanoseconds> deadline;
  uint64_t credit = 0;
  std::deque<std::string> messages;
  std::optional<Answer> outcome;
  bool delivering = false;
  bool finished = false;
};

// ---- the test's side -----------------------------------------------------------------------

void Session::answer(std::string_view method, std::function<Answer(std::string_view)> function) {
  const std::lock_guard lock(mutex_);
  answers_.insert_or_assign(std::string(method), std::move(function));
}

void Session::hold(std::string_view method) {
  const std::lock_guard lock(mutex_);
  held_.emplace(method);
}

std::vector<std::string> Session::invocations_of(std::string_view method) const {
  const std::lock_guard lock(mutex_);
  const auto found = invoked_.find(method);
  return found == invoked_.end() ? std::vector<std::string>() : found->second;
}

bool Session::await_invocations(std::string_view method, size_t count) const {
  Lock lock(mutex_);
  return changed_.wait_for(lock, patience_, [&] {
    const auto found = invoked_.find(method);
    return count == 0 || (found != invoked_.end() && found->second.size() >= count);
  });
}

std::optional<Nanoseconds> Session::next_event() const {
  std::optional<Nanoseconds> next;
  const auto consider = [&](Nanoseconds time) { next = next ? std::min(*next, time) : time; };
  if (!posts_.empty()) consider(posts_.begin()->first);
  for (const auto& [handle, call] : calls_) {
    if (call->deadline && !call->cancelled) consider(*call->deadline);
  }
  for (const auto& [handle, invocation] : invocations_) {
    if (invocation->deadline && !invocation->outcome) consider(*invocation->deadline);
  }
  return next;
}

void Session::advance(Nanoseconds time) {
  Lock lock(mutex_);
  const Nanoseconds end = now_ + time;
  for (auto next = next_event(); next && *next <= end; next = next_event()) {
    now_ = std::max(now_, *next);
    lock.unlock();
    end_overdue();
    run_posts();
    lock.lock();
  }
  now_ = end;
}

void Session::end_overdue() {
  std::vector<std::shared_ptr<CallRecord>> calls;
  std::vector<std::shared_ptr<Invocation>> invocations;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [handle, call] : calls_) {
      if (call->deadline && *call->deadline <= now_) calls.push_back(call);
    }
    for (const auto& [handle, invocation] : invocations_) {
      if (invocation->deadline && *invocation->deadline <= now_) invocations.push_back(invocation);
    }
  }
  for (const auto& call : calls) cancel_call(call);
  for (const auto& invocation : invocations) {
    end_invocation(invocation, {StatusCode::kDeadlineExceeded, "its time is over", {}});
  }
}

size_t Session::run_posts() {
  std::vector<PostedFunction> due;
  {
    const std::lock_guard lock(mutex_);
    const auto end = posts_.upper_bound(now_);
    for (auto each = posts_.begin(); each != end; ++each) due.push_back(each->second);
    posts_.erase(posts_.begin(), end);
  }
  for (const PostedFunction& posted : due) run_posted(posted, LONGSHORE_OK);
  return due.size();
}

void Session::run_posted(const PostedFunction& posted, longshore_result answer) {
  run_function("a posted function", [&] { posted.function(posted.user, answer); });
}

// ---- the module's side ---------------------------------------------------------------------

longshore_result Session::post(Nanoseconds delay, Posted function, void* user,
                               longshore_timer* timer) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kStopped) {
    note("a function was posted after the stop");
    return LONGSHORE_REFUSED;
  }
  ++last_timer_;
  if (timer) *timer = last_timer_;
  // A delay that the clock cannot count is as good as a year.
  posts_.emplace(now_ + std::min<Nanoseconds>(delay, std::chrono::hours(24 * 365)),
                 PostedFunction{function, user, last_timer_});
  changed_.notify_all();
  return LONGSHORE_OK;
}

longshore_result Session::cancel_timer(longshore_timer timer) {
  const std::lock_guard lock(mutex_);
  if (timer == 0 || timer > last_timer_) note("cancel_timer was given a timer that was never set");
  const size_t cancelled =
      std::erase_if(posts_, [&](const auto& each) { return each.second.timer == timer; });
  return cancelled > 0 ? LONGSHORE_OK : LONGSHORE_STALE;
}

longshore_result Session::set_degraded(std::string_view reason) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kStopped) {
    note("set_degraded was called after the stop");
    return LONGSHORE_REFUSED;
  }
  degraded_ = reason;
  return LONGSHORE_OK;
}

std::string Session::degraded() const {
  const std::lock_guard lock(mutex_);
  return degraded_;
}

longshore_result Session::set_bulkhead(longshore_call call, std::string_view key) {
  const std::lock_guard lock(mutex_);
  if (!find_call(call)) return LONGSHORE_STALE;
  bulkheads_.emplace_back(key);
  return full_bulkheads_.contains(key) ? LONGSHORE_REFUSED : LONGSHORE_OK;
}

void Session::fill_bulkhead(std::string_view key) {
  const std::lock_guard lock(mutex_);
  full_bulkheads_.emplace(key);
}

std::vector<std::string> Session::bulkheads() const {
  const std::lock_guard lock(mutex_);
  return bulkheads_;
}

longshore_result Session::invoke(const longshore_invoke_request& request,
                                 longshore_invocation* handle) {
  const auto invocation = std::make_shared<Invocation>();
  const std::string method(to_view(request.method));
  const std::string bytes(to_view(request.request));
  std::function<Answer(std::string_view)> answer;
  bool is_held = false;
  bool is_cancelled = false;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kStopped) {
      note(method + " was invoked after the stop");
      return LONGSHORE_REFUSED;
    }
    if (request.parent != 0) {
      const auto parent = find_call(request.parent);
      if (!parent) return LONGSHORE_STALE;
      invocation->deadline = parent->deadline;
      is_cancelled = parent->cancelled;
    }
    if (request.timeout_ns > 0 && request.timeout_ns != LONGSHORE_NO_DEADLINE) {
      const Nanoseconds own = now_ + Nanoseconds(request.timeout_ns);
      invocation->deadline = std::min(invocation->deadline.value_or(own), own);
    }
    invocation->request = request;
    invocation->credit = request.credit;
    *handle = invocation->handle = ++last_invocation_;
    invocations_[invocation->handle] = invocation;
    invoked_[method].push_back(bytes);
    const auto found = answers_.find(method);
    if (found != answers_.end()) answer = found->second;
    is_held = held_.contains(method);
    changed_.notify_all();
  }
  if (is_cancelled) {
    end_invocation(invocation, {StatusCode::kCancelled, "the call it belongs to is over", {}});
  } else if (answer) {
    end_invocation(invocation, answer(bytes));
  } else if (!is_held) {
    end_invocation(invocation, {StatusCode::kUnimplemented, kNoAnswer + method, {}});
  }
  return LONGSHORE_OK;
}

longshore_result Session::cancel_invocation(longshore_invocation handle) {
  std::shared_ptr<Invocation> invocation;
  {
    const std::lock_guard lock(mutex_);
    const auto found = invocations_.find(handle);
    if (found == invocations_.end()) return LONGSHORE_STALE;
    invocation = found->second;
  }
  end_invocation(invocation, {StatusCode::kCancelled, "the module cancelled it", {}});
  return LONGSHORE_OK;
}

longshore_result Session::grant(longshore_invocation handle, uint32_t messages) {
  std::shared_ptr<Invocation> invocation;
  {
    const std::lock_guard lock(mutex_);
    const auto found = invocations_.find(handle);
    if (found == invocations_.end()) return LONGSHORE_STALE;
    invocation = found->second;
    invocation->credit += messages;
  }
  deliver(invocation);
  return LONGSHORE_OK;
}

void Session::end_invocations_of(longshore_call parent) {
  std::vector<std::shared_ptr<Invocation>> nested;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [handle, invocation] : invocations_) {
      if (invocation->request.parent == parent) nested.push_back(invocation);
    }
  }
  for (const auto& invocation : nested) {
    end_invocation(invocation, {StatusCode::kCancelled, "the call it belongs to is over", {}});
  }
}

// The first outcome counts; one that is no success overtakes what was not delivered yet.
void Session::end_invocation(const std::shared_ptr<Invocation>& invocation, Answer answer) {
  {
    const std::lock_guard lock(mutex_);
    if (invocation->outcome && answer.code == StatusCode::kOk) return;
    if (answer.code != StatusCode::kOk) invocation->messages.clear();
    if (invocation->request.on_message) {
      for (std::string& each : answer.messages) invocation->messages.push_back(std::move(each));
    }
    if (!invocation->outcome || answer.code != StatusCode::kOk) invocation->outcome = answer;
  }
  deliver(invocation);
}

void Session::deliver(const std::shared_ptr<Invocation>& invocation) {
  Lock lock(mutex_);
  if (std::exchange(invocation->delivering, true)) return;
  const longshore_invoke_request& request = invocation->request;
  while (!invocation->finished) {
    if (!invocation->messages.empty() && invocation->credit > 0) {
      const std::string message = std::move(invocation->messages.front());
      invocation->messages.pop_front();
      --invocation->credit;
      lock.unlock();
      run_function("on_message", [&] {
        request.on_message(request.user, invocation->handle, to_bytes(message));
      });
      lock.lock();
    } else if (invocation->outcome && invocation->messages.empty()) {
      invocation->finished = true;
      invocations_.erase(invocation->handle);
      const Answer outcome = *invocation->outcome;
      lock.unlock();
      run_function("on_finish", [&] {
        request.on_finish(request.user, invocation->handle, static_cast<int32_t>(outcome.code),
                          to_bytes(outcome.text));
      });
      lock.lock();
    } else {
      break;
    }
  }
  invocation->delivering = false;
}

}  // namespace longshore::testing
