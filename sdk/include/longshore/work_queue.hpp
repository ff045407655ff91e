// What a controller has yet to look at, by key: client-go's rate limiting work queue.
//
//   queue_.emplace(host(), "shelves", [this](const std::string& key) { return reconcile(key); });
//   queue_->add("shelf 7");
//
//   add ────────► queued ──a worker is free──► running ──done──► forgotten
//                  ▲  ▲                         │  │
//                  │  └───── added meanwhile ───┘  │
//   add_after ──► delayed ◄──── failed: back-off ──┘
//
// A key is never handled by two at once. It is queued once and delayed once, however often it is
// added; of two delays the one that is over earlier counts. `add` ends no delay: when that is over,
// the key is queued again. The back-off doubles with each failure, until the key is done.
//
// Needs an agent of ABI 0.2 (`kAbiMinorNeeded`). Holds no thread while nothing is queued, and
// memory only for keys that are queued, delayed or running, each with why it failed last, and for
// the last tries of all, which are bounded (work_queue_history.hpp). Threads: any. Handlers run on
// the instance's pool and may block. Owner: the module, from its `start` on; it stops the queue in
// its `stop`.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "longshore/abi.h"
#include "longshore/context.hpp"
#include "longshore/result.hpp"
#include "longshore/work_queue_history.hpp"

namespace longshore {

class WorkQueue {
 public:
  // Does what there is to do for a key. An error, or an exception, is logged with the key, which is
  // tried again later. Where that would be of no use the answer is OK.
  using Handler = std::function<Result<void>(const std::string& key)>;

  struct Options {
    size_t workers = 1;  // handlers that run at once, at least 1
    // The back-off after a key's first failure, and the most that it becomes.
    std::chrono::nanoseconds first_delay = std::chrono::milliseconds(5);
    std::chrono::nanoseconds most_delay = std::chrono::seconds(1000);
    // What keys name, for who asks for one: "va" of "va/csi-0a1b". Empty: the queue's name.
    std::string_view kind = {};
    // The same as kubectl prints it, which people copy: "volumeattachments.storage.k8s.io". Its
    // singular, and both without the group, are taken as well.
    std::string_view resource = {};
    // For the last tries of all keys; of one that has failed the last is kept anyway until it is
    // done. 0: none are kept.
    size_t history_bytes = size_t{256} << 10;
  };

  // How many took up to 10 ns, up to 100 ns but longer than that, and so on up to 10 s, or longer.
  struct Durations {
    static constexpr size_t kBuckets = 11;

    void add(std::chrono::nanoseconds time) {
      size_t bucket = 0;
      for (int64_t end = 10; bucket + 1 < kBuckets && time.count() > end; end *= 10) ++bucket;
      ++buckets[bucket];
      total += time;
    }

    std::array<uint64_t, kBuckets> buckets{};
    std::chrono::nanoseconds total{0};
  };

  // As client-go counts for its metrics of these names.
  struct Metrics {
    size_t depth = 0;      // keys that are queued
    uint64_t adds = 0;     // times that a key was queued
    uint64_t retries = 0;  // times that a key was to be delayed: failures, and calls of add_after
    Durations waited;      // keys, from when they were queued until their handler began
    Durations worked;      // handlers that are over
    std::chrono::nanoseconds unfinished{0};       // how long those have run that run, together
    std::chrono::nanoseconds longest_running{0};  // the one of these that began first
    size_t running = 0;                           // handlers
    size_t delayed = 0;                           // keys that are neither queued nor running
    std::chrono::nanoseconds oldest{0};           // how long that key is queued which is so longest
  };

  // What is known of a key.
  struct KeyStatus {
    using Time = std::chrono::steady_clock::time_point;

    bool is_queued = false;
    bool is_running = false;  // with `is_queued`: it was added meanwhile
    std::optional<Time> next_try;
    Time since{};        // it runs, or else is queued, or else waits for its next try, or is done
    uint64_t tries = 0;  // since it was last done, with the one that runs
    std::vector<WorkQueueHistory::Try> last_tries;  // that are over, the oldest first
  };

  // `host` is Module::host(). `name` is the queue's in the log: "shelves".
  WorkQueue(const longshore_host* host, std::string name, Handler handler)
      : WorkQueue(host, std::move(name), std::move(handler), Options{}) {}
  WorkQueue(const longshore_host* host, std::string name, Handler handler, Options options)
      : state_(std::make_shared<State>(host, std::move(name), std::move(handler), options)) {}
  ~WorkQueue() { stop(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Has the key handled as soon as a worker is free, and once more if it is being handled. Does
  // nothing once the queue or the instance is stopped.
  void add(const std::string& key) {
    const std::lock_guard lock(state_->mutex);
    if (!state_->is_stopped) state_->enqueue(*state_->keys.try_emplace(key).first);
  }

  // The same after `delay`: at once if it is not over 0, a year at most.
  void add_after(const std::string& key, std::chrono::nanoseconds delay) {
    const std::lock_guard lock(state_->mutex);
    if (!state_->is_stopped) state_->enqueue_after(*state_->keys.try_emplace(key).first, delay);
  }

  // For good: no handler begins any more, and none runs when this returns, however long that takes.
  // So it must not be called in a handler, nor under a lock that one takes. Twice is harmless.
  void stop() {
    Handler handler;  // what it holds is freed without the lock
    std::unique_lock lock(state_->mutex);
    state_->is_stopped = true;
    for (auto& [key, status] : state_->keys) state_->end_delay(status);
    state_->handler_returned.wait(lock, [this] { return state_->running == 0; });
    state_->queued.clear();
    state_->keys.clear();
    state_->metrics.depth = 0;
    std::swap(handler, state_->handler);
  }

  const std::string& name() const { return state_->name; }
  const std::string& kind() const { return state_->kind; }
  // Whether who asks for a key so means one of this queue.
  bool takes_kind(std::string_view asked) const {
    return asked == state_->kind || names_resource(asked, state_->resource);
  }

  // Nothing: it is not there, and was not so lately that it is remembered.
  std::optional<KeyStatus> status(const std::string& key) const {
    const std::lock_guard lock(state_->mutex);
    KeyStatus known{.last_tries = state_->history.of(key)};
    const auto found = state_->keys.find(key);
    if (found == state_->keys.end() && known.last_tries.empty()) return std::nullopt;
    if (known.last_tries.empty() && found->second.failed) {
      known.last_tries.push_back(*found->second.failed);
    }
    if (!known.last_tries.empty()) {
      known.since =
          known.last_tries.back().began_at +
          std::chrono::duration_cast<KeyStatus::Time::duration>(known.last_tries.back().took);
    }
    if (found == state_->keys.end()) return known;
    const Status& status = found->second;
    known.is_queued = status.is_queued;
    known.is_running = status.is_running;
    known.tries = status.tries;
    if (status.delayed) {
      known.next_try = status.due;
      known.since = status.delayed_at;
    }
    if (status.is_queued) known.since = status.queued_at;
    if (status.is_running) known.since = status.began_at;
    return known;
  }

  Metrics metrics() const {
    const std::lock_guard lock(state_->mutex);
    Metrics metrics = state_->metrics;
    const auto now = std::chrono::steady_clock::now();
    for (const auto& [key, status] : state_->keys) {
      if (status.is_queued) {
        metrics.oldest = std::max<std::chrono::nanoseconds>(metrics.oldest, now - status.queued_at);
      }
      if (!status.is_running) {
        if (!status.is_queued) ++metrics.delayed;
        continue;
      }
      const std::chrono::nanoseconds running = now - status.began_at;
      ++metrics.running;
      metrics.unfinished += running;
      metrics.longest_running = std::max(metrics.longest_running, running);
    }
    return metrics;
  }

 private:
  struct Posted;
  struct State;
  struct Status {
    bool is_queued = false;
    bool is_running = false;
    std::chrono::steady_clock::time_point queued_at;
    std::chrono::steady_clock::time_point began_at;  // its handler
    uint64_t tries = 0;                              // since it was last done
    std::chrono::nanoseconds back_off{0};            // of the last failure
    Posted* delayed = nullptr;                       // the end of its delay, if it has one
    longshore_timer timer = 0;                       // of `delayed`
    std::chrono::steady_clock::time_point due;       // of `delayed`
    std::chrono::steady_clock::time_point delayed_at;
    std::unique_ptr<WorkQueueHistory::Try> failed;  // its last try, if that has
  };
  static bool names_resource(std::string_view asked, std::string_view resource) {
    const std::string_view plural = resource.substr(0, resource.find('.'));
    const std::string_view group = resource.substr(plural.size());
    if (plural.empty()) return false;
    if (asked.ends_with(group)) asked.remove_suffix(group.size());
    return asked == plural ||
           (plural.ends_with('s') && asked == plural.substr(0, plural.size() - 1));
  }

  using Key = std::pair<const std::string, Status>;
  // What is left with the agent: a worker's next turn, or the end of a key's delay.
  struct Posted {
    std::shared_ptr<State> state;
    Key* key = nullptr;  // of a delay; null once that does not count any more
  };

  // Shared with what the agent still has when the queue is gone. Functions but `handle` want the
  // lock.
  struct State : std::enable_shared_from_this<State> {
    State(const longshore_host* agent, std::string title, Handler function, Options chosen)
        : host(agent),
          name(std::move(title)),
          kind(chosen.kind.empty() ? name : chosen.kind),
          resource(chosen.resource),
          options(chosen),
          handler(std::move(function)),
          history(chosen.history_bytes) {}

    void enqueue(Key& key) {
      Status& status = key.second;
      if (status.is_queued) return;
      if (!status.is_running) queued.push_back(&key);
      status.is_queued = true;
      status.queued_at = std::chrono::steady_clock::now();
      ++metrics.adds;
      ++metrics.depth;
      if (status.is_running || workers >= std::max<size_t>(options.workers, 1)) return;
      post(std::make_unique<Posted>(Posted{shared_from_this()}));
    }

    // A timer for each key: one for all would have to know the host's time, which the ABI has not.
    void enqueue_after(Key& key, std::chrono::nanoseconds delay) {
      ++metrics.retries;
      if (delay <= delay.zero()) return enqueue(key);
      delay = std::min<std::chrono::nanoseconds>(delay, std::chrono::hours(24 * 365));
      Status& status = key.second;
      const auto now = std::chrono::steady_clock::now();
      const auto due = now + delay;
      if (status.delayed && status.due <= due) return;
      auto posted = std::make_unique<Posted>(Posted{shared_from_this(), &key});
      end_delay(status);
      if (!has(host, &longshore_host::set_timer) ||
          host->set_timer(host, delay.count(), &on_due, posted.get(), &status.timer) !=
              LONGSHORE_OK) {
        return refused();
      }
      status.delayed = posted.release();  // on_due frees it, or end_delay
      status.due = due;
      status.delayed_at = now;
    }

    void end_delay(Status& status) {
      Posted* const posted = std::exchange(status.delayed, nullptr);
      if (!posted) return;
      posted->key = nullptr;
      if (host->cancel_timer(host, status.timer) == LONGSHORE_OK) delete posted;
    }

    // A worker has one key a turn, so that between two of them the pool's thread is for others.
    void post(std::unique_ptr<Posted> turn) {
      if (host->post(host, 0, &on_turn, turn.get()) != LONGSHORE_OK) return refused();
      static_cast<void>(turn.release());  // on_turn frees it
      ++workers;
    }

    void refused() {
      is_stopped = true;
      const std::string text = "the work queue " + name + " ends: the agent runs nothing later";
      host->log(host, LONGSHORE_LOG_ERROR, 0, to_bytes(text));
    }

    // Runs the handler, without the lock, for the key that has waited longest.
    void handle_next(std::unique_lock<std::mutex>& lock) {
      Key& key = *queued.front();
      Status& status = key.second;
      queued.pop_front();
      --metrics.depth;
      status.is_queued = false;
      status.is_running = true;
      status.began_at = std::chrono::steady_clock::now();
      metrics.waited.add(status.began_at - status.queued_at);
      ++status.tries;
      ++running;
      lock.unlock();
      WorkQueueHistory::Try last = handle(key.first);
      lock.lock();
      const bool is_done = last.is_done;
      --running;
      last.began_at = status.began_at;
      last.took = std::chrono::steady_clock::now() - status.began_at;
      metrics.worked.add(last.took);
      detail::contain(host, [&] { remember(key, std::move(last)); });
      handler_returned.notify_all();
      if (is_stopped) {
        status.is_running = false;
        return;
      }
      const auto least = std::min(options.first_delay, options.most_delay);
      status.back_off =
          is_done ? least.zero() : std::clamp(2 * status.back_off, least, options.most_delay);
      if (is_done) status.tries = 0;
      if (!is_done) enqueue_after(key, status.back_off);
      status.is_running = false;
      if (status.is_queued) return queued.push_back(&key);
      if (!status.delayed) keys.erase(keys.find(key.first));
    }

    void remember(Key& key, WorkQueueHistory::Try last) {
      if (options.history_bytes == 0) return;
      key.second.failed.reset();
      if (!last.is_done) {
        key.second.failed = std::make_unique<WorkQueueHistory::Try>(WorkQueueHistory::cut(last));
      }
      history.add(key.first, std::move(last));
    }

    // Its times are left out.
    WorkQueueHistory::Try handle(const std::string& key) const {
      WorkQueueHistory::Try outcome;
      Result<void> result;
      const auto thrown = detail::thrown_by([&] { result = handler(key); });
      outcome.is_done = !thrown && result;
      if (outcome.is_done) return outcome;
      detail::contain(host, [&] {
        outcome.error = thrown ? *thrown : result.error().message();
        const std::string text = "work queue " + name + ", \"" + key + "\": " + outcome.error;
        host->log(host, thrown ? LONGSHORE_LOG_ERROR : LONGSHORE_LOG_WARNING, 0, to_bytes(text));
      });
      return outcome;
    }

    // Both get CANCELLED when the instance is being stopped.
    static void on_turn(void* user, longshore_result answer) noexcept {
      std::unique_ptr<Posted> turn(static_cast<Posted*>(user));
      const std::shared_ptr<State> state = turn->state;
      std::unique_lock lock(state->mutex);
      if (answer != LONGSHORE_OK) state->is_stopped = true;
      if (!state->is_stopped && !state->queued.empty()) state->handle_next(lock);
      --state->workers;
      if (!state->is_stopped && !state->queued.empty()) state->post(std::move(turn));
    }
    static void on_due(void* user, longshore_result answer) noexcept {
      const std::unique_ptr<Posted> posted(static_cast<Posted*>(user));
      State& state = *posted->state;
      const std::lock_guard lock(state.mutex);
      if (answer != LONGSHORE_OK) state.is_stopped = true;
      if (!posted->key) return;
      posted->key->second.delayed = nullptr;
      if (!state.is_stopped) state.enqueue(*posted->key);
    }

    const longshore_host* const host;
    const std::string name;
    const std::string kind;
    const std::string resource;
    const Options options;  // but `kind` and `resource`, whose texts may be gone
    Handler handler;

    std::mutex mutex;
    std::condition_variable handler_returned;
    bool is_stopped = false;
    std::unordered_map<std::string, Status> keys;
    std::deque<Key*> queued;  // those that do not run
    size_t workers = 0;       // that have a turn, or wait for one
    size_t running = 0;       // handlers
    Metrics metrics;
    WorkQueueHistory history;
  };

  const std::shared_ptr<State> state_;
};

}  // namespace longshore
