// Turns the bytes that a stream receives into whole messages, and lets the peer send more as they
// are used: framing, limits and flow control of the receiving direction.
//
// Threads: the connection's executor. Owner: the call. Both roles use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "rpc/http2_session.h"
#include "rpc/message_framing.h"
#include "rpc/receive_budget.h"

namespace longshore::rpc {

// Where the messages go. May stop the intake from within.
class MessageSink {
 public:
  // Whether it takes one now. When it does again, it calls resume().
  virtual bool may_deliver() const { return true; }
  virtual void on_whole_message(std::string message) = 0;
  // What came is not a message; the intake has stopped.
  virtual void on_intake_fault(StatusCode code, std::string_view text) = 0;

 protected:
  ~MessageSink() = default;
};

class MessageDeframer final : private BudgetWaiter {
 public:
  MessageDeframer(Http2Session& session, ReceiveBudget& budget, Http2Stream& stream,
                  MessageSink& sink, const Limits& limits);

  // Deliver only as many messages as allow() permits.
  void wait_for_allowance() { by_allowance_ = true; }
  void allow(uint32_t messages);
  // Hands on what the sink did not take before.
  void resume() { allow(0); }

  void take(std::string_view bytes);

  // Whatever comes is dropped from now on.
  void stop();
  // The stream is gone, and the session and the budget may be too; what is held back stays.
  void detach();

  // Nothing of a message is held back or incomplete.
  bool is_empty() const { return backlog_.empty() && reader_.held_bytes() == 0; }
  // Bytes wait for allow() or resume().
  bool has_backlog() const { return !backlog_.empty(); }

 private:
  void on_reserved() override;
  void on_reservation_refused() override;
  void read(std::string_view bytes);
  void deliver();
  void want_reservation();
  void end_reservation();
  void fault(StatusCode code, std::string_view text);
  bool may_deliver() const { return (!by_allowance_ || allowed_ > 0) && sink_.may_deliver(); }
  void settle();

  Http2Session& session_;
  ReceiveBudget& budget_;
  Http2Stream& stream_;
  MessageSink& sink_;
  const size_t small_message_bytes_;

  MessageReader reader_;
  std::string backlog_;    // bytes that wait for allow() or resume()
  size_t unconsumed_ = 0;  // received bytes that the peer may not replace yet
  size_t counted_ = 0;     // of them, what the budget knows
  uint32_t allowed_ = 0;
  bool by_allowance_ = false;
  bool stopped_ = false;
  bool attached_ = true;
  enum class Room : uint8_t { kWindow, kWaiting, kReserved } room_ = Room::kWindow;
  size_t reserved_ = 0;
};

}  // namespace longshore::rpc
