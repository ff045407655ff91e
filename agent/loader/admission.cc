#include "loader/admission.h"

#include <algorithm>
#include <utility>

#include "router/module_wait.h"

namespace longshore::loader {

using router::Call;
using router::Clock;

namespace {

constexpr size_t kMostSpareRecords = 64;

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
  const router::ModuleWait waits;
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

bool Admission::is_idle() const { return begun() <= stuck_ && queued() == 0; }

bool Admission::wait_until_empty(Clock::time_point deadline, StuckCalls stuck) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] {
    return stuck == StuckCalls::kLeft ? is_idle() : begun() + queued() == 0;
  });
}

// ---- What is kept of a call ----

Admission::Record* Admission::record_of(const Call& call) {
  return static_cast<Record*>(call.target_record().get());
}

Admission::Record* Admission::live_record_of(const Call& call) const {
  Record* const record = record_of(call);
  return record && record->where != Where::kOver && !record->is_stuck ? record : nullptr;
}

Admission::Record& Admission::add(const Call& call, Bulkhead* bulkhead) {
  std::unique_ptr<router::TargetRecord>& place = call.target_record();
  if (spare_.empty()) {
    place = std::make_unique<Record>();
  } else {
    place = std::move(spare_.back());
    spare_.pop_back();
  }
  Record& record = *record_of(call);
  if (call.method().long_running) ++long_running_;
  hold(record, bulkhead);
  return record;
}

void Admission::forget(const Call& call) {
  std::unique_ptr<router::TargetRecord> record = std::move(call.target_record());
  if (spare_.size() >= kMostSpareRecords) return;
  static_cast<Record&>(*record).clear();
  spare_.push_back(std::move(record));
}

size_t Admission::begun() const {
  return running() + number(Where::kQueuedInProcess) + number(Where::kOpen);
}

size_t Admission::queued() const {
  return number(Where::kQueued) + number(Where::kBehindBulkhead) + number(Where::kHopeless);
}

void Admission::move(Record& record, Where to) {
  const Where from = std::exchange(record.where, to);
  if (from != Where::kOver) --numbers_[static_cast<size_t>(from)];
  if (to != Where::kOver) ++numbers_[static_cast<size_t>(to)];
  if (!record.is_stuck) return;
  if (from == Where::kRuns) --stuck_running_;
  if (to == Where::kRuns) ++stuck_running_;
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
  router::Digits digits;
  const std::string_view object = call->object(digits);
  // Calls that name no object have nothing in common but their method.
  Bulkhead* const bulkhead = bulkheads_.obtain(object);
  if (bulkhead && bulkheads_.is_hopeless(*bulkhead)) return hopeless(*call);
  ++total_;
  if (call->method().long_running && long_running_ >= options_.max_open_streams) {
    ++failed_;
    return refuse_for_streams(*call);
  }
  const bool is_open = !bulkhead || bulkheads_.is_open(*bulkhead);
  // Who waits already is not overtaken.
  if (is_open && waiting_.empty() && running() < concurrency_limit()) {
    Record& record = add(*call, bulkhead);
    move(record, Where::kRuns);
    count(record);
    return Place::kRuns;
  }
  if (is_open && !may_wait(*call)) {
    ++failed_;
    return refuse_for_number(*call);
  }
  if (!is_open && !may_wait_behind(*bulkhead, *call)) {
    ++failed_;
    return crowded(*call, object);
  }
  Record& record = add(*call, bulkhead);
  is_open ? queue(record, Where::kQueued, call) : wait_behind(record, call);
  return Place::kWaits;
}

void Admission::count_refused() {
  const std::lock_guard lock(mutex_);
  ++total_;
  ++failed_;
}

Admission::Turn Admission::first_turn() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(is_starting_, true)) return {};
  return turn();
}

Admission::Turn Admission::next_turn() {
  const std::lock_guard lock(mutex_);
  return turn();
}

Admission::Turn Admission::turn() {
  while (hopeless_.empty() && !waiting_.empty() && running() < concurrency_limit()) {
    Record& record = waiting_.front();
    if (!may_run(record)) {
      wait_behind(record, leave_queue(record));
      continue;
    }
    waiting_.pass_turn();
    std::shared_ptr<Call> call = leave_queue(record);
    count(record);
    move(record, Where::kRuns);
    record.has_waited = false;
    return {std::move(call), false, std::exchange(record.was_given_back, false)};
  }
  if (!hopeless_.empty()) return {leave_queue(hopeless_.front()), true};
  is_starting_ = false;
  return {};
}

bool Admission::end(const Call& call, bool well) {
  const std::lock_guard lock(mutex_);
  if (!well) ++failed_;
  Record* const record = record_of(call);
  if (!record) return false;  // `admit` has refused it, or finds that it is over
  leave_queue(*record);
  move(*record, Where::kOver);
  if (call.method().long_running) --long_running_;
  if (record->is_stuck) {
    --stuck_;
    if (record->bulkhead) --record->bulkhead->stuck;
  }
  let_go(*record);
  turn_from_next(*record);
  if (!record->has_thread) forget(call);
  if (door_ != Door::kOpen) changed_.notify_all();
  return may_turn();
}

Admission::Stuck Admission::stick(const Call& call) {
  const std::lock_guard lock(mutex_);
  Record* const record = live_record_of(call);
  if (!record) return Stuck::kNo;  // it came back while the timer was on its way
  record->is_stuck = true;
  ++stuck_;
  if (record->where == Where::kRuns) ++stuck_running_;
  if (Bulkhead* const bulkhead = record->bulkhead) {
    ++bulkhead->stuck;
    if (bulkheads_.is_hopeless(*bulkhead)) {
      while (!bulkhead->waiting.empty()) {
        Record& first = bulkhead->waiting.front();
        std::shared_ptr<Call> behind = leave_queue(first);
        queue(first, Where::kHopeless, std::move(behind));
      }
    }
    stop_counting(*record);
  }
  if (door_ != Door::kOpen) changed_.notify_all();  // one less to wait for
  const bool replace = record->has_thread && lost_threads_ < most_replaced();
  record->thread_is_lost = replace;
  if (replace) ++lost_threads_;
  return replace ? Stuck::kReplaced : Stuck::kYes;
}

bool Admission::enter_thread(const Call& call) {
  const std::lock_guard lock(mutex_);
  Record* const record = record_of(call);
  if (record) record->has_thread = true;
  return record != nullptr;
}

Admission::Left Admission::leave(const Call& call) {
  const std::lock_guard lock(mutex_);
  Record* const record = record_of(call);
  if (!record) return {};  // it is over, and had no thread of the pool
  const bool was_lost = record->thread_is_lost;
  if (was_lost) --lost_threads_;
  record->has_thread = false;
  if (record->where == Where::kOver) {
    forget(call);
  } else if (record->given_back) {
    queue_again(*record, std::exchange(record->given_back, nullptr));
    return {was_lost, true};
  } else if (call.method().long_running && !record->is_stuck) {
    stop_counting(*record);
    move(*record, Where::kOpen);
    return {was_lost, may_turn()};
  }
  return {was_lost, false};
}

// Threads that stand in for stuck ones: for calls of this many bulkheads, more or less.
size_t Admission::most_replaced() const {
  constexpr size_t kBulkheads = 16;
  return kBulkheads * options_.max_stuck_calls;
}

size_t Admission::concurrency_limit() const {
  return options_.max_concurrent_calls + std::min(stuck_running_, most_replaced());
}

Admission::Figures Admission::figures() const {
  const std::lock_guard lock(mutex_);
  return {running() + number(Where::kOpen),
          long_running_,
          queued() + number(Where::kQueuedInProcess),
          total_,
          failed_,
          stuck_,
          why_degraded()};
}

}  // namespace longshore::loader
