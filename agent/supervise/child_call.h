// A call of the agent that a child answers: what has come of its answer, and the way back.
//
// It uses nothing but the C ABI of the agent's side, as a module in this process does.
// Threads: any. Owner: the instance's table of calls, until it is finished.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "longshore/abi.h"
#include "router/method.h"
#include "supervise/child_connection.h"
#include "supervise/response_pump.h"

namespace longshore::supervise {

class ChildCall final : public ResponsePump {
 public:
  // The request's bytes live until the call is finished. `forget` takes it out of the table.
  ChildCall(const longshore_host* host, longshore_call id, uint32_t method,
            std::string_view request, const router::Method& described, std::function<void()> forget)
      : is_idempotent(described.idempotent),
        is_secret_(described.request_has_secrets),
        host_(host),
        id_(id),
        method_(method),
        request_(request),
        forget_(std::move(forget)) {}

  longshore_call id() const { return id_; }
  const bool is_idempotent;

  // The table's bookkeeping, under its lock: the place in the order of coming, whether a process
  // has it, and whether it was sent again.
  uint64_t number = 0;
  bool is_sent = false;
  bool was_retried = false;

  // Sends it with what is left of its time, under the table's lock. False: the process does not
  // read its calls, and this one has to be ended. That the connection ends is told elsewhere.
  [[nodiscard]] bool send(std::shared_ptr<ChildConnection> child);
  // Whether anybody waits for it.
  bool is_wanted() const { return host_->call_state(host_, id_) == LONGSHORE_OK; }
  // The process that it was sent to is gone.
  void take_back();
  // Nobody waits for it any more.
  void cancel();
  // A message, or the one answer, has come: sending it again would be a second answer.
  bool has_begun() const { return has_begun_; }
  // False: it was not granted.
  bool on_message(std::string_view message);
  void on_response(std::string_view answer);

 protected:
  longshore_result deliver(std::string_view message) override;
  void grant(uint32_t messages) override;
  void finish(StatusCode code, std::string text) override;

 private:
  const bool is_secret_;  // the request may be
  const longshore_host* const host_;
  const longshore_call id_;
  const uint32_t method_;
  const std::string_view request_;
  const std::function<void()> forget_;
  std::atomic<bool> has_begun_{false};

  std::mutex mutex_;  // held while it is sent: a cancellation comes after it, and so does the end
  std::shared_ptr<ChildConnection> child_;  // that it was sent to
  bool is_over_ = false;
};

}  // namespace longshore::supervise
