// Calls of the gRPC C++ library for the conformance client: unary ones, any number of which may be
// under way, and streams that go one step at a time.
//
// Included by one file only, because the library's headers are slow to compile.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "byte_buffer.h"

namespace longshore::conformance {

using Metadata = std::multimap<std::string, std::string>;
using Clock = std::chrono::system_clock;
constexpr auto kPatience = std::chrono::seconds(60);

// What a scenario expects; the text says where it was disappointed.
inline void expect(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

inline std::string text_of(const grpc::Status& status) {
  return "status " + std::to_string(status.error_code()) + ", " + status.error_message();
}

struct Options {
  Metadata metadata;
  std::chrono::milliseconds timeout = kPatience;
  bool gzip = false;
};

struct Answer {
  grpc::Status status;
  std::string message;
  Metadata trailers;
};

inline void prepare(grpc::ClientContext& context, const Options& options) {
  for (const auto& [key, value] : options.metadata) context.AddMetadata(key, value);
  context.set_deadline(Clock::now() + options.timeout);
  if (options.gzip) context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
}

// A unary call that may be one of many under way.
class UnaryCall {
 public:
  UnaryCall(grpc::GenericStub& stub, const std::string& method, const std::string& request,
            const Options& options = {}) {
    prepare(context_, options);
    reader_ = stub.PrepareUnaryCall(&context_, method, buffer_of(request), &queue_);
    reader_->StartCall();
    reader_->Finish(&message_, &status_, this);
  }

  void cancel() { context_.TryCancel(); }

  Answer wait() {
    void* tag = nullptr;
    bool ok = false;
    expect(queue_.Next(&tag, &ok), "the call's queue ended");
    Answer answer;
    answer.status = status_;
    answer.message = bytes_of(message_);
    for (const auto& [key, value] : context_.GetServerTrailingMetadata()) {
      answer.trailers.emplace(std::string(key.data(), key.size()),
                              std::string(value.data(), value.size()));
    }
    return answer;
  }

 private:
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  grpc::ByteBuffer message_;
  grpc::Status status_;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
};

// A call of any number of messages each way, one step at a time.
class StreamCall {
 public:
  StreamCall(grpc::GenericStub& stub, const std::string& method, const Options& options = {}) {
    prepare(context_, options);
    stream_ = stub.PrepareCall(&context_, method, &queue_);
    stream_->StartCall(this);
    step();
  }
  ~StreamCall() {
    context_.TryCancel();
    if (!finished_) finish();
  }

  bool write(const std::string& message) {
    stream_->Write(buffer_of(message), this);
    return step();
  }
  bool end_writing() {
    stream_->WritesDone(this);
    return step();
  }
  // False: no message follows.
  bool read(std::string& message) {
    grpc::ByteBuffer buffer;
    stream_->Read(&buffer, this);
    if (!step()) return false;
    message = bytes_of(buffer);
    return true;
  }
  void cancel() { context_.TryCancel(); }
  grpc::Status finish() {
    grpc::Status status;
    stream_->Finish(&status, this);
    step();
    finished_ = true;
    return status;
  }

 private:
  bool step() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  bool finished_ = false;
};

}  // namespace longshore::conformance
