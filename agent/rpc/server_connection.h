// The server's connection as its calls see it. The interface for users is in server.h.
//
// Threads: the transport's executor.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rpc/http2_connection.h"
#include "rpc/request_head.h"
#include "rpc/response_inbox.h"
#include "rpc/server.h"
#include "rpc/server_call.h"

namespace longshore::rpc {

class ServerConnectionImpl final : public ServerConnection,
                                   public Http2Connection,
                                   public ResponseReceiver {
 public:
  ServerConnectionImpl(std::unique_ptr<Transport> transport, ServiceHandler& handler,
                       const Limits& limits, ServerResources resources);
  ~ServerConnectionImpl() override;

  // ServerConnection
  void start(std::function<void(std::string reason)> on_closed) override;
  void drain() override;
  bool is_idle() const override { return streams_.empty() && !has_unread(); }
  void give_way(bool at_once) override;
  void close() override;
  void probe(std::chrono::milliseconds patience) override;

  // ResponseReceiver
  void on_responses() override;

  ServiceHandler& handler() { return handler_; }
  // The head that is being received.
  RequestHead& request_head() { return request_head_; }
  // Answers that other threads gave before this moment come first.
  void apply_waiting_responses();
  // While those are gone through, whatever else is answered has to wait its turn among them.
  bool applies_responses() const { return applies_responses_; }
  void add_writable(std::shared_ptr<ServerCall> call) { writable_.push_back(std::move(call)); }

  // What the requests of calls under way are charged to.
  const std::shared_ptr<MemoryAccount>& call_memory() const { return call_memory_; }
  // ServerResources::told_text
  std::string told_text(std::string_view text) const {
    return told_text_ && !text.empty() ? told_text_(text) : std::string(text);
  }

  // A call whose request is not complete has to be so in time.
  void starts_receiving(std::chrono::steady_clock::time_point deadline) {
    earliest_deadline_ = receiving_++ == 0 ? deadline : std::min(earliest_deadline_, deadline);
  }
  void ends_receiving() { --receiving_; }
  void refused_call_ends() { --refused_; }

 private:
  static constexpr auto kNever = std::chrono::steady_clock::time_point::max();

  // Http2Connection
  void on_turn_begin() override { inbox_->enter_turn(); }
  void on_turn_end() override {
    inbox_->leave_turn();
    // At the end of most turns all requests are complete, and nothing is set for them.
    if (receiving_ > 0 || request_alarm_.is_set()) watch_requests();
  }
  bool on_gathered() override;
  // After a drain. Who breaks the rules is not waited for, nor who has said nothing.
  bool may_linger() const override {
    return drain_ == Drain::kLastSent && streams_.empty() && !preface_alarm_.is_set();
  }
  void on_connection_closed(std::string reason) override;
  // Http2Events
  Http2Stream* open_stream(int32_t id) override;
  void on_settings() override { preface_alarm_.clear(); }
  void on_ping_answered(Http2Ping ping) override;
  void on_goaway(Http2Error, std::string_view) override {}

  void send_last_goaway();
  void end_calls();
  void on_calls_released();
  void watch_requests();
  void end_late_requests();
  std::vector<std::shared_ptr<ServerCall>> calls() const;

  ServiceHandler& handler_;
  std::string (*const told_text_)(std::string_view text);
  const std::shared_ptr<MemoryAccount> memory_;
  const std::shared_ptr<MemoryAccount> call_memory_;
  const std::shared_ptr<ResponseInbox> inbox_;
  RequestHead request_head_;
  std::function<void(std::string reason)> on_closed_;
  std::vector<std::shared_ptr<ServerCall>> writable_;
  std::vector<Response> responses_;  // kept for its memory
  bool applies_responses_ = false;
  size_t receiving_ =
      0;  // calls whose requests are not complete, and the earliest deadline of them
  std::chrono::steady_clock::time_point earliest_deadline_ = kNever;
  std::chrono::steady_clock::time_point request_alarm_at_ = kNever;
  size_t refused_ = 0;  // calls that there was no memory for, in streams_
  Alarm preface_alarm_;
  Alarm request_alarm_;
  Alarm probe_alarm_;
  Alarm drain_alarm_;
  enum class Drain : uint8_t { kNo, kNoticed, kLastSent } drain_ = Drain::kNo;
};

}  // namespace longshore::rpc
