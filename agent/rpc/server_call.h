// One call at the server: turns a stream's fields and bytes into events of a ServerCallHandler, and
// its answers into fields and bytes.
//
// Threads: ServerStream's functions from any, the rest on the connection's executor.
// Owner: the connection while the stream lives; whoever answers, beyond that.
//
//   head ──fields whole──► receiving ──last message handed on──► running ──► finished ──► closed
//                             └──── refused, too late, reset, connection gone ─────────────┘
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "rpc/http2_session.h"
#include "rpc/message_deframer.h"
#include "rpc/request_head.h"
#include "rpc/response_inbox.h"
#include "rpc/server.h"

namespace longshore::rpc {

class ServerConnectionImpl;

class ServerCall final : public ServerStream,
                         public Http2Stream,
                         private MessageSink,
                         public std::enable_shared_from_this<ServerCall> {
 public:
  // `held` is empty where there was no room for it: then the call is refused.
  ServerCall(ServerConnectionImpl& connection, std::shared_ptr<ResponseInbox> inbox,
             MemoryCharge held, const MemoryAccount* full);
  ~ServerCall() override;

  // ServerStream
  bool send(std::string message) override;
  std::optional<Error> refusal() const override;
  void finish(StatusCode code, std::string text, Metadata trailers) override;
  void send_and_finish(std::string message) override;

  // Http2Stream
  void on_field(std::string_view name, std::string_view value) override;
  void on_fields_end() override;
  void on_data(std::string_view bytes) override;
  void on_remote_end() override;
  bool on_body_sent() override;
  void on_body_progress(size_t bytes) override;
  void on_closed(Http2Error error) override;

  // An answer arrives at the executor.
  void apply(Response& response);
  // There is room in the queue that was full.
  void tell_writable();
  // The connection has room for responses again.
  void resume();

  // The client's part is not complete, or not all of it handed on yet.
  bool is_receiving() const { return receives_; }
  std::chrono::steady_clock::time_point request_deadline() const {
    return handler_->request_deadline();
  }
  void end_late();

 private:
  // MessageSink
  bool may_deliver() const override;
  void on_whole_message(std::string message) override;
  void on_intake_fault(StatusCode code, std::string_view text) override;

  bool take_message(Response& response, std::string message);
  void deliver(Response response);
  void half_close();
  void stop_receiving();
  bool apply_in_turn(Response& response);
  bool apply_between_handlers(Response& response);
  bool count_unsent(size_t bytes);
  bool has_room(size_t unsent) const;
  void refuse(const Refusal& refusal);
  void fail(StatusCode code, std::string_view text);
  void queue_message(Response& response);
  void end_response(StatusCode code, std::string_view text, Metadata trailers);
  void submit_head();
  std::string_view afford(std::string_view text);
  void abandon_handler();
  void leave_count();

  ServerConnectionImpl* connection_;  // null when closed
  const std::shared_ptr<ResponseInbox> inbox_;
  const MemoryCharge held_;
  const MemoryAccount* const full_account_;  // that has no room for this call
  std::unique_ptr<ServerCallHandler> handler_;
  MessageDeframer intake_;
  bool head_is_whole_ = false;
  bool remote_ended_ = false;
  bool receives_ = false;  // the handler has not been told that the request is complete
  bool head_sent_ = false;
  bool finished_ = false;
  bool handler_left_ = false;  // it was told of the end, or ended the call

  StatusCode code_ = StatusCode::kOk;
  std::string text_;
  MemoryCharge text_held_;  // until the client has read it
  Metadata trailers_;

  std::atomic<const MemoryAccount*> unsent_full_{nullptr};  // had no room for a message
  std::atomic<size_t> unsent_{0};
  std::atomic<bool> full_{false};    // send() has answered false
  std::atomic<bool> over_{false};    // nobody will see an answer
  std::atomic<bool> counted_{true};  // as a call that somebody works on
};

}  // namespace longshore::rpc
