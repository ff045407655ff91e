// A connection that speaks HTTP/2: moves bytes between a Transport and an Http2Session.
//
// Reads, lets the session and its streams act on what came, and writes what they queued: one write
// for all that one read has caused. Owns the streams. Both roles derive from it.
//
// Where it is in a flow, it acts on what it has read only as its turns come (fair_queue.h), and
// reads no more before all of that is done.
//
// Where memory runs out the connection ends, and nothing else.
//
// Threads: the transport's executor. Owner: a shared pointer of the user's; operations under way
// hold another.
//
//   open ──close_connection(), error──► closed (on_connection_closed has run)
//   open ──end of the session──► lingering (servers) ──the peer closes, linger_timeout──► closed
//
// A server lingers because a local stream breaks for its writer as soon as its reader closes: a
// client that was writing a WINDOW_UPDATE or a PING would see an error before it has read its last
// answers. Lingering, it drops what comes, and the client sees the end of the stream in its place.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "rpc/alarm.h"
#include "rpc/bad_alloc_scope.h"
#include "rpc/executor_thread.h"
#include "rpc/fair_queue.h"
#include "rpc/http2_session.h"
#include "rpc/limits.h"
#include "rpc/receive_budget.h"
#include "rpc/transport.h"

namespace longshore::rpc {

class Http2Connection : public TransportUser,
                        private Deferred,
                        private FairQueue::Turn,
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
    guarded([&] {
      enter_turn();
      act();
      leave_turn();
      flush();
    });
  }

  // The same between two handlers of the executor: what is queued is written before the next one,
  // together with what else is queued until then.
  template <typename Act>
  void turn_written_later(ExecutorThread& thread, Act&& act) {
    const auto keep = shared_from_this();
    guarded([&] {
      enter_turn();
      act();
      leave_turn();
      if (flush_is_deferred_) return;
      thread.defer(std::shared_ptr<Deferred>(keep, static_cast<Deferred*>(this)));
      flush_is_deferred_ = true;
    });
  }

  // Ends at once, or at the end of the turn that is under way. The reason is for the log.
  void close_connection(std::string reason);

  void forget_stream(const Http2Stream& stream) { streams_.erase(stream.id()); }

 protected:
  // `account` is charged with what is held for the peer; null: nothing is. Without a flow it acts
  // at once on all that it reads.
  Http2Connection(Http2Session::Role role, std::unique_ptr<Transport> transport,
                  const Limits& limits, std::shared_ptr<MemoryAccount> account = nullptr,
                  std::shared_ptr<FairQueue::Flow> flow = nullptr);
  ~Http2Connection() = default;

  // Runs `act`; an exception ends the connection.
  template <typename Act>
  void guarded(Act&& act) {
    try {
      const BadAllocScope caught(BadAllocScope::Kind::kIsCaught);
      act();
    } catch (const std::exception& failure) {
      give_up(failure);
    }
  }

  // Writes what is queued and begins to read.
  void start_speaking();
  bool closed() const { return closed_; }
  bool lingers() const { return lingers_; }
  bool has_unread() const { return !unread_.empty(); }

  // Runs once, after `delay`, unless the connection is closed or the alarm is set anew before.
  void set_alarm(Alarm& alarm, std::chrono::nanoseconds delay, std::function<void()> on_alarm);

  // Around every turn.
  virtual void on_turn_begin() {}
  virtual void on_turn_end() {}
  // Bytes have left the streams' queues. True when somebody acted on it and may have queued more.
  virtual bool on_gathered() { return false; }
  // The session has ended in order: whether the peer may close first, for linger_timeout.
  virtual bool may_linger() const { return false; }
  // The last event; the streams are still there.
  virtual void on_connection_closed(std::string reason) = 0;

  std::unordered_map<int32_t, std::shared_ptr<Http2Stream>> streams_;

 private:
  void run_deferred() override {
    flush_is_deferred_ = false;
    const auto keep = shared_from_this();
    guarded([this] { flush(); });
  }
  void give_up(const std::exception& failure);
  void enter_turn();
  void leave_turn();
  void flush();
  void gather();
  void write_output();
  void output_is_written();
  void end_session();
  void linger();
  void drop_input(size_t bytes);
  void read_more();
  void take_turn() override;
  void enter_flow();
  void act_on_input();
  bool receive_part();
  void fit_input(size_t last_read);
  void set_input_size(size_t size);

  const Limits limits_;
  std::unique_ptr<Transport> transport_;
  Http2Session session_;
  ReceiveBudget receive_budget_;
  const std::shared_ptr<MemoryAccount> account_;
  const std::shared_ptr<FairQueue::Flow> flow_;

  std::unique_ptr<char[]> input_;
  size_t input_size_ = 0;
  std::span<char> unread_;  // of input_: what was read and is not acted on yet
  size_t last_read_ = 0;
  unsigned calm_reads_ = 0;
  std::string output_;
  size_t written_ = 0;         // of output_
  size_t output_charged_ = 0;  // while the peer does not read it

  std::optional<std::string> close_reason_;  // close at the end of the turn
  bool in_turn_ = false;
  bool flush_is_deferred_ = false;
  bool reading_ = false;
  bool writing_ = false;
  bool closed_ = false;
  bool lingers_ = false;
  size_t dropped_ = 0;  // bytes that came while it lingers
  Alarm linger_alarm_;
};

}  // namespace longshore::rpc
