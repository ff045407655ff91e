// A connection that speaks HTTP/2: moves bytes between a Transport and an Http2Session.
//
// Reads, lets the session and its streams act on what came, and writes what they queued: one write
// for all that one read has caused. Owns the streams. Both roles derive from it.
//
// Threads: the transport's executor. Owner: a shared pointer of the user's; operations under way
// hold another.
//
//   open ──close_connection(), error, end of the session──► closed (on_connection_closed has run)
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "rpc/executor_thread.h"
#include "rpc/http2_session.h"
#include "rpc/limits.h"
#include "rpc/receive_budget.h"
#include "rpc/transport.h"

namespace longshore::rpc {

class Http2Connection : public TransportUser,
                        private Deferred,
                        public std::enable_shared_from_this<Http2Connection>,
                        protected Http2Events {
 public:
  void on_read(std::error_code error, size_t bytes) final;
  void on_written(std::error_code error) final;

  Http2Session& session() { return session_; }
  const Limits& limits() const { return limits_; }
  ReceiveBudget& receive_budget() { return receive_budget_; }
  boost::asio::any_io_executor executor() { return transport_->executor(); }

  // Runs `act` as one turn: streams may queue frames in it, which are written together at its end.
  // Within a turn it just runs.
  template <typename Act>
  void turn(Act&& act) {
    if (in_turn_) return act();
    const auto keep = shared_from_this();  // the owner may let go when it is told of the end
    enter_turn();
    act();
    leave_turn();
    flush();
  }

  // The same between two handlers of the executor: what is queued is written before the next one,
  // together with what else is queued until then.
  template <typename Act>
  void turn_written_later(ExecutorThread& thread, Act&& act) {
    const auto keep = shared_from_this();
    enter_turn();
    act();
    leave_turn();
    if (std::exchange(flush_is_deferred_, true)) return;
    thread.defer(std::shared_ptr<Deferred>(keep, static_cast<Deferred*>(this)));
  }

  // Ends at once, or at the end of the turn that is under way. The reason is for the log.
  void close_connection(std::string reason);

  void forget_stream(const Http2Stream& stream) { streams_.erase(stream.id()); }

 protected:
  Http2Connection(Http2Session::Role role, std::unique_ptr<Transport> transport,
                  const Limits& limits);
  ~Http2Connection() = default;

  // Writes what is queued and begins to read.
  void start_speaking();
  bool closed() const { return closed_; }

  // Runs once, after `delay`, unless the connection is closed or the alarm is set anew before.
  void set_alarm(std::chrono::milliseconds delay, std::function<void()> on_alarm);
  void clear_alarm();

  // Around every turn.
  virtual void on_turn_begin() {}
  virtual void on_turn_end() {}
  virtual void on_first_bytes() {}
  // Bytes have left the streams' queues. True when somebody acted on it and may have queued more.
  virtual bool on_gathered() { return false; }
  // The last event; the streams are still there.
  virtual void on_connection_closed(std::string reason) = 0;

  std::unordered_map<int32_t, std::shared_ptr<Http2Stream>> streams_;

 private:
  void run_deferred() override {
    flush_is_deferred_ = false;
    flush();
  }
  void enter_turn();
  void leave_turn();
  void flush();
  void gather();
  void write_output();
  void read_more();
  void fit_input(size_t last_read);
  void set_input_size(size_t size);

  const Limits limits_;
  std::unique_ptr<Transport> transport_;
  Http2Session session_;
  ReceiveBudget receive_budget_;
  std::unique_ptr<boost::asio::steady_timer> alarm_;
  uint64_t alarm_number_ = 0;  // tells an alarm that went off from one that was replaced meanwhile

  std::unique_ptr<char[]> input_;
  size_t input_size_ = 0;
  unsigned calm_reads_ = 0;
  std::string output_;
  size_t written_ = 0;  // of output_

  std::optional<std::string> close_reason_;  // close at the end of the turn
  bool heard_ = false;
  bool in_turn_ = false;
  bool flush_is_deferred_ = false;
  bool reading_ = false;
  bool writing_ = false;
  bool closed_ = false;
};

}  // namespace longshore::rpc
