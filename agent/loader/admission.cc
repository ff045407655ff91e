#include "loader/admission.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace longshore::loader {

using router::Call;
using router::Clock;

namespace {

Error refusal(StatusCode code, const Call& call) { return {code, "call", call.method().full_name}; }

}  // namespace

// ---- The door ----

void Admission::open() {
  const std::lock_guard lock(mutex_);
  door_ = Door::kOpen;
}

void Admission::begin_drain() {
  const std::lock_guard lock(mutex_);
  door_ = Door::kOnlyNested;
  has_moved_ = true;
}

bool Admission::finish_drain(Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  drain_end_ = std::min(drain_end_, deadline);
  while (!is_idle()) {
    const Clock::time_point end = drain_end_;  // which may come nearer meanwhile
    if (changed_.wait_until(lock, end) == std::cv_status::timeout && Clock::now() >= drain_end_) {
      return is_idle();
    }
  }
  return true;
}

void Admission::hurry(Clock::time_point deadline) {
  const std::lock_guard lock(mutex_);
  drain_end_ = std::min(drain_end_, deadline);
  changed_.notify_all();
}

void Admission::resume() {
  const std::lock_guard lock(mutex_);
  drain_end_ = Clock::time_point::max();
  has_moved_ = false;
  door_ = Door::kOpen;
}

void Admission::close() {
  const std::lock_guard lock(mutex_);
  door_ = Door::kClosed;
}

bool Admission::is_idle() const { return running_ + open_ <= stuck_ && waiting_.empty(); }

bool Admission::wait_until_empty(Clock::time_point deadline, StuckCalls stuck) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] {
    return stuck == StuckCalls::kLeft ? is_idle() : running_ + open_ == 0 && waiting_.empty();
  });
}

// ---- From its coming to its end ----

Result<Admission::Place> Admission::admit(const std::shared_ptr<Call>& call,
                                          const router::Target& target) {
  // Before the lock, since it may let go of the last hold on a call.
  const bool is_awaited = has_moved_ && call->is_nested_in(target);
  const std::lock_guard lock(mutex_);
  const bool may_enter = door_ == Door::kOpen || (door_ == Door::kOnlyNested && is_awaited);
  if (!may_enter) return refuse_for_door(*call);
  // Its end, if that has come already, has found nothing here; one that comes now waits for the
  // lock.
  if (call->is_over()) return Place::kIsOver;
  if (is_bulkhead_full(call->object())) {
    return refuse_for_stuck(*call);
  }
  ++total_;
  if (call->method().long_running && long_running_ >= options_.max_open_streams) {
    ++failed_;
    return refuse_for_streams(*call);
  }
  if (running_ < concurrency_limit()) {
    ++running_;
    add(*call).runs = true;
    return Place::kRuns;
  }
  if (waiting_.size() >= options_.max_queued_calls) {
    ++failed_;
    return refuse_for_number(*call);
  }
  add(*call);
  waiting_.push_back(call);
  return Place::kWaits;
}

Admission::Record& Admission::add(const Call& call) {
  if (call.method().long_running) ++long_running_;
  return records_[&call] = {};
}

bool Admission::begin_starting() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(is_starting_, true);
}

std::shared_ptr<Call> Admission::next() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty() || running_ >= concurrency_limit()) {
    is_starting_ = false;
    return nullptr;
  }
  std::shared_ptr<Call> call = std::move(waiting_.front());
  waiting_.pop_front();
  records_[call.get()].runs = true;
  ++running_;
  return call;
}

bool Admission::end(const Call& call, bool well) {
  const std::lock_guard lock(mutex_);
  if (!well) ++failed_;
  const auto found = records_.find(&call);
  if (found == records_.end()) return false;  // `admit` has refused it, or finds that it is over
  Record& record = found->second;
  if (call.method().long_running) --long_running_;
  if (record.is_open) {
    --open_;
  } else if (record.runs) {
    --running_;
  } else {
    std::erase_if(waiting_, [&](const auto& each) { return each.get() == &call; });
  }
  if (record.is_stuck) {
    --stuck_;
    if (!record.is_open) --stuck_running_;
    stuck_bulkheads_.erase(stuck_bulkheads_.find(bulkhead_of(call, record)));
  }
  record.has_ended = true;
  if (!record.has_thread) records_.erase(found);
  if (door_ != Door::kOpen) changed_.notify_all();
  return !waiting_.empty();
}

Admission::Stuck Admission::stick(const Call& call) {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(&call);
  // It came back while the timer was on its way.
  if (found == records_.end() || found->second.has_ended || found->second.is_stuck) {
    return Stuck::kNo;
  }
  Record& record = found->second;
  record.is_stuck = true;
  stuck_bulkheads_.insert(bulkhead_of(call, record));
  ++stuck_;
  if (!record.is_open) ++stuck_running_;
  if (door_ != Door::kOpen) changed_.notify_all();  // one less to wait for
  const bool replace = record.has_thread && lost_threads_ < options_.max_stuck_calls;
  record.thread_is_lost = replace;
  if (replace) ++lost_threads_;
  return replace ? Stuck::kReplaced : Stuck::kYes;
}

bool Admission::set_bulkhead(const Call& call, std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(&call);
  // One that is over, or stuck already, counts under the name that it had.
  if (found == records_.end() || found->second.has_ended || found->second.is_stuck) return true;
  found->second.bulkhead = key;
  return !is_bulkhead_full(found->second.bulkhead);
}

bool Admission::enter_thread(const Call& call) {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(&call);
  if (found == records_.end()) return false;
  found->second.has_thread = true;
  return true;
}

Admission::Left Admission::leave(const Call& call) {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(&call);
  if (found == records_.end()) return {};  // it is over, and had no thread of the pool
  Record& record = found->second;
  const bool was_lost = record.thread_is_lost;
  if (was_lost) --lost_threads_;
  record.has_thread = false;
  if (record.has_ended) {
    records_.erase(found);
  } else if (call.method().long_running && !record.is_stuck) {
    record.is_open = true;
    --running_;
    ++open_;
    return {was_lost, !waiting_.empty()};
  }
  return {was_lost, false};
}

// ---- What is known of them ----

size_t Admission::concurrency_limit() const {
  return options_.max_concurrent_calls + std::min(stuck_running_, options_.max_stuck_calls);
}

// Calls that name no object have nothing in common but their method.
bool Admission::is_bulkhead_full(const std::string& key) const {
  return stuck_ >= options_.max_stuck_calls && !key.empty() && stuck_bulkheads_.contains(key);
}

std::string Admission::bulkhead_of(const Call& call, const Record& record) {
  return record.bulkhead.empty() ? call.object() : record.bulkhead;
}

Error Admission::refuse_for_door(const Call& call) const {
  return refusal(StatusCode::kUnavailable, call)
      .because("the module " + options_.name + " is " + name_of(lifecycle_.state()))
      .advise("try again");
}

Error Admission::refuse_for_stuck(const Call& call) const {
  return refusal(StatusCode::kUnavailable, call)
      .because("an earlier call for \"" + call.object() + "\" is stuck in the module")
      .advise("the device or server behind it does not answer");
}

Error Admission::refuse_for_number(const Call& call) const {
  return refusal(StatusCode::kResourceExhausted, call)
      .because(std::to_string(running_) + " calls of the module " + options_.name + " run and " +
               std::to_string(waiting_.size()) + " wait")
      .advise("try again later, or raise max_concurrent_calls");
}

Error Admission::refuse_for_streams(const Call& call) const {
  return refusal(StatusCode::kResourceExhausted, call)
      .because(std::to_string(long_running_) + " streams of the module " + options_.name +
               " wait, run or are open")
      .advise("try again later, or raise max_open_streams");
}

std::string Admission::why_degraded() const {
  if (stuck_ == 0) return {};
  constexpr size_t kMostNamed = 4;
  std::string objects;
  size_t named = 0;
  for (auto each = stuck_bulkheads_.begin(); each != stuck_bulkheads_.end();) {
    const auto next = stuck_bulkheads_.upper_bound(*each);
    const auto count = static_cast<size_t>(std::distance(each, next));
    if (!each->empty() && ++named <= kMostNamed) {
      objects += (objects.empty() ? " for \"" : ", \"") + *each + '"';
      if (count > 1) objects += " (" + std::to_string(count) + ")";
    }
    each = next;
  }
  if (named > kMostNamed) objects += " and " + std::to_string(named - kMostNamed) + " more";
  return std::to_string(stuck_) + (stuck_ == 1 ? " call is" : " calls are") +
         " stuck past the deadline" + objects +
         "; the device or server behind does not answer, or the module hangs";
}

Admission::Figures Admission::figures() const {
  const std::lock_guard lock(mutex_);
  return {running_ + open_, long_running_, waiting_.size(), total_,
          failed_,          stuck_,        why_degraded()};
}

}  // namespace longshore::loader
