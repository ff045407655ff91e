#include "endpoint/io_threads.h"

#include <atomic>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <pthread.h>
#endif

#include "endpoint/late_pools.h"
#include "endpoint/thread_activity.h"
#include "observe/crash_handler.h"

namespace longshore::endpoint {

using router::Clock;
using router::Work;
using router::WorkerPool;

namespace {

// So many calls that each took so long are not quick ones that had to wait for a processor.
constexpr std::chrono::microseconds kLongCall{100};
constexpr size_t kLongCalls = 4;

// What a thread of Windows has begun to read may be lost with its end: under Wine the bytes that
// come at that moment are. So a thread that was left behind stands by again when one is wanted.
#if defined(_WIN32)
constexpr bool kKeepsThreads = true;
#else
constexpr bool kKeepsThreads = false;
#endif

// What a thread knows of its lead.
struct Lead {
  const void* threads = nullptr;  // that it leads, or has led
  uint64_t turn = 0;              // as it has made it
  bool in_call = false;
};
thread_local Lead lead;

}  // namespace

class IoThreads::State : public std::enable_shared_from_this<State> {
 public:
  State(boost::asio::io_context& io, Patience patience)
      : io_(io), patience_(patience), late_pools_(patience.with_pools) {}

  bool run() {
    std::unique_lock lock(mutex_);
    over_ = false;
    start_thread([](State& state) {
      {
        const std::lock_guard begun(state.mutex_);
        state.begin_to_lead(state.turn_);
      }
      state.serve();
    });
    start_thread([](State& state) { state.stand_by(); });
    ended_.wait(lock, [&] { return over_ && serving_ == 0; });
    return ended_.wait_for(lock, patience_.at_the_end, [&] { return threads_ == 0; });
  }

  void run_soon(std::shared_ptr<Work> work, WorkerPool& pool) {
    const auto take = [&] {
      if (late_pools_.contains(&pool)) return;
      calls_.push_back({std::move(work), &pool});
    };
    const bool is_taken = run_here(std::cref(take));  // by reference: nothing is allocated
    if (!is_taken || work) pool.post(std::move(work));
  }

  // A call is stepped out of and into again: meanwhile nobody can take the lead.
  bool run_here(const std::function<void()>& act) {
    if (lead.threads != this) return false;
    if (!lead.in_call) {
      act();
      return true;
    }
    if (!leave_call()) return false;
    act();
    enter_call();
    return true;
  }

  void defer(std::shared_ptr<rpc::Deferred> deferred) { deferred_.push_back(std::move(deferred)); }

 private:
  struct BegunCall {
    std::shared_ptr<Work> work;
    WorkerPool* pool;
  };
  // A call that has been found late, and what the leader did at that time.
  struct Late {
    bool is_seen = false;
    ThreadActivity first;
  };

  // Locked. Counts the thread as serving until it says otherwise. Throws std::system_error where
  // the system has no thread for it. The lock keeps the thread from its end until it is detached.
  template <typename Function>
  void start_thread(Function function) {
    std::thread([self = shared_from_this(), function] {
#if defined(__linux__)
      pthread_setname_np(pthread_self(), "io");
#endif
      const observe::CrashStack crash_stack;
      function(*self);
      if (kKeepsThreads) self->stand_by_again();
      lead = {};
      const std::lock_guard lock(self->mutex_);
      --self->threads_;
      self->ended_.notify_all();
    }).detach();
    ++serving_;
    ++threads_;
  }

  void stop_serving(bool context_is_over) {
    const std::lock_guard lock(mutex_);
    --serving_;
    over_ = over_ || context_is_over;
    changed_.notify_all();
    wanted_.notify_all();
    ended_.notify_all();
  }

  // Locked.
  void begin_to_lead(uint64_t turn) {
    lead = {this, turn, false};
    leader_ = std::make_unique<ThreadObserver>();
  }

  // As the leader, until another is.
  void serve() {
    while (io_.run_one() != 0) {
      if (!calls_.empty() && !run_calls()) return;
      if (!deferred_.empty()) run_deferred();
    }
    stop_serving(true);
  }

  // False when this thread has been left behind; it does not count as serving then.
  bool run_calls() {
    auto now = Clock::now();
    const auto enough = now + patience_.with_a_call;
    size_t long_calls = 0;
    // No more than there are now: what they answer wants to be written too.
    for (size_t count = calls_.size(); count > 0 && now < enough; --count) {
      BegunCall call = std::move(calls_.front());
      calls_.pop_front();
      pool_of_call_ = call.pool;
      enter_call();
      call.work->run();
      call.work.reset();
      if (!leave_call()) return false;
      const auto before = std::exchange(now, Clock::now());
      if (now - before >= kLongCall) ++long_calls;
    }
    if (now >= enough && long_calls >= kLongCalls) {
      give_to_pools([](const BegunCall&) { return true; });
    }
    if (!calls_.empty()) boost::asio::post(io_, [] {});  // come back to them
    return true;
  }

  void run_deferred() {
    running_.swap(deferred_);
    for (const auto& each : running_) each->run_deferred();
    running_.clear();
  }

  template <typename Which>
  void give_to_pools(Which which) {
    for (BegunCall& call : std::exchange(calls_, {})) {
      if (which(call)) {
        call.pool->post(std::move(call.work));
      } else {
        calls_.push_back(std::move(call));
      }
    }
  }

  // ---- Being in a call: the turn is odd. Whoever makes it even leads. ----

  static bool is_in_call(uint64_t turn) { return turn % 2 != 0; }

  void enter_call() {
    lead.in_call = true;
    turn_.store(++lead.turn);
    if (standby_sleeps_.load()) wake_standby();
  }

  bool leave_call() {
    uint64_t turn = lead.turn;
    lead.in_call = false;
    if (turn_.compare_exchange_strong(turn, lead.turn + 1)) {
      ++lead.turn;
      return true;
    }
    lead.threads = nullptr;  // left behind
    return false;
  }

  void wake_standby() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

  void stand_by() {
    std::unique_lock lock(mutex_);
    uint64_t seen = turn_;
    Late late;
    while (!over_) {
      if (const uint64_t turn = turn_; turn != seen) {
        seen = turn;
        late = {};
      } else if (!is_in_call(turn)) {
        sleep_until_a_call(lock, turn);
        continue;
      } else if (is_held_up(late) && has_successor()) {
        return take_the_lead(std::move(lock), turn);
      }
      changed_.wait_for(lock, patience_.with_a_call, [&] { return over_; });
    }
    lock.unlock();
    stop_serving(false);
  }

  // As often as somebody wants it to, until all is over.
  void stand_by_again() {
    std::unique_lock lock(mutex_);
    for (++left_behind_;; ++left_behind_) {
      wanted_.wait(lock, [&] { return over_ || called_back_ > 0; });
      --left_behind_;
      if (called_back_ == 0) return;
      --called_back_;
      lock.unlock();
      lead = {};
      stand_by();
      lock.lock();
    }
  }

  // Asleep while nothing goes on, so that an idle agent does not wake up.
  void sleep_until_a_call(std::unique_lock<std::mutex>& lock, uint64_t turn) {
    standby_sleeps_ = true;
    changed_.wait(lock, [&] { return over_ || turn_ != turn; });
    standby_sleeps_ = false;
  }

  bool is_held_up(Late& late) {
    const ThreadActivity now = leader_->look();
    if (!std::exchange(late.is_seen, true)) late.first = now;
    return endpoint::is_held_up(late.first, now, patience_.with_a_call);
  }

  // Locked. Finds or starts the thread that stands by next. Without one this goes on standing by:
  // sockets wait for a call that blocks, until it ends or there is a thread.
  bool has_successor() {
    if (left_behind_ > called_back_) {
      ++called_back_;
      ++serving_;
      wanted_.notify_one();
      return true;
    }
    try {
      start_thread([](State& state) { state.stand_by(); });
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  void take_the_lead(std::unique_lock<std::mutex> lock, uint64_t turn) {
    if (!turn_.compare_exchange_strong(turn, turn + 1)) {  // it came back: the successor stands by
      --serving_;
      ended_.notify_all();
      return;
    }
    --serving_;  // the thread that is left behind
    begin_to_lead(turn + 1);
    lock.unlock();
    late_pools_.add(pool_of_call_);
    give_to_pools([&](const BegunCall& call) { return call.pool == pool_of_call_; });
    if (!calls_.empty()) boost::asio::post(io_, [] {});
    run_deferred();
    serve();
  }

  boost::asio::io_context& io_;  // lives until run() has returned
  const Patience patience_;

  // The leader's, and nobody's while it is in a call.
  std::deque<BegunCall> calls_;
  std::vector<std::shared_ptr<rpc::Deferred>> deferred_;
  std::vector<std::shared_ptr<rpc::Deferred>> running_;  // kept for its memory
  LatePools late_pools_;
  WorkerPool* pool_of_call_ = nullptr;

  std::atomic<uint64_t> turn_{0};
  std::atomic<bool> standby_sleeps_{false};

  std::mutex mutex_;
  std::condition_variable changed_;         // for the one that stands by
  std::condition_variable ended_;           // for run()
  std::condition_variable wanted_;          // for those that were left behind
  std::unique_ptr<ThreadObserver> leader_;  // of the thread that leads
  size_t left_behind_ = 0;                  // threads that wait to be called back
  size_t called_back_ = 0;                  // so many of them are
  size_t serving_ = 0;                      // threads that lead or stand by
  size_t threads_ = 0;                      // those, and the ones that were left behind
  bool over_ = false;
};

IoThreads::IoThreads(boost::asio::io_context& io, Patience patience)
    : state_(std::make_shared<State>(io, patience)) {}

IoThreads::~IoThreads() = default;

bool IoThreads::run() { return state_->run(); }

void IoThreads::run_soon(std::shared_ptr<Work> work, WorkerPool& pool) {
  state_->run_soon(std::move(work), pool);
}

bool IoThreads::run_here(const std::function<void()>& act) { return state_->run_here(act); }

void IoThreads::defer(std::shared_ptr<rpc::Deferred> deferred) {
  state_->defer(std::move(deferred));
}

}  // namespace longshore::endpoint
