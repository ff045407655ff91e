// One instance of a module with all that the fake host knows of it: calls, invocations, posted
// functions and the clock. FakeHost is its face for tests, host_table.cc for the module.
//
// Threads: any; one lock for everything, and no function of the module or of the test is called
// while it is held. Owner: FakeHost, its calls and the threads of `begin_on_thread` together.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "description.h"
#include "longshore/abi.h"
#include "longshore/context.hpp"
#include "longshore/result.hpp"
#include "longshore/testing/options.hpp"

namespace longshore::testing {

using Nanoseconds = std::chrono::nanoseconds;

// What the module may use until it finishes a call. Freed then, so that a sanitizer sees later use.
struct BorrowedTexts {
  std::string method;
  std::string request;
  std::string handover;  // of `start`
  CallOptions options;
};

struct CallRecord {
  longshore_call handle = 0;
  std::string method;
  bool is_stream = false;
  std::unique_ptr<BorrowedTexts> borrowed;
  std::optional<Nanoseconds> deadline;
  uint64_t credit = 0;
  size_t sent = 0;
  std::deque<std::string> messages;  // that the test has not taken
  bool send_refused = false;         // for want of credit: `writable` is owed
  bool cancelled = false;
  bool finished = false;
  StatusCode code = StatusCode::kOk;
  std::string text;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  using Posted = void (*)(void* user, longshore_result answer);
  enum class State { kMaking, kMade, kServing, kStopping, kStopped, kDestroyed };

  explicit Session(Nanoseconds patience);

  // ---- the test's side ----
  void create(const longshore_module_entry& entry);
  State state() const;
  const Description& description() const { return description_; }
  Result<void> start(std::string settings, std::string handover);
  Result<std::string> stop();
  // Stops the instance if it serves, and destroys it.
  void end();

  // A call of a method that the module does not serve is finished already.
  std::shared_ptr<CallRecord> make_call(std::string_view method, std::string request,
                                        const CallOptions& options);
  void run_handler(const std::shared_ptr<CallRecord>& call);
  void run_handler_on_thread(const std::shared_ptr<CallRecord>& call);
  void cancel_call(const std::shared_ptr<CallRecord>& call);
  void grant_call(const std::shared_ptr<CallRecord>& call, uint32_t messages);
  bool is_finished(const CallRecord& call) const;
  std::optional<std::string> next_message(const std::shared_ptr<CallRecord>& call);
  Result<std::vector<std::string>> wait_for_all(const std::shared_ptr<CallRecord>& call);

  void answer(std::string_view method, std::function<Answer(std::string_view)> function);
  void hold(std::string_view method);
  std::vector<std::string> invocations_of(std::string_view method) const;
  bool await_invocations(std::string_view method, size_t count) const;

  void advance(Nanoseconds time);
  size_t run_posts();

  void violated(std::string sentence);
  std::vector<std::string> violations() const;
  bool has_unread_violations() const;
  std::vector<LogLine> log() const;
  std::string degraded() const;
  void fill_bulkhead(std::string_view key);
  std::vector<std::string> bulkheads() const;

  // ---- the module's side ----
  const longshore_host* table() const { return &table_; }
  // Whether the module may use this function now; if not, that is a violation.
  bool admits(const char* function);
  longshore_result call_info(longshore_call call, longshore_call_info& info) const;
  longshore_result call_state(longshore_call call) const;
  longshore_result send(longshore_call call, std::string_view message);
  longshore_result finish(longshore_call call, longshore_status_code code, std::string_view text);
  longshore_result invoke(const longshore_invoke_request& request, longshore_invocation* handle);
  longshore_result cancel_invocation(longshore_invocation handle);
  longshore_result grant(longshore_invocation handle, uint32_t messages);
  // `timer` may be null.
  longshore_result post(Nanoseconds delay, Posted function, void* user, longshore_timer* timer);
  longshore_result cancel_timer(longshore_timer timer);
  longshore_result set_degraded(std::string_view reason);
  longshore_result set_bulkhead(longshore_call call, std::string_view key);
  void write_log(longshore_log_level level, longshore_call call, std::string_view text);

 private:
  struct Invocation;
  struct PostedFunction {
    Posted function;
    void* user;
    longshore_timer timer;
  };
  using Lock = std::unique_lock<std::mutex>;

  // With the lock held.
  std::shared_ptr<CallRecord> find_call(longshore_call handle) const;
  std::shared_ptr<CallRecord> find_call_for(longshore_call handle, const char* function);
  void note(std::string sentence);
  bool is_post_due() const { return !posts_.empty() && posts_.begin()->first <= now_; }
  std::optional<Nanoseconds> next_event() const;

  // Without it.
  std::shared_ptr<CallRecord> add_call(std::string_view method, bool is_stream, std::string request,
                                       const CallOptions& options);
  Result<std::string> control(const std::string& name, std::string settings, std::string handover);
  // Sees to it that no call, posted function or invocation is left.
  void end_work();
  void destroy();
  void run_posted(const PostedFunction& posted, longshore_result answer);
  bool await(Lock& lock, const std::function<bool()>& condition);
  void end_overdue();
  void end_invocation(const std::shared_ptr<Invocation>& invocation, Answer answer);
  void end_invocations_of(longshore_call parent);
  void deliver(const std::shared_ptr<Invocation>& invocation);
  void run_function(const char* name, const std::function<void()>& function);

  const Nanoseconds patience_;
  const longshore_host table_;
  Description description_;
  longshore_instance functions_{};  // as far as the module has them
  void* instance_ = nullptr;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  State state_ = State::kMaking;
  Nanoseconds now_{0};
  longshore_call last_call_ = 0;
  std::map<longshore_call, std::shared_ptr<CallRecord>> calls_;  // not finished
  std::map<longshore_call, std::string> finished_calls_;         // their methods
  std::multimap<Nanoseconds, PostedFunction> posts_;             // by when they are due
  longshore_timer last_timer_ = 0;
  std::string degraded_;
  std::set<std::string, std::less<>> full_bulkheads_;
  std::vector<std::string> bulkheads_;  // as calls have set them
  longshore_invocation last_invocation_ = 0;
  std::map<longshore_invocation, std::shared_ptr<Invocation>> invocations_;
  std::map<std::string, std::function<Answer(std::string_view)>, std::less<>> answers_;
  std::set<std::string, std::less<>> held_;
  std::map<std::string, std::vector<std::string>, std::less<>> invoked_;  // requests by method
  std::vector<LogLine> log_;
  std::vector<std::string> violations_;
  mutable size_t violations_read_ = 0;
  size_t running_handlers_ = 0;  // on threads of their own
  std::vector<std::thread> threads_;
};

// The functions of abi.h on a session.
longshore_host make_host_table(Session& session);

}  // namespace longshore::testing
