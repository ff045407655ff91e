// One call at the server: turns a stream's fields and bytes into events of a ServerCallHandler, and
// its answers into fields and bytes.
//
// Threads: ServerStream's functions from any, the rest on the connection's executor.
// Owner: the connection while the stream lives; whoever answers, beyond that.
//
//   head ──fields whole──► running ──answer complete or refused──► finished ──► closed
//                             └──────── reset, connection gone ────────────────► closed
#pragma once

#include <atomic>
#include <memory>
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
  ServerCall(ServerConnectionImpl& connection, std::shared_ptr<ResponseInbox> inbox);
  ~ServerCall() override;

  // ServerStream
  bool send(std::string message) override;
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

 private:
  // MessageSink
  void on_whole_message(std::string message) override;
  void on_intake_fault(StatusCode code, std::string_view text) override;

  bool take_message(Response& response, std::string message);
  void deliver(Response response);
  bool apply_in_turn(Response& response);
  bool apply_between_handlers(Response& response);
  bool count_unsent(size_t bytes);
  void refuse(const Refusal& refusal);
  void fail(StatusCode code, std::string_view text);
  void queue_message(Response& response);
  void end_response(StatusCode code, std::string_view text, Metadata trailers);
  void submit_head();
  void abandon_handler();
  void leave_count();

  ServerConnectionImpl* connection_;  // null when closed
  const std::shared_ptr<ResponseInbox> inbox_;
  std::unique_ptr<ServerCallHandler> handler_;
  MessageDeframer intake_;
  bool head_is_whole_ = false;
  bool responses_gzip_ = false;  // set before anybody may answer
  bool head_sent_ = false;
  bool finished_ = false;
  bool handler_left_ = false;  // it was told of the end, or ended the call

  StatusCode code_ = StatusCode::kOk;
  std::string text_;
  Metadata trailers_;

  std::atomic<size_t> unsent_{0};
  std::atomic<bool> full_{false};    // send() has answered false
  std::atomic<bool> over_{false};    // nobody will see an answer
  std::atomic<bool> counted_{true};  // as a call that somebody works on
};

}  // namespace longshore::rpc
