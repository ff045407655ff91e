#include "router/audit_log.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "router/audit_line.h"
#include "router/call.h"

namespace longshore::router {
namespace {

constexpr std::chrono::seconds kFirstRetry{1};
constexpr std::chrono::seconds kLastRetry{60};
constexpr std::chrono::seconds kEndTime{10};  // for a disk that does not answer

Error refused_for(const Error& why) {
  return Error::of_text(StatusCode::kUnavailable,
                        why.message() +
                            "; agent.audit.required refuses calls that may change "
                            "something until it can be written");
}

}  // namespace

// Wakes the thread that writes: nothing else wakes up while there is nothing to do.
class AuditLog::Alarm final : public Timer {
 public:
  explicit Alarm(AuditLog& log) : log_(log) {}
  void on_time() override {
    const std::lock_guard lock(log_.mutex_);
    is_armed_ = false;
    is_due_ = true;
    log_.write_soon();
  }

  // All locked. Whether it was not armed already.
  bool arm(std::chrono::milliseconds after) {
    if (std::exchange(is_armed_, true)) return false;
    log_.timers_.arm(*this, Clock::now() + after);
    return true;
  }
  bool is_due() const { return is_due_; }
  bool take_due() { return std::exchange(is_due_, false); }

 private:
  AuditLog& log_;
  bool is_armed_ = false;
  bool is_due_ = false;
};

AuditLog::~AuditLog() {
  end();
  if (!thread_) return;
  timers_.disarm(*anchor_alarm_);
  timers_.disarm(*retry_alarm_);
  timers_.wait_for_running();
}

Result<void> AuditLog::open(const AuditOptions& options) {
  if (options.file.empty()) return {};
  is_required_ = options.required;
  between_anchors_ = options.between_anchors;
  anchor_alarm_ = std::make_shared<Alarm>(*this);
  retry_alarm_ = std::make_shared<Alarm>(*this);
  thread_ = std::make_unique<WorkerPool>(timers_, "audit", 1);
  const std::lock_guard lock(file_mutex_);
  auto opened = writer_.open(options);
  look_ahead();
  return opened;
}

void AuditLog::begin(const Call& call, GoOn go_on) {
  std::string line = audit_line_of_begin(call);
  {
    const std::lock_guard lock(mutex_);
    begun_.insert(call.handle());
  }
  enqueue({std::move(line),
           [this, handle = call.handle(), go_on = std::move(go_on)](const Result<void>& written) {
             if (!written) {
               const std::lock_guard lock(mutex_);
               begun_.erase(handle);
             }
             go_on(written);
           }});
}

void AuditLog::add(const RecentCalls::Answered& answered, bool unfinished) {
  if (!thread_) return;
  uint64_t suppressed = 0;
  {
    const std::lock_guard lock(mutex_);
    // Without its first line it was refused for want of the log.
    if (answered.handle != 0 && begun_.erase(answered.handle) == 0) return;
    if (was_refused_by_permissions(answered)) {
      const auto admitted = refusals_.admit(answered.caller->identity, Clock::now());
      if (!admitted) return;
      suppressed = *admitted;
    }
  }
  enqueue({answered.handle != 0 ? audit_line_of_end(answered, unfinished)
                                : audit_line_of_refusal(answered, suppressed),
           {}});
}

void AuditLog::enqueue(Entry entry) {
  {
    const std::lock_guard lock(mutex_);
    const bool is_full = queued_bytes_ + entry.line.size() > kMaxQueuedBytes;
    if (!has_ended_ && !is_full) {
      queued_bytes_ += entry.line.size();
      queue_.push_back(std::move(entry));
      return write_soon();
    }
    ++unkept_;
    ++figures_.lost;
  }
  if (!entry.go_on) return;
  if (!is_required_) return entry.go_on({});
  entry.go_on(refused_for(
      Error(StatusCode::kUnavailable, "write the audit log").because("too many lines wait")));
}

void AuditLog::write_soon() {
  if (has_ended_ || std::exchange(is_writing_, true)) return;
  thread_->post([this] { write_all(); });
}

void AuditLog::write_all() {
  for (;;) {
    std::deque<Entry> batch;
    uint64_t unkept = 0;
    bool anchor_is_due = false;
    {
      const std::lock_guard lock(mutex_);
      if (queue_.empty() && !anchor_alarm_->is_due() && !retry_alarm_->is_due()) {
        is_writing_ = false;
        settled_.notify_all();
        return;
      }
      batch.swap(queue_);
      queued_bytes_ = 0;
      unkept = std::exchange(unkept_, 0);
      anchor_is_due = anchor_alarm_->take_due();
      retry_alarm_->take_due();
    }
    write_batch(std::move(batch), unkept, anchor_is_due);
  }
}

void AuditLog::write_batch(std::deque<Entry> batch, uint64_t unkept, bool anchor_is_due) {
  std::vector<std::pair<GoOn, Result<void>>> waiting;
  {
    const std::lock_guard lock(file_mutex_);
    writer_.lose(unkept);
    Result<void> written = writer_.make_up();
    for (Entry& entry : batch) {
      if (written) written = writer_.append(entry.line);
      const bool is_refused = !written && entry.go_on && is_required_;
      if (!written && !is_refused) writer_.keep(std::move(entry.line));
      if (is_refused) writer_.refuse(1);
      if (!entry.go_on) continue;
      waiting.emplace_back(std::move(entry.go_on),
                           is_refused ? refused_for(written.error()) : Result<void>());
    }
    if (written) {
      written = writer_.sync();
      for (auto& [go_on, result] : waiting) {
        if (written || !is_required_) break;
        writer_.refuse(1);
        result = refused_for(written.error());
      }
    }
    writer_.conclude(written);
    if (anchor_is_due && writer_.has_new_anchor()) writer_.tell_anchor();
    look_ahead();
  }
  for (const auto& [go_on, result] : waiting) go_on(result);
}

void AuditLog::look_ahead() {
  const std::lock_guard lock(mutex_);
  figures_ = writer_.figures();
  figures_.lost += unkept_;
  if (has_ended_) return;
  if (writer_.has_new_anchor()) anchor_alarm_->arm(between_anchors_);
  if (!writer_.is_in_trouble()) {
    until_retry_ = kFirstRetry;
  } else if (retry_alarm_->arm(until_retry_)) {
    until_retry_ = std::min(2 * until_retry_, kLastRetry);
  }
}

Result<void> AuditLog::reopen() {
  if (!thread_) return {};
  add_suppressed();
  settle();
  const std::lock_guard lock(file_mutex_);
  auto reopened = writer_.reopen();
  look_ahead();
  return reopened;
}

void AuditLog::add_suppressed() {
  std::map<std::string, uint64_t> suppressed;
  {
    const std::lock_guard lock(mutex_);
    suppressed = refusals_.take_suppressed();
  }
  for (const auto& [caller, count] : suppressed) {
    enqueue({audit_line_of_suppressed(caller, count), {}});
  }
}

void AuditLog::settle() {
  std::unique_lock lock(mutex_);
  settled_.wait_for(lock, kEndTime, [&] { return !is_writing_; });
}

void AuditLog::end() {
  if (!thread_) return;
  add_suppressed();
  settle();
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(has_ended_, true)) return;
  }
  thread_->drain(Clock::now() + kEndTime);
  const std::lock_guard lock(file_mutex_);
  {
    const std::lock_guard queue_lock(mutex_);
    writer_.lose(queue_.size() + std::exchange(unkept_, 0));  // the disk has not answered
    queue_.clear();
  }
  writer_.end();
  look_ahead();
}

observe::AuditFigures AuditLog::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

}  // namespace longshore::router
