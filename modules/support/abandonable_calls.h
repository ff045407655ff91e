// Makes calls that may hang in the kernel, and waits no longer for them than somebody wants them.
//
// What asks a dead server may hang where nothing ends it but the kernel or the end of the process;
// so it is done on a thread of its own, one for each key at most, and so many in all. Who comes for
// a key meanwhile waits for his turn; while one hangs for which nobody waits any more, nobody else
// asks under its key. An answer that comes too late is dropped on that thread, for letting go of it
// may wait for the server too.
//
// Threads: any number at once. Owner: on destruction it waits for what still hangs.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "longshore/deadline.hpp"

namespace longshore::support {

template <typename Answer>
class AbandonableCalls {
 public:
  using Call = std::function<Answer()>;
  // The answer when there is none: ETIMEDOUT, the deadline is exceeded; EALREADY, an earlier call
  // under the key was given up and has not ended; EAGAIN, there are too many calls; or why no
  // thread could be started.
  using Unanswered = std::function<Answer(const std::error_code&)>;

  // `most_calls` at once: whoever makes up keys, as the names of hosts, must not get a thread for
  // each.
  explicit AbandonableCalls(size_t most_calls) : most_calls_(most_calls) {}
  AbandonableCalls(const AbandonableCalls&) = delete;
  AbandonableCalls& operator=(const AbandonableCalls&) = delete;
  ~AbandonableCalls() {
    for (auto& [key, running] : running_) running.thread.join();
  }

  // `call` owns all that it needs: it may outlive the caller. What it throws in time, run() throws.
  Answer run(const std::string& key, const Deadline& deadline, Call call,
             const Unanswered& unanswered) {
    std::unique_lock lock(mutex_);
    const auto refuse = [&](std::errc error) {
      lock.unlock();  // it may ask what is foreign code, here as below
      return unanswered(std::make_error_code(error));
    };
    const auto has_turn = [&] {
      reap();
      const auto before = running_.find(key);
      return before == running_.end() || before->second.is_late;
    };
    if (deadline.await(ended_, lock, {}, has_turn)) return refuse(std::errc::timed_out);
    if (running_.contains(key)) return refuse(std::errc::connection_already_in_progress);
    if (running_.size() >= most_calls_) {
      return refuse(std::errc::resource_unavailable_try_again);
    }
    const Entry entry = running_.try_emplace(key).first;
    Running& running = entry->second;
    if (const std::error_code error = start(running, std::move(call))) {
      running_.erase(entry);
      lock.unlock();
      return unanswered(error);
    }
    if (deadline.await(ended_, lock, {}, [&] { return running.has_ended; })) {
      running.is_late = true;
      ended_.notify_all();
      lock.unlock();
      return unanswered(std::make_error_code(std::errc::timed_out));
    }
    const Running done = take(entry, lock);
    if (done.failure) std::rethrow_exception(done.failure);
    return std::move(*done.answer);
  }

  // Those that have not ended.
  size_t count() {
    const std::lock_guard lock(mutex_);
    reap();
    return running_.size();
  }

 private:
  struct Running {
    std::thread thread;
    bool has_ended = false;
    bool is_late = false;  // nobody waits for it any more
    std::unique_ptr<Answer> answer;
    std::exception_ptr failure;
  };
  using Entry = typename std::map<std::string, Running>::iterator;

  std::error_code start(Running& running, Call call) {
    try {
      running.thread =
          std::thread([this, &running, call = std::move(call)]() mutable { make(running, call); });
      return {};
    } catch (const std::system_error& error) {
      return error.code();
    } catch (const std::bad_alloc&) {
      return std::make_error_code(std::errc::not_enough_memory);
    }
  }

  // On the call's own thread.
  void make(Running& running, Call& call) {
    std::unique_ptr<Answer> answer;
    std::exception_ptr failure;
    try {
      answer = std::make_unique<Answer>(call());
    } catch (...) {
      failure = std::current_exception();
    }
    call = nullptr;  // secrets that it holds go now
    std::unique_lock lock(mutex_);
    if (running.is_late) {
      lock.unlock();
      answer.reset();
      lock.lock();
    }
    running.answer = std::move(answer);
    running.failure = std::move(failure);
    running.has_ended = true;
    ended_.notify_all();
  }

  Running take(Entry entry, std::unique_lock<std::mutex>& lock) {
    Running done = std::move(entry->second);
    running_.erase(entry);
    ended_.notify_all();
    lock.unlock();
    done.thread.join();
    return done;
  }

  void reap() {
    for (auto entry = running_.begin(); entry != running_.end();) {
      Running& running = entry->second;
      if (running.has_ended && running.is_late) {
        running.thread.join();
        entry = running_.erase(entry);
      } else {
        ++entry;
      }
    }
  }

  const size_t most_calls_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::map<std::string, Running> running_;
};

}  // namespace longshore::support
