// A server's calls that a script answers, late or never.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rpc/server.h"

namespace longshore::rpc {

class ScriptedCall;
using ScriptedCalls = std::set<ScriptedCall*>;

// "/t/Echo" answers what it was asked when the request is complete, "/t/Stream" answers each
// message with as many as the client reads, and any other waits for the script.
class ScriptedCall final : public ServerCallHandler {
 public:
  ScriptedCall(std::string path, std::shared_ptr<ServerStream> stream, ScriptedCalls& all)
      : path_(std::move(path)), stream_(std::move(stream)), all_(all) {
    all_.insert(this);
  }
  ~ScriptedCall() override { all_.erase(this); }

  void on_message(std::string message, MemoryCharge held) override {
    messages_.emplace_back(std::move(message), std::move(held));
    if (path_ == "/t/Stream") answer_much();
  }
  void on_half_close() override {
    is_complete_ = true;
    if (path_ != "/t/Echo") return;
    finish(messages_.empty() ? std::string() : messages_[0].first);
  }
  void on_cancel() override { is_over_ = true; }
  void on_writable() override { answer_much(); }
  std::chrono::steady_clock::time_point request_deadline() const override { return deadline_; }

  bool send(size_t bytes) { return stream_->send(std::string(bytes, 'a')); }
  void finish(std::string answer) {
    is_over_ = true;
    stream_->send_and_finish(std::move(answer));
  }
  void refuse() {
    is_over_ = true;
    stream_->finish(StatusCode::kAborted, "enough", {{"x-bin", "bytes"}});
  }
  void let_go() { messages_.clear(); }
  bool is_late() const {
    return !is_complete_ && !is_over_ && std::chrono::steady_clock::now() > deadline_;
  }

 private:
  void answer_much() {
    constexpr int kMost = 1000;
    for (int i = 0; i < kMost && !is_over_ && send(4000); ++i) {
    }
  }

  const std::string path_;
  const std::shared_ptr<ServerStream> stream_;
  ScriptedCalls& all_;
  const std::chrono::steady_clock::time_point deadline_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(30);
  std::vector<std::pair<std::string, MemoryCharge>> messages_;
  bool is_complete_ = false;
  bool is_over_ = false;
};

class ScriptedService final : public ServiceHandler {
 public:
  std::unique_ptr<ServerCallHandler> start_call(const CallHead& head,
                                                std::shared_ptr<ServerStream> stream) override {
    if (head.path == "/t/Unknown") {
      stream->finish(StatusCode::kUnimplemented, "unknown method", {});
      return nullptr;
    }
    return std::make_unique<ScriptedCall>(head.path, std::move(stream), calls);
  }

  ScriptedCalls calls;
};

}  // namespace longshore::rpc
