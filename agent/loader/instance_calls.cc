// The calls of an instance: from submit to their end.
#include <algorithm>
#include <utility>

#include "loader/instance.h"
#include "router/call_log.h"

namespace longshore::loader {

using router::Call;

size_t Instance::concurrency_limit() const {
  return options_.max_concurrent_calls + std::min(stuck_, options_.max_stuck_calls);
}

// Calls that name no object have nothing in common but their method.
bool Instance::names_stuck_object(const Call& call) const {
  const std::string object = call.object();
  return !object.empty() && stuck_objects_.contains(object);
}

std::string Instance::why_degraded() const {
  if (stuck_ == 0) return {};
  std::string objects;
  for (const std::string& object : stuck_objects_) {
    if (!object.empty()) objects += (objects.empty() ? " for \"" : "\", \"") + object;
  }
  if (!objects.empty()) objects += '"';
  return std::to_string(stuck_) + (stuck_ == 1 ? " call is" : " calls are") +
         " stuck past the deadline" + objects +
         "; the device or server behind does not answer, or the module hangs";
}

Result<void> Instance::submit(std::shared_ptr<Call> call) {
  // Before the lock, since it may let go of the last hold on a call.
  const bool is_waited_for = has_moved_ && call->is_nested_in(*this);
  {
    const std::lock_guard lock(mutex_);
    const auto refused = [&](StatusCode code, std::string why) {
      return Error(code, "call", call->method().full_name).because(std::move(why));
    };
    if (!admits_ && !(drains_ && is_waited_for)) {
      return refused(StatusCode::kUnavailable,
                     "the module " + options_.name + " is " + name_of(lifecycle_->state()))
          .advise("try again");
    }
    if (call->ended) return {};  // it was queued elsewhere before, and given up on its way here
    if (stuck_ >= options_.max_stuck_calls && names_stuck_object(*call)) {
      return refused(StatusCode::kUnavailable,
                     "an earlier call for \"" + call->object() + "\" is stuck in the module")
          .advise("the device or server behind it does not answer");
    }
    ++total_;
    if (running_ >= concurrency_limit()) {
      if (waiting_.size() >= options_.max_queued_calls) {
        ++failed_;
        return refused(StatusCode::kResourceExhausted,
                       std::to_string(running_) + " calls of the module " + options_.name +
                           " run and " + std::to_string(waiting_.size()) + " wait")
            .advise("try again later, or raise max_concurrent_calls");
      }
      waiting_.push_back(std::move(call));
      return {};
    }
    ++running_;
    call->admitted = true;
  }
  begin(std::move(call));
  return {};
}

void Instance::begin(std::shared_ptr<Call> call) {
  if (code_->never_blocks()) return call->run();
  router::CallRunner* runner = call->runner();
  if (runner && runner->takes(call->method())) {
    runner->run_soon(std::move(call), pool_);
  } else {
    pool_.post(std::move(call));
  }
}

void Instance::execute(Call& call) {
  const std::string& method = call.method().full_name;
  const std::string_view request = call.request();
  const bool of_pool = pool_.is_this_thread();
  const InFlightGuard stay(gate_);  // open: it is closed when no call is left
  call.on_pool_thread = of_pool;
  functions_.invoke(self_, call.handle(), {method.data(), method.size()},
                    {request.data(), request.size()});
  // If this thread was given up as stuck meanwhile, another took its place.
  if (of_pool && !call.on_pool_thread.exchange(false)) pool_.thread_returned();
}

void Instance::on_cancel(Call& call) { notify(functions_.cancel, call.handle()); }

void Instance::on_writable(Call& call) { notify(functions_.writable, call.handle()); }

void Instance::notify(void (*function)(void* self, longshore_call call), longshore_call call) {
  if (!function) return;
  notifications_.post([keep = shared_from_this(), function, call] {
    const InFlightGuard stay(keep->gate_);
    if (stay) function(keep->self_, call);
  });
}

void Instance::notify(std::shared_ptr<router::Work> completion) {
  if (InFlightGuard::is_inside(gate_)) {
    completion->run();
  } else {
    notifications_.post(std::move(completion));
  }
}

void Instance::on_stuck(Call& call) {
  bool replace = false;
  {
    const std::lock_guard lock(mutex_);
    // It came back while the timer was on its way.
    if (call.ended || call.counted_as_stuck) return;
    call.counted_as_stuck = true;
    stuck_objects_.insert(call.object());
    ++stuck_;
    replace = stuck_ <= options_.max_stuck_calls;
    if (!admits_) changed_.notify_all();  // one less to wait for
  }
  log_.warning("a call is stuck", {{"module", options_.name},
                                   {"method", call.method().full_name},
                                   {"request", call.request_id()},
                                   {"object", call.object()}});
  if (replace && call.on_pool_thread.exchange(false)) pool_.thread_lost();
  start_waiting_calls();
}

void Instance::on_end(Call& call) {
  const StatusCode outcome = call.outcome();
  bool more_wait = false;
  {
    const std::lock_guard lock(mutex_);
    if (outcome != StatusCode::kOk) ++failed_;
    if (call.admitted) {
      --running_;
    } else {
      std::erase_if(waiting_, [&](const auto& each) { return each.get() == &call; });
    }
    call.ended = true;
    if (call.counted_as_stuck) {
      --stuck_;
      const auto object = stuck_objects_.find(call.object());
      if (object != stuck_objects_.end()) stuck_objects_.erase(object);
    }
    if (!admits_) changed_.notify_all();
    more_wait = !waiting_.empty();
  }
  if (!options_.write_log) log_outcome(log_, options_.name, call, outcome);
  if (more_wait) start_waiting_calls();
}

void Instance::start_waiting_calls() {
  std::unique_lock lock(mutex_);
  if (std::exchange(starting_waiting_, true)) return;  // whoever is at it looks again
  while (!waiting_.empty() && running_ < concurrency_limit()) {
    std::shared_ptr<Call> next = std::move(waiting_.front());
    waiting_.pop_front();
    next->admitted = true;
    ++running_;
    lock.unlock();
    begin(std::move(next));
    lock.lock();
  }
  starting_waiting_ = false;
}

}  // namespace longshore::loader
