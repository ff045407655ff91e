// A server of the gRPC C++ library with the service of peer_service.h. Says GOAWAY to each
// connection after --max-age-ms. Ends with SIGTERM.
//
//   grpc_conformance_server --socket <path> [--max-age-ms <n>]
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <string>
#include <vector>

#include "byte_buffer.h"
#include "peer_service.h"
#include "tests/support/grpc_server.h"

namespace longshore::conformance {
namespace {

struct Counters {
  std::atomic<int> hanging{0};
  std::atomic<int> given_up{0};
  std::atomic<size_t> streamed{0};
};

class Call final : public grpc::ServerGenericBidiReactor {
 public:
  Call(grpc::GenericCallbackServerContext* context, Counters& counters)
      : context_(context), counters_(counters) {
    if (wanted("want-gzip") > 0) context_->set_compression_algorithm(GRPC_COMPRESS_GZIP);
    StartRead(&incoming_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) return on_half_close();
    request_ = bytes_of(incoming_);
    if (context_->method() == kChat) {
      write(request_);
    } else {
      StartRead(&incoming_);
    }
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return;
    const std::string& method = context_->method();
    if (method == kChat) {
      StartRead(&incoming_);
    } else if (method == kStream || method == kStatus) {
      write_next();
    } else if (method == kHang) {
      const std::lock_guard lock(mutex_);
      if (hangs_) write_next();
    }
  }

  void OnCancel() override {
    const std::lock_guard lock(mutex_);
    give_up();
  }

  void OnDone() override { delete this; }

 private:
  size_t wanted(const char* key) const {
    const std::string text = metadata(key);
    return text.empty() ? 0 : std::stoul(text);
  }

  std::string metadata(const char* key) const {
    const auto found = context_->client_metadata().find(key);
    if (found == context_->client_metadata().end()) return {};
    return {found->second.data(), found->second.size()};
  }

  void on_half_close() {
    const std::string& method = context_->method();
    if (method == kEcho) {
      for (const auto& [key, value] : context_->client_metadata()) {
        const std::string name(key.data(), key.size());
        if (name.rfind("x-", 0) == 0) {
          context_->AddTrailingMetadata(name, std::string(value.data(), value.size()));
        }
      }
      answer(request_);
    } else if (method == kStatus || method == kStream || method == kHang) {
      counters_.streamed = 0;
      left_ = wanted(method == kStream ? "want-count" : "want-messages");
      if (method == kHang) return hang();
      write_next();
    } else if (method == kDeadline) {
      const auto left = context_->deadline() - std::chrono::system_clock::now();
      answer(left > std::chrono::hours(1000) ? "none" : std::to_string(left.count()));
    } else if (method == kCounts) {
      answer(std::to_string(counters_.hanging) + " " + std::to_string(counters_.given_up) + " " +
             std::to_string(counters_.streamed));
    } else if (method == kChat) {
      Finish(grpc::Status::OK);
    } else {
      Finish(grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "no such method"));
    }
  }

  void hang() {
    const std::lock_guard lock(mutex_);
    hangs_ = true;
    ++counters_.hanging;
    // The end of the reading may be the cancel, and OnCancel may have been here before.
    if (context_->IsCancelled()) {
      give_up();
    } else {
      write_next();
    }
  }

  // With the mutex.
  void give_up() {
    if (!hangs_) return;
    hangs_ = false;
    --counters_.hanging;
    ++counters_.given_up;
    Finish(grpc::Status::CANCELLED);
  }

  // What Stream, Status and Hang still have to say.
  void write_next() {
    const std::string& method = context_->method();
    if (left_ > 0) {
      --left_;
      const size_t number = ++counters_.streamed;
      return write(method == kStream ? std::string(wanted("want-size"), static_cast<char>(number))
                                     : std::string("message"));
    }
    if (method == kStream) Finish(grpc::Status(grpc::StatusCode::OK, "streamed"));
    if (method == kStatus) {
      Finish(grpc::Status(static_cast<grpc::StatusCode>(wanted("want-code")),
                          metadata("want-text-bin")));
    }
  }

  void write(const std::string& message) {
    outgoing_ = buffer_of(message);
    StartWrite(&outgoing_);
  }

  void answer(const std::string& message) {
    outgoing_ = buffer_of(message);
    StartWriteAndFinish(&outgoing_, grpc::WriteOptions(), grpc::Status::OK);
  }

  grpc::GenericCallbackServerContext* const context_;
  Counters& counters_;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
  std::string request_;
  size_t left_ = 0;
  std::mutex mutex_;    // OnCancel runs beside the others
  bool hangs_ = false;  // guarded by mutex_
};

class Service final : public grpc::CallbackGenericService {
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Call(context, counters_);
  }

  Counters counters_;
};

}  // namespace
}  // namespace longshore::conformance

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  if ((arguments.size() != 2 && arguments.size() != 4) || arguments[0] != "--socket" ||
      (arguments.size() == 4 && arguments[2] != "--max-age-ms")) {
    std::cerr << "usage: grpc_conformance_server --socket <path> [--max-age-ms <n>]\n";
    return 2;
  }
  longshore::conformance::Service service;
  return longshore::test::run_grpc_server(arguments[1], service, [&](grpc::ServerBuilder& builder) {
    builder.SetMaxReceiveMessageSize(longshore::conformance::kMaxMessageBytes);
    if (arguments.size() == 4) {
      builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, std::stoi(arguments[3]));
    }
  });
}
