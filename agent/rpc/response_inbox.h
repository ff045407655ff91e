// Carries answers from any thread to the executor of their connection: one wake-up for all that
// come at once.
//
// Threads: put() from any; the rest on the connection's executor. Owner: shared by the connection
// and its streams, because an answer may come when the connection is gone.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "longshore/result.hpp"
#include "rpc/executor_thread.h"
#include "rpc/metadata.h"

namespace longshore::rpc {

class ServerCall;

// What somebody wants to say to a client.
struct Response {
  std::shared_ptr<ServerCall> call;
  std::string message;
  size_t bytes = 0;  // of the message before compression
  bool has_message = false;
  bool compressed = false;
  bool finishes = false;
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

class ResponseInbox : public std::enable_shared_from_this<ResponseInbox> {
 public:
  ResponseInbox(boost::asio::any_io_executor executor, size_t stream_unsent_bytes,
                ExecutorThread* thread)
      : executor_(std::move(executor)),
        stream_unsent_bytes_(stream_unsent_bytes),
        thread_(thread) {}

  // Limits::stream_unsent_bytes, for those who outlive the connection.
  size_t stream_unsent_bytes() const { return stream_unsent_bytes_; }

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

  // Moves what waits to `answers`, which is empty before. False: nothing.
  bool take(std::vector<Response>& responses);

  // Drops what waits and what comes.
  void close();

 private:
  const boost::asio::any_io_executor executor_;
  const size_t stream_unsent_bytes_;
  ExecutorThread* const thread_;
  std::weak_ptr<ResponseReceiver> receiver_;
  std::atomic<std::thread::id> turn_thread_{};
  std::atomic<bool> waiting_{false};  // items_ is not empty
  std::atomic<size_t> calls_alive_{0};

  std::mutex mutex_;
  std::vector<Response> items_;  // guarded by mutex_
  bool closed_ = false;          // guarded by mutex_
};

}  // namespace longshore::rpc
