// Carries answers from any thread to the executor of their connection: one wake-up for all that
// come at once.
//
// Threads: put() from any; the rest on the connection's executor. Owner: shared by the connection
// and its streams, because an answer may come when the connection is gone.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "longshore/result.hpp"
#include "rpc/executor_thread.h"
#include "rpc/memory_account.h"
#include "rpc/metadata.h"

namespace longshore::rpc {

class ServerCall;

// What somebody wants to say to a client.
struct Response {
  std::shared_ptr<ServerCall> call;
  std::string message;
  MemoryCharge held;  // for the message
  bool has_message = false;
  bool finishes = false;
  bool fails = false;  // there was no memory for the message: code and text say so
  StatusCode code = StatusCode::kOk;
  std::string text;
  Metadata trailers;
};

// Who takes them out.
class ResponseReceiver {
 public:
  // Items are waiting.
  virtual void on_responses() = 0;

 protected:
  ~ResponseReceiver() = default;
};

// What the responses of one connection may hold until they are sent.
struct UnsentLimits {
  std::shared_ptr<MemoryAccount> account;
  size_t of_stream;       // Limits::stream_unsent_bytes
  size_t high_watermark;  // Limits::unsent_high_watermark
};

class ResponseInbox : public std::enable_shared_from_this<ResponseInbox> {
 public:
  ResponseInbox(boost::asio::any_io_executor executor, UnsentLimits unsent, ExecutorThread* thread)
      : executor_(std::move(executor)), unsent_(std::move(unsent)), thread_(thread) {}

  // For those too who outlive the connection.
  const UnsentLimits& unsent() const { return unsent_; }

  // Whether the client leaves so much unread that nothing should be added, `part` of the mark. If
  // so, ends_congestion() tells when that has changed. [any thread]
  bool is_congested(size_t part = 1) {
    const size_t mark = unsent_.high_watermark / part;
    if (unsent_.account->used() < mark) return false;
    congested_.store(true);
    // What was sent meanwhile did not see the flag.
    return unsent_.account->used() >= mark;
  }
  // Whether somebody found it congested, and it is so no more. [executor]
  bool ends_congestion() {
    return congested_.load(std::memory_order_relaxed) &&
           unsent_.account->used() < unsent_.high_watermark / 4 && congested_.exchange(false);
  }

  // How many calls somebody still works on. [any thread]
  void call_begins() { calls_alive_.fetch_add(1, std::memory_order_relaxed); }
  void call_ends() { calls_alive_.fetch_sub(1, std::memory_order_relaxed); }
  size_t calls_alive() const { return calls_alive_.load(std::memory_order_relaxed); }

  void set_receiver(std::weak_ptr<ResponseReceiver> receiver) { receiver_ = std::move(receiver); }

  // Runs the executor, and calls between two handlers; null where nothing does.
  ExecutorThread* executor_thread() const { return thread_; }

  // Within a turn, answers of this thread need no wake-up.
  void enter_turn() { turn_thread_.store(std::this_thread::get_id(), std::memory_order_relaxed); }
  void leave_turn() { turn_thread_.store(std::thread::id{}, std::memory_order_relaxed); }
  bool in_turn() const {
    return turn_thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }

  void put(Response response);
  // Runs `act` on the executor, unless the receiver has gone by then. [any thread]
  void post(std::function<void()> act);

  // Moves what waits to `answers`, which is empty before. False: nothing.
  bool take(std::vector<Response>& responses);

  // Drops what waits and what comes.
  void close();

 private:
  const boost::asio::any_io_executor executor_;
  const UnsentLimits unsent_;
  ExecutorThread* const thread_;
  std::weak_ptr<ResponseReceiver> receiver_;
  std::atomic<std::thread::id> turn_thread_{};
  std::atomic<bool> waiting_{false};  // items_ is not empty
  std::atomic<size_t> calls_alive_{0};
  std::atomic<bool> congested_{false};

  std::mutex mutex_;
  std::vector<Response> items_;  // guarded by mutex_
  bool closed_ = false;          // guarded by mutex_
};

}  // namespace longshore::rpc
