// Calls that the module answers.
#include <algorithm>
#include <utility>

#include "session.h"

namespace longshore::testing {

// ---- the test's side -----------------------------------------------------------------------

std::shared_ptr<CallRecord> Session::make_call(std::string_view method, std::string request,
                                               const CallOptions& options) {
  const auto failed = [&](StatusCode code, const char* why) {
    auto call = std::make_shared<CallRecord>();
    call->method = method;
    call->finished = true;
    call->code = code;
    call->text = Error(code, "call", call->method).because(why).message();
    return call;
  };
  if (state() != State::kServing) {
    return failed(StatusCode::kUnavailable, "the module does not serve");
  }
  if (options.described_only && !description_.has_method(method)) {
    return failed(StatusCode::kUnimplemented, "the module's description has no such method");
  }
  return add_call(method, description_.is_stream(method), std::move(request), options);
}

std::shared_ptr<CallRecord> Session::add_call(std::string_view method, bool is_stream,
                                              std::string request, const CallOptions& options) {
  auto call = std::make_shared<CallRecord>();
  call->method = method;
  call->is_stream = is_stream;
  call->credit = options.credit;
  call->borrowed =
      std::make_unique<BorrowedTexts>(BorrowedTexts{call->method, std::move(request), {}, options});
  CallOptions& own = call->borrowed->options;
  if (own.on_behalf_of.empty()) own.on_behalf_of = own.caller;
  const std::lock_guard lock(mutex_);
  if (options.timeout) call->deadline = now_ + *options.timeout;
  call->handle = ++last_call_;
  calls_[call->handle] = call;
  return call;
}

void Session::run_handler(const std::shared_ptr<CallRecord>& call) {
  if (!call->borrowed) return;  // it failed before it reached the module
  const longshore_bytes method = to_bytes(call->borrowed->method);
  const longshore_bytes request = to_bytes(call->borrowed->request);
  run_function("invoke", [&] { functions_.invoke(instance_, call->handle, method, request); });
}

void Session::run_handler_on_thread(const std::shared_ptr<CallRecord>& call) {
  {
    const std::lock_guard lock(mutex_);
    ++running_handlers_;
  }
  threads_.emplace_back([self = shared_from_this(), call] {
    self->run_handler(call);
    const std::lock_guard lock(self->mutex_);
    --self->running_handlers_;
    self->changed_.notify_all();
  });
}

void Session::cancel_call(const std::shared_ptr<CallRecord>& call) {
  {
    const std::lock_guard lock(mutex_);
    if (call->finished || state_ == State::kDestroyed) return;
    if (std::exchange(call->cancelled, true)) return;
  }
  end_invocations_of(call->handle);
  if (functions_.cancel) {
    run_function("cancel", [&] { functions_.cancel(instance_, call->handle); });
  }
}

void Session::grant_call(const std::shared_ptr<CallRecord>& call, uint32_t messages) {
  bool is_owed = false;
  {
    const std::lock_guard lock(mutex_);
    call->credit += messages;
    is_owed =
        std::exchange(call->send_refused, false) && !call->finished && state_ != State::kDestroyed;
  }
  if (is_owed && functions_.writable) {
    run_function("writable", [&] { functions_.writable(instance_, call->handle); });
  }
}

bool Session::is_finished(const CallRecord& call) const {
  const std::lock_guard lock(mutex_);
  return call.finished;
}

// Runs what is posted while it waits: without that, an answer that is only posted would not come.
bool Session::await(Lock& lock, const std::function<bool()>& condition) {
  const auto give_up = std::chrono::steady_clock::now() + patience_;
  for (;;) {
    const auto wake = [&] { return condition() || is_post_due(); };
    const bool woken = changed_.wait_until(lock, give_up, wake);
    if (condition()) return true;
    if (!woken || std::chrono::steady_clock::now() >= give_up) return false;
    lock.unlock();
    run_posts();
    lock.lock();
  }
}

std::optional<std::string> Session::next_message(const std::shared_ptr<CallRecord>& call) {
  Lock lock(mutex_);
  if (!await(lock, [&] { return call->finished || !call->messages.empty(); })) {
    note("no message of " + call->method + " came in time");
  }
  if (call->messages.empty()) return std::nullopt;
  std::string message = std::move(call->messages.front());
  call->messages.pop_front();
  return message;
}

Result<std::vector<std::string>> Session::wait_for_all(const std::shared_ptr<CallRecord>& call) {
  Lock lock(mutex_);
  if (!await(lock, [&] { return call->finished; })) {
    note(call->method + " was not answered in time");
    return Error(StatusCode::kDeadlineExceeded, "wait for", call->method)
        .because("the module did not finish the call")
        .advise("if it waits for a timer, advance the host's clock");
  }
  if (call->code != StatusCode::kOk) return Error::of_text(call->code, call->text);
  std::deque<std::string> messages = std::exchange(call->messages, {});
  return std::vector<std::string>(messages.begin(), messages.end());
}

// ---- the module's side ---------------------------------------------------------------------

std::shared_ptr<CallRecord> Session::find_call(longshore_call handle) const {
  const auto found = calls_.find(handle);
  return found == calls_.end() ? nullptr : found->second;
}

std::shared_ptr<CallRecord> Session::find_call_for(longshore_call handle, const char* function) {
  if (auto call = find_call(handle)) return call;
  const auto finished = finished_calls_.find(handle);
  const std::string name = "call " + std::to_string(handle);
  note(finished == finished_calls_.end()
           ? std::string(function) + " was given " + name + ", which does not exist"
           : std::string(function) + " was given " + name + " (" + finished->second +
                 "), which is finished already");
  return nullptr;
}

longshore_result Session::call_info(longshore_call handle, longshore_call_info& info) const {
  const std::lock_guard lock(mutex_);
  const auto call = find_call(handle);
  if (!call) return LONGSHORE_STALE;
  const CallOptions& options = call->borrowed->options;
  info.remaining_ns =
      call->deadline ? std::max<int64_t>(0, (*call->deadline - now_).count()) : INT64_MAX;
  info.request_id = to_bytes(options.request_id);
  info.caller = to_bytes(options.caller);
  info.on_behalf_of = to_bytes(options.on_behalf_of);
  return LONGSHORE_OK;
}

longshore_result Session::call_state(longshore_call handle) const {
  const std::lock_guard lock(mutex_);
  const auto call = find_call(handle);
  if (!call) return LONGSHORE_STALE;
  return call->cancelled ? LONGSHORE_CANCELLED : LONGSHORE_OK;
}

longshore_result Session::send(longshore_call handle, std::string_view message) {
  const std::lock_guard lock(mutex_);
  const auto call = find_call_for(handle, "send");
  if (!call) return LONGSHORE_STALE;
  if (!call->is_stream && call->sent > 0) {
    note("a second message was sent for " + call->method + ", which is unary");
    return LONGSHORE_REFUSED;
  }
  if (!call->cancelled && call->credit == 0) {
    call->send_refused = true;
    return LONGSHORE_WOULD_BLOCK;
  }
  if (!call->cancelled) --call->credit;
  ++call->sent;
  call->messages.emplace_back(message);
  changed_.notify_all();
  return call->cancelled ? LONGSHORE_CANCELLED : LONGSHORE_OK;
}

longshore_result Session::finish(longshore_call handle, longshore_status_code code,
                                 std::string_view text) {
  const std::lock_guard lock(mutex_);
  const auto call = find_call_for(handle, "finish");
  if (!call) return LONGSHORE_STALE;
  const bool is_known = code >= 0 && code <= 16;
  if (!is_known) note(call->method + " was finished with the code " + std::to_string(code));
  call->code = is_known ? static_cast<StatusCode>(code) : StatusCode::kUnknown;
  call->text = text;
  if (code == 0 && !call->is_stream && call->sent == 0) {
    note(call->method + " ended well, but without an answer");
  }
  call->finished = true;
  call->borrowed.reset();
  finished_calls_[handle] = call->method;
  calls_.erase(handle);
  changed_.notify_all();
  return LONGSHORE_OK;
}

}  // namespace longshore::testing
