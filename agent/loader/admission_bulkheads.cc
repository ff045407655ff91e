// The part of the admission that bulkheads have: their shares, and who waits behind them.
#include <utility>

#include "loader/admission.h"

namespace longshore::loader {

using router::Call;

// ---- What modules say ----

Admission::Entered Admission::set_bulkhead(const Call& call, std::string_view key) {
  const std::lock_guard lock(mutex_);
  Record* const record = live_record_of(call);
  if (!record) return {};  // it counts under the name that it had
  // What has been refused stays so until it is invoked anew, whatever else its module asks for.
  if (record->next_bulkhead || record->is_linked()) return {Entry::kRefused};
  Bulkhead* const bulkhead = bulkheads_.obtain(key);
  if (!bulkhead || bulkhead == record->bulkhead) return {};
  if (bulkheads_.is_hopeless(*bulkhead)) return {Entry::kRefused};
  if (!bulkheads_.is_open(*bulkhead)) {
    if (call.method().server_streaming || !may_wait_behind(*bulkhead, call)) {
      return {Entry::kIsCrowded};
    }
    turn_to(*record, *bulkhead);
    return {Entry::kWaits};
  }
  let_go(*record);
  hold(*record, bulkhead);
  if (record->where == Where::kRuns) count(*record);
  return {Entry::kEntered, may_turn()};
}

// While its thread is in the module yet, it runs.
void Admission::wait_again(const std::shared_ptr<Call>& call) {
  const std::lock_guard lock(mutex_);
  Record* const record = record_of(*call);
  if (!record || record->where == Where::kOver || !record->next_bulkhead) return;
  if (record->has_thread) {
    record->given_back = call;
  } else {
    queue_again(*record, call);
  }
}

void Admission::give_up_place(const Call& call, std::string_view key) {
  const std::lock_guard lock(mutex_);
  Record* const record = live_record_of(call);
  if (!record || record->where != Where::kRuns) return;
  // A stream holds no place once its thread is back, and is never told to wait.
  if (call.method().long_running || call.method().server_streaming) return;
  record->behind_in_process = key;
  if (is_full() && waiting_.empty()) return;  // otherwise the next one takes the place at once
  stop_counting(*record);
  move(*record, Where::kQueuedInProcess);
}

// Whether there is room or not: the process has given it a place of its own.
void Admission::take_place_again(const Call& call) {
  const std::lock_guard lock(mutex_);
  Record* const record = live_record_of(call);
  if (!record) return;
  record->behind_in_process.clear();
  if (record->where != Where::kQueuedInProcess) return;
  count(*record);
  move(*record, Where::kRuns);
}

std::string Admission::waits_behind(const Call& call) const {
  const std::lock_guard lock(mutex_);
  const Record* const record = live_record_of(call);
  if (!record) return {};
  if (record->next_bulkhead) return std::string(record->next_bulkhead->key);
  return record->has_waited ? std::string(record->bulkhead->key) : record->behind_in_process;
}

// ---- Shares ----

void Admission::hold(Record& record, Bulkhead* bulkhead) {
  record.bulkhead = bulkhead;
  if (bulkhead) ++bulkhead->holders;
}

void Admission::let_go(Record& record) {
  stop_counting(record);
  if (Bulkhead* const before = std::exchange(record.bulkhead, nullptr)) --before->holders;
}

void Admission::count(Record& record) {
  if (record.bulkhead && !std::exchange(record.is_counted, true)) ++record.bulkhead->running;
}

// Who waits first for the bulkhead takes its share at once, and waits for a place of the module's
// behind those that came before: busy bulkheads would starve the others.
void Admission::stop_counting(Record& record) {
  if (!std::exchange(record.is_counted, false)) return;
  Bulkhead& bulkhead = *record.bulkhead;
  --bulkhead.running;
  if (bulkhead.waiting.empty() || !bulkheads_.is_open(bulkhead)) return;
  Record& first = bulkhead.waiting.front();
  bulkhead.waiting.pass_turn();
  std::shared_ptr<Call> call = leave_queue(first);
  count(first);
  queue(first, Where::kQueued, std::move(call));
}

// Of a call whose turn has come.
bool Admission::may_run(const Record& record) const {
  if (!record.bulkhead) return true;
  if (bulkheads_.is_hopeless(*record.bulkhead)) return false;
  return record.is_counted || bulkheads_.is_open(*record.bulkhead);
}

// ---- Waiting ----

// Where callers take turns; null: it is in none of those.
FairCallQueue* Admission::queue_of(const Record& record) {
  switch (record.where) {
    case Where::kQueued:
      return &waiting_;
    case Where::kBehindBulkhead:
      return &record.bulkhead->waiting;
    default:
      return nullptr;
  }
}

void Admission::queue(Record& record, Where where, std::shared_ptr<Call> call) {
  move(record, where);
  const router::Caller& caller = call->caller();
  if (!caller.has_account) record.unaccounted = sizeof(Call) + call->request().size();
  unaccounted_ += record.unaccounted;
  record.queued = std::move(call);
  FairCallQueue* const queue = queue_of(record);
  queue ? queue->push_back(record, caller.flow) : hopeless_.push_back(record);
}

std::shared_ptr<Call> Admission::leave_queue(Record& record) {
  if (!record.is_linked()) return nullptr;  // one that is hopeless may have left it, for its end
  FairCallQueue* const queue = queue_of(record);
  queue ? queue->erase(record) : void(hopeless_.erase(CallQueue::s_iterator_to(record)));
  unaccounted_ -= std::exchange(record.unaccounted, 0);
  return std::move(record.queued);
}

void Admission::wait_behind(Record& record, std::shared_ptr<Call> call) {
  record.has_waited = true;
  const bool is_hopeless = bulkheads_.is_hopeless(*record.bulkhead);
  queue(record, is_hopeless ? Where::kHopeless : Where::kBehindBulkhead, std::move(call));
}

void Admission::turn_to(Record& record, Bulkhead& next) {
  record.next_bulkhead = &next;
  ++next.holders;
  ++next.coming;
  ++coming_;
}

Bulkhead* Admission::turn_from_next(Record& record) {
  Bulkhead* const next = std::exchange(record.next_bulkhead, nullptr);
  if (!next) return nullptr;
  --next->holders;
  --next->coming;
  --coming_;
  return next;
}

// Room may have come since the call was told to go.
void Admission::queue_again(Record& record, std::shared_ptr<Call> call) {
  record.was_given_back = true;
  record.has_waited = true;
  let_go(record);
  hold(record, turn_from_next(record));
  if (!may_run(record)) return wait_behind(record, std::move(call));
  count(record);
  queue(record, Where::kQueued, std::move(call));
}

bool Admission::may_wait_behind(const Bulkhead& bulkhead, const Call& call) const {
  return may_wait(call) && !bulkheads_.is_crowded(bulkhead);
}

bool Admission::may_wait(const Call& call) const {
  return !is_full() && (call.caller().has_account || unaccounted_ < options_.max_queued_bytes);
}

bool Admission::is_full() const {
  return queued() + coming_ + number(Where::kQueuedInProcess) >= options_.max_queued_calls;
}

}  // namespace longshore::loader
