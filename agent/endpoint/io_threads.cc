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

#if defined(__linux__)
#include <pthread.h>
#endif

namespace longshore::endpoint {

using router::Clock;
using router::Work;
using router::WorkerPool;

class IoThreads::State : public std::enable_shared_from_this<State> {
 public:
  State(boost::asio::io_context& io, Patience patience) : io_(io), patience_(patience) {}

  bool run() {
    std::unique_lock lock(mutex_);
    over_ = false;
    start_thread([number = ++leading_](State& state) {
      {
        const std::lock_guard begun(state.mutex_);
        state.leader_ = std::this_thread::get_id();
      }
      state.lead(number);
    });
    start_thread([](State& state) { state.stand_by(); });
    ended_.wait(lock, [&] { return over_ && serving_ == 0; });
    return ended_.wait_for(lock, patience_.at_the_end, [&] { return threads_ == 0; });
  }

  void run_soon(std::shared_ptr<Work> work, WorkerPool& pool) {
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      if (Clock::now() >= pools_until_) {
        calls_.push_back({std::move(work), &pool});
        has_calls_.store(true, std::memory_order_relaxed);
        wake = std::this_thread::get_id() != leader_;
      }
    }
    if (work) pool.post(std::move(work));
    if (wake) boost::asio::post(io_, [] {});
  }

 private:
  struct BegunCall {
    std::shared_ptr<Work> work;
    WorkerPool* pool;
  };

  // Locked. Counts the thread as serving until it says otherwise. Throws std::system_error where
  // the system has no thread for it.
  template <typename Function>
  void start_thread(Function function) {
    std::thread([self = shared_from_this(), function] {
#if defined(__linux__)
      pthread_setname_np(pthread_self(), "io");
#endif
      function(*self);
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
    ended_.notify_all();
  }

  // Leads as number `number`, until another does.
  void lead(uint64_t number) {
    while (io_.run_one() != 0) {
      if (has_calls_.load(std::memory_order_relaxed) && !run_calls(number)) return;
    }
    stop_serving(true);
  }

  // False when this thread has been left behind; it does not count as serving then.
  bool run_calls(uint64_t number) {
    std::unique_lock lock(mutex_);
    if (standby_sleeps_) changed_.notify_all();
    const auto enough = Clock::now() + patience_.with_a_call;
    // No more than there are now: answers want to be written too.
    for (size_t count = calls_.size(); count > 0 && Clock::now() < enough; --count) {
      std::shared_ptr<Work> work = std::move(calls_.front().work);
      calls_.pop_front();
      in_call_ = true;
      ++progress_;
      lock.unlock();
      work->run();
      work.reset();
      lock.lock();
      if (leading_ != number) return false;
    }
    in_call_ = false;
    if (Clock::now() >= enough) {
      give_to_pools(std::move(lock));
    } else {
      has_calls_.store(!calls_.empty(), std::memory_order_relaxed);
      if (!calls_.empty()) boost::asio::post(io_, [] {});  // come back to them
    }
    return true;
  }

  void give_to_pools(std::unique_lock<std::mutex> lock) {
    has_calls_.store(false, std::memory_order_relaxed);
    const std::deque<BegunCall> calls = std::exchange(calls_, {});
    lock.unlock();
    for (const BegunCall& call : calls) call.pool->post(call.work);
  }

  void stand_by() {
    std::unique_lock lock(mutex_);
    uint64_t seen = progress_;
    while (!over_) {
      // Asleep while nothing goes on, so that an idle agent does not wake up.
      if (!in_call_ && seen == progress_) {
        standby_sleeps_ = true;
        changed_.wait(lock, [&] { return over_ || in_call_ || seen != progress_; });
        standby_sleeps_ = false;
        if (over_) break;
      }
      seen = progress_;
      changed_.wait_for(lock, patience_.with_a_call, [&] { return over_; });
      if (in_call_ && seen == progress_ && !over_ && has_successor()) {
        return take_the_lead(std::move(lock));
      }
    }
    lock.unlock();
    stop_serving(false);
  }

  // Locked. Starts the thread that stands by next. Without one this goes on standing by: sockets
  // wait for a call that blocks, until it ends or there is a thread.
  bool has_successor() {
    try {
      start_thread([](State& state) { state.stand_by(); });
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  void take_the_lead(std::unique_lock<std::mutex> lock) {
    --serving_;  // the thread that is left behind
    in_call_ = false;
    leader_ = std::this_thread::get_id();
    const uint64_t number = ++leading_;
    pools_until_ = Clock::now() + patience_.with_pools;
    give_to_pools(std::move(lock));
    lead(number);
  }

  boost::asio::io_context& io_;  // lives until run() has returned
  const Patience patience_;
  std::atomic<bool> has_calls_{false};

  std::mutex mutex_;
  std::condition_variable changed_;  // for the one that stands by
  std::condition_variable ended_;    // for run()
  std::deque<BegunCall> calls_;
  std::thread::id leader_;
  uint64_t leading_ = 0;   // the number of the one that leads
  uint64_t progress_ = 0;  // calls begun by leaders
  bool in_call_ = false;   // the leader
  bool standby_sleeps_ = false;
  Clock::time_point pools_until_{};
  size_t serving_ = 0;  // threads that lead or stand by
  size_t threads_ = 0;  // those, and the ones that were left behind
  bool over_ = false;
};

IoThreads::IoThreads(boost::asio::io_context& io, Patience patience)
    : state_(std::make_shared<State>(io, patience)) {}

IoThreads::~IoThreads() = default;

bool IoThreads::run() { return state_->run(); }

void IoThreads::run_soon(std::shared_ptr<Work> work, WorkerPool& pool) {
  state_->run_soon(std::move(work), pool);
}

}  // namespace longshore::endpoint
