// One call at the client: turns requests into a stream's fields and bytes, and what comes back into
// events of a ClientCallHandler and an Outcome.
//
// Threads: the connection's executor; cancel() from any.
// Owner: the connection while the stream lives; the user, beyond that.
//
//   sent ──head──► answered ──trailers──► finished          (and closed, when the stream is gone)
//     │  ◄─refused, once─┘ └── reset, deadline, cancel, connection lost ──► finished
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>

#include "rpc/client.h"
#include "rpc/http2_session.h"
#include "rpc/message_deframer.h"
#include "rpc/response_fields.h"

namespace longshore::rpc {

class ClientConnectionImpl;

class ClientCallImpl final : public ClientCall,
                             public Http2Stream,
                             private MessageSink,
                             public std::enable_shared_from_this<ClientCallImpl> {
 public:
  ClientCallImpl(ClientConnectionImpl& connection, ClientCallOptions options,
                 std::shared_ptr<ClientCallHandler> handler);

  // ClientCall
  void cancel() override;
  void send(std::string message) override;
  void half_close() override;
  void grant(uint32_t messages) override;

  // Http2Stream
  void on_field(std::string_view name, std::string_view value) override;
  void on_fields_end() override;
  void on_data(std::string_view bytes) override { intake_.take(bytes); }
  void on_remote_end() override;
  bool on_body_sent() override { return false; }
  void on_body_progress(size_t) override {}
  void on_closed(Http2Error error) override;

  // Queues the head of the request and starts the clock. `request` is the only message of a call
  // that may be sent again.
  void begin(std::optional<std::string> request);
  // The connection is gone.
  void lose(const std::string& reason);

 private:
  // MessageSink
  void on_whole_message(std::string message) override;
  void on_intake_fault(StatusCode code, std::string_view text) override;

  template <typename Act>
  void within_turn(Act&& act);
  void start_clock();
  void submit();
  bool queue_message(std::string message);
  Outcome too_large_to_send() const;
  void take_head(ResponseFields& fields);
  bool may_retry(Http2Error error) const;
  void conclude();
  void finish(Outcome outcome);
  void give_up(Outcome outcome);

  ClientConnectionImpl* connection_;  // null when the stream is closed
  const boost::asio::any_io_executor executor_;
  ClientCallOptions options_;
  std::shared_ptr<ClientCallHandler> handler_;  // null when finished
  std::atomic<bool> over_{false};               // the same for other threads

  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::unique_ptr<boost::asio::steady_timer> timer_;

  MessageDeframer intake_;
  std::unique_ptr<ResponseFields> fields_;  // the block that is being received
  Outcome outcome_;                         // as far as it is known
  bool has_status_ = false;
  bool head_seen_ = false;
  bool remote_ended_ = false;
  bool retried_ = false;
  bool repeatable_ = false;
};

}  // namespace longshore::rpc
