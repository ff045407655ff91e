// A service whose calls the test sees and answers, and the opposite: a client's answers recorded.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rpc/client.h"
#include "rpc/server.h"

namespace longshore::rpc {

// Of a connection that stands alone.
inline std::shared_ptr<MemoryAccount> account_of(const Limits& limits) {
  return std::make_shared<MemoryAccount>(
      MemoryAccount::Options{.name = "the connection", .limit = limits.max_memory_bytes});
}

// What has happened to a call so far. Survives the call.
struct SeenCall {
  CallHead head;
  std::shared_ptr<ServerStream> stream;
  std::vector<std::string> messages;
  std::vector<MemoryCharge> held;  // for the messages
  bool drops_requests = false;
  std::chrono::steady_clock::time_point request_deadline =
      std::chrono::steady_clock::time_point::max();
  bool half_closed = false;
  int cancels = 0;
  std::atomic<int> writable{0};
  bool handler_destroyed = false;
};

// "/t/Echo" answers its only message at half-close, "/t/Unknown" is refused at once, and all other
// methods wait for the test.
class TestService final : public ServiceHandler {
 public:
  std::unique_ptr<ServerCallHandler> start_call(const CallHead& head,
                                                std::shared_ptr<ServerStream> stream) override {
    auto seen = std::make_shared<SeenCall>();
    seen->head = head;
    seen->stream = stream;
    seen->request_deadline = request_deadline;
    calls.push_back(seen);
    if (head.path == "/t/Unknown") {
      stream->finish(StatusCode::kUnimplemented, "unknown method", {});
      return nullptr;
    }
    return std::make_unique<Handler>(std::move(seen));
  }

  SeenCall& last() { return *calls.back(); }

  std::vector<std::shared_ptr<SeenCall>> calls;
  // Of the calls from now on.
  std::chrono::steady_clock::time_point request_deadline =
      std::chrono::steady_clock::time_point::max();

 private:
  class Handler final : public ServerCallHandler {
   public:
    explicit Handler(std::shared_ptr<SeenCall> seen) : seen_(std::move(seen)) {}
    ~Handler() override {
      seen_->handler_destroyed = true;
      seen_->held.clear();
    }

    void on_message(std::string message, MemoryCharge held) override {
      seen_->messages.push_back(std::move(message));
      if (!seen_->drops_requests) seen_->held.push_back(std::move(held));
    }
    void on_half_close() override {
      seen_->half_closed = true;
      if (seen_->head.path == "/t/Echo" && !seen_->messages.empty()) {
        seen_->stream->send_and_finish(seen_->messages[0]);
      }
    }
    void on_cancel() override { ++seen_->cancels; }
    void on_writable() override { ++seen_->writable; }
    std::chrono::steady_clock::time_point request_deadline() const override {
      return seen_->request_deadline;
    }

   private:
    std::shared_ptr<SeenCall> seen_;
  };
};

// What a client's call was answered.
struct ClientRecord final : ClientCallHandler {
  void on_message(std::string message) override { messages.push_back(std::move(message)); }
  void on_finish(Outcome result) override {
    ++finishes;
    outcome = std::move(result);
  }

  std::vector<std::string> messages;
  std::optional<Outcome> outcome;
  int finishes = 0;
};

}  // namespace longshore::rpc
