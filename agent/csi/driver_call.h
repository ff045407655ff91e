// A call of a CSI driver, a controller's or the agent's own, on its way there and back.
//
//   new ──begin──► sent ──the driver answers──► over
//    └──fail───────┴────cancel──────────────────► over
//
// The router's call is finished by who takes it: the end here, or its caller's cancellation. A call
// of the agent's own has none, and tells its answer.
//
// Threads: the service's; `take_call` any. Owner: the service, and the connection that it waits for
// or runs on.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "observe/csi_call_metrics.h"
#include "router/call.h"
#include "rpc/client.h"

namespace longshore::csi {

class DriverCall final : public rpc::ClientCallHandler,
                         public std::enable_shared_from_this<DriverCall> {
 public:
  struct Parts {
    std::shared_ptr<router::Call> call;  // null: it is the agent's own
    router::Clock::time_point deadline = router::Clock::time_point::max();
    std::string path;  // of the driver's socket
    std::string method;
    std::string request;
    bool fresh_connection = false;
    std::shared_ptr<observe::CsiCallMetrics> metrics;
  };

  explicit DriverCall(Parts parts) : parts_(std::move(parts)) {}

  const std::string& path() const { return parts_.path; }
  bool wants_fresh_connection() const { return parts_.fresh_connection; }
  bool is_over() const { return is_over_; }

  // The router's call, for who finishes it; null: somebody has. [any]
  std::shared_ptr<router::Call> take_call();

  // What is to be done at its end, once; it may take part in it.
  void on_over(std::function<void()> function) { on_over_ = std::move(function); }
  // Who hears the driver's response, or why there is none; once, before that.
  using Answer = std::function<void(const Result<std::string>& answer)>;
  void on_answer(Answer function) { on_answer_ = std::move(function); }
  // `retry`, where there is one, is called in place of the end if the driver has certainly not seen
  // the call; once.
  void begin(rpc::ClientConnection& connection, std::function<void()> retry);
  void fail(const Error& error) { end(error, error.message()); }
  void cancel();

  // rpc::ClientCallHandler
  void on_message(std::string message) override { response_ = std::move(message); }
  void on_finish(rpc::Outcome outcome) override;

 private:
  // Also takes the driver's name from its answer, where it was asked for that.
  void count(StatusCode code, const std::string* response) const;
  // `answer`: the driver's response, or why there is none. `text`: of the status.
  void end(const Result<std::string>& answer, const std::string& text);

  std::mutex mutex_;  // of parts_.call
  Parts parts_;
  const router::Clock::time_point began_at_ = router::Clock::now();
  std::function<void()> on_over_;
  Answer on_answer_;
  std::shared_ptr<rpc::ClientCall> running_;
  std::function<void()> retry_;
  bool was_retried_ = false;
  std::optional<std::string> response_;
  bool is_over_ = false;
};

}  // namespace longshore::csi
