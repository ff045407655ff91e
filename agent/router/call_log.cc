#include "router/call_log.h"

#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "router/line_limit.h"

namespace longshore::router {
namespace {

constexpr std::chrono::seconds kTellAfter{10};
// Of a text that a module wrote: it may be as long as what its caller sent.
constexpr size_t kMaxWrittenBytes = 1024;
// Keys that get a line of their own when the number of lines that were left out is told.
constexpr size_t kMostTold = 20;

observe::Level level_of(StatusCode outcome, const Method& method) {
  // That its reader goes is how a watch ends.
  if (outcome == StatusCode::kCancelled && method.long_running) return observe::Level::kDebug;
  switch (outcome) {
    case StatusCode::kOk:
      return observe::Level::kDebug;
    case StatusCode::kUnknown:
    case StatusCode::kInternal:
    case StatusCode::kDataLoss:
    case StatusCode::kDeadlineExceeded:
      return observe::Level::kWarning;
    default:
      return observe::Level::kInfo;
  }
}

std::string cut(std::string_view text) {
  std::string kept(text.substr(0, kMaxWrittenBytes));
  if (text.size() > kMaxWrittenBytes) kept += "...";
  return kept;
}

}  // namespace

class CallLog::State final : public Timer {
 public:
  State(observe::Log& log, Timers& timers, std::string_view module)
      : log_(log), timers_(timers), module_(module) {}

  observe::Log& log() { return log_; }

  bool admits(observe::Level level, std::string_view client, std::string_view method) {
    if (!log_.enabled(level)) return false;
    if (level == observe::Level::kDebug) return true;
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    const bool had_suppressed = limit_.has_suppressed();
    const bool is_admitted = limit_.admit(client, method, now);
    if (!had_suppressed && limit_.has_suppressed()) {
      since_ = now;
      timers_.arm(*this, now + kTellAfter);
    }
    return is_admitted;
  }

  // Nothing is told afterwards.
  void end() {
    timers_.disarm(*this);
    const std::lock_guard telling(telling_);
    tell();
    is_over_ = true;
  }

  void on_time() override {
    const std::lock_guard telling(telling_);
    if (!is_over_) tell();
  }

 private:
  void tell() {
    std::vector<LineLimit::Suppressed> suppressed;
    Clock::duration time{};
    {
      const std::lock_guard lock(mutex_);
      suppressed = limit_.take_suppressed();
      time = Clock::now() - since_;
    }
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(time).count();
    const std::string in_time =
        " more lines like this in the last " + std::to_string(seconds) + " s";
    uint64_t others = 0;
    for (size_t i = 0; i < suppressed.size(); ++i) {
      const auto& [client, method, lines] = suppressed[i];
      if (i < kMostTold) {
        log_.warning(std::to_string(lines) + in_time,
                     {{"module", module_}, {"method", method}, {"caller", client}});
      } else {
        others += lines;
      }
    }
    if (others == 0) return;
    log_.warning(std::to_string(others) + in_time + ", of other callers and methods",
                 {{"module", module_}});
  }

  observe::Log& log_;
  Timers& timers_;
  const std::string module_;
  std::mutex telling_;  // taken before mutex_
  bool is_over_ = false;
  std::mutex mutex_;
  LineLimit limit_;
  Clock::time_point since_{};  // something is suppressed
};

CallLog::CallLog(observe::Log& log, Timers& timers, std::string_view module)
    : state_(std::make_shared<State>(log, timers, module)) {}

CallLog::~CallLog() { state_->end(); }

bool CallLog::admits(observe::Level level, std::string_view client, std::string_view method) {
  return state_->admits(level, client, method);
}

void CallLog::write(observe::Level level, std::string_view text, const observe::Fields& fields) {
  state_->log().write(level, cut(text), fields);
}

void CallLog::write_outcome(std::string_view module, const Call& call, StatusCode outcome) {
  const observe::Level level = level_of(outcome, call.method());
  if (!admits(level, call.caller().on_behalf_of, call.method().full_name)) return;
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - call.started());
  write(level, outcome == StatusCode::kOk ? "call done" : call.outcome_text(),
        {{"module", module},
         {"method", call.method().full_name},
         {"request", call.request_id()},
         {"caller", call.caller().on_behalf_of},
         {"object", call.object()},
         {"status", status_code_name(outcome)},
         {"us", std::to_string(elapsed.count())}});
}

void CallLog::write_stuck(std::string_view module, const Call& call) {
  constexpr auto kLevel = observe::Level::kWarning;
  if (!admits(kLevel, call.caller().on_behalf_of, call.method().full_name)) return;
  write(kLevel, "a call is stuck",
        {{"module", module},
         {"method", call.method().full_name},
         {"request", call.request_id()},
         {"caller", call.caller().on_behalf_of},
         {"object", call.object()}});
}

}  // namespace longshore::router
