#include "router/worker_pool.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#if defined(__linux__)
#include <pthread.h>
#endif

#include "observe/crash_handler.h"
#include "router/blocked_signals.h"
#include "router/memory_return.h"

namespace longshore::router {
namespace {

constexpr std::chrono::milliseconds kPatience{1};
// What a thread keeps for itself, its stack and small blocks that the C library has ready for it,
// is free by the time that memory is given back.
#if !defined(_WIN32)
constexpr std::chrono::seconds kIdleTime{2};
static_assert(kIdleTime < MemoryReturn::kQuietTime);
#else
// The end of a thread may end what it has begun to write to a pipe, too.
constexpr std::chrono::seconds kIdleTime{10};
#endif

void name_this_thread([[maybe_unused]] const std::string& name) {
#if defined(__linux__)
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
#endif
}

thread_local const void* pool_of_this_thread = nullptr;

class FunctionWork final : public Work {
 public:
  explicit FunctionWork(std::function<void()> function) : function_(std::move(function)) {}
  void run() override { function_(); }

 private:
  const std::function<void()> function_;
};

}  // namespace

std::shared_ptr<Work> work_of(std::function<void()> function) {
  return std::make_shared<FunctionWork>(std::move(function));
}

// Also the timer that looks, a millisecond later, whether a backlog needs one thread more.
class WorkerPool::State : public Timer {
 public:
  State(Timers& timers, std::string name, size_t max_threads)
      : timers_(timers), name_(std::move(name)), max_threads_(max_threads) {}

  void post(std::shared_ptr<Work> work) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    queue_.push_back({std::move(work), Clock::now()});
    if (threads_ == 0) {
      start_thread();
    } else if (idle_ > 0) {
      available_.notify_one();
    }
    if (queue_.size() > idle_) watch_backlog();
  }

  void change_limit(bool more) {
    const std::lock_guard lock(mutex_);
    more ? ++max_threads_ : --max_threads_;
    if (!queue_.empty()) watch_backlog();
  }

  // What waits may hold the owner of this pool, which would keep itself alive.
  void stop() {
    std::deque<Waiting> forgotten;  // unlocked
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    forgotten.swap(queue_);
    available_.notify_all();
  }

  bool wait_for_end(Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return ended_.wait_until(lock, deadline, [&] { return threads_ == 0; });
  }

  void detach() {
    stop();
    timers_.disarm(*this);
  }

  size_t threads() const {
    const std::lock_guard lock(mutex_);
    return threads_;
  }

  void on_time() override {
    const std::lock_guard lock(mutex_);
    watching_ = false;
    if (stopping_ || queue_.empty() || threads_ >= max_threads_) return;
    if (Clock::now() - queue_.front().posted >= kPatience) start_thread();
    watch_backlog();
  }

 private:
  struct Waiting {
    std::shared_ptr<Work> work;
    Clock::time_point posted;
  };

  void watch_backlog() {
    if (watching_ || stopping_ || threads_ >= max_threads_) return;
    watching_ = true;
    timers_.arm(*this, Clock::now() + kPatience);
  }

  // Where the system gives no thread, the work waits and the next watch tries again; its deadline
  // tells its caller in time.
  void start_thread() {
    const BlockedSignals blocked;  // it may be a thread of an embedder's that posts
    try {
      std::thread([self = std::static_pointer_cast<State>(shared_from_this())] {
        name_this_thread(self->name_);
        self->work();
      }).detach();
      ++threads_;  // locked, so it cannot have ended yet, nor before it was detached
    } catch (const std::system_error&) {
    }
  }

  void work() {
    const observe::CrashStack crash_stack;
    pool_of_this_thread = this;
    std::unique_lock lock(mutex_);
    while (wait_for_work(lock)) {
      std::shared_ptr<Work> work = std::move(queue_.front().work);
      queue_.pop_front();
      lock.unlock();
      work->run();
      work.reset();  // what it kept may be the last to hold this pool
      lock.lock();
    }
    --threads_;
    ended_.notify_all();
  }

  // False when this thread should end.
  bool wait_for_work(std::unique_lock<std::mutex>& lock) {
    if (threads_ > max_threads_) return false;  // a lost thread has come back
    if (!queue_.empty()) return !stopping_;
    if (stopping_) return false;
    ++idle_;
    const bool called =
        available_.wait_for(lock, kIdleTime, [&] { return stopping_ || !queue_.empty(); });
    --idle_;
    return called && !stopping_;
  }

  Timers& timers_;
  const std::string name_;
  mutable std::mutex mutex_;
  std::condition_variable available_;
  std::condition_variable ended_;
  std::deque<Waiting> queue_;
  size_t max_threads_;
  size_t threads_ = 0;
  size_t idle_ = 0;
  bool watching_ = false;
  bool stopping_ = false;
};

WorkerPool::WorkerPool(Timers& timers, std::string name, size_t max_threads)
    : state_(std::make_shared<State>(timers, std::move(name), max_threads)) {}

WorkerPool::~WorkerPool() { state_->detach(); }

void WorkerPool::post(std::shared_ptr<Work> work) { state_->post(std::move(work)); }
void WorkerPool::thread_lost() { state_->change_limit(true); }
void WorkerPool::thread_returned() { state_->change_limit(false); }
size_t WorkerPool::threads() const { return state_->threads(); }
bool WorkerPool::is_this_thread() const { return pool_of_this_thread == state_.get(); }

bool WorkerPool::drain(Clock::time_point deadline) {
  state_->stop();
  return state_->wait_for_end(deadline);
}

}  // namespace longshore::router
