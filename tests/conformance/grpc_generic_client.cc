// A client that knows no service beforehand, on the gRPC C++ library: asks the server by reflection
// what there is, and calls a method with JSON.
//
//   grpc_generic_client <socket>                          prints the services, a line each
//   grpc_generic_client <socket> <service> <method> <json>   prints the answer as JSON
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "grpc/reflection/v1.pb.h"
#include "grpc_calls.h"

namespace longshore::conformance {
namespace {

namespace protobuf = google::protobuf;
namespace reflection = grpc::reflection::v1;

// One call of any kind, message by message.
class GenericCall {
 public:
  GenericCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method)
      : stub_(channel), stream_(stub_.PrepareCall(&context_, "/" + method, &queue_)) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    stream_->StartCall(this);
    if (!next()) throw std::runtime_error("the call did not start");
  }

  // An error may leave the call as it is.
  ~GenericCall() {
    context_.TryCancel();
    queue_.Shutdown();
    while (next() || !over_) {
    }
  }

  // `is_last`: no message follows, which a unary method waits for.
  std::string ask(const std::string& message, bool is_last) {
    grpc::WriteOptions options;
    if (is_last) options.set_last_message();
    said_last_ = is_last;
    stream_->Write(buffer_of(message), options, this);
    grpc::ByteBuffer answer;
    if (next()) {
      stream_->Read(&answer, this);
      if (next()) return bytes_of(answer);
    }
    finish();
    throw std::runtime_error("no answer");
  }

  void finish() {
    if (!said_last_) stream_->WritesDone(this);
    if (!said_last_) next();
    grpc::Status status;
    stream_->Finish(&status, this);
    next();
    if (!status.ok()) throw std::runtime_error(status.error_message());
  }

 private:
  bool next() {
    void* tag = nullptr;
    bool ok = false;
    over_ = !queue_.Next(&tag, &ok);
    return !over_ && ok;
  }

  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  grpc::GenericStub stub_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  bool said_last_ = false;
  bool over_ = false;  // the queue
};

class Reflection {
 public:
  explicit Reflection(const std::shared_ptr<grpc::Channel>& channel)
      : call_(channel, "grpc.reflection.v1.ServerReflection/ServerReflectionInfo") {}

  std::vector<std::string> services() {
    reflection::ServerReflectionRequest request;
    request.set_list_services("*");
    std::vector<std::string> names;
    const auto response = ask(request);
    for (const auto& service : response.list_services_response().service()) {
      names.push_back(service.name());
    }
    return names;
  }

  const protobuf::MethodDescriptor& method(const std::string& service, const std::string& name) {
    reflection::ServerReflectionRequest request;
    request.set_file_containing_symbol(service);
    add_files(request);
    const auto* found = pool_.FindServiceByName(service);
    const auto* method = found ? found->FindMethodByName(name) : nullptr;
    if (!method) throw std::runtime_error("there is no such method");
    return *method;
  }

  void finish() { call_.finish(); }

 private:
  reflection::ServerReflectionResponse ask(const reflection::ServerReflectionRequest& request) {
    reflection::ServerReflectionResponse response;
    if (!response.ParseFromString(call_.ask(request.SerializeAsString(), false))) {
      throw std::runtime_error("the answer is no message");
    }
    if (response.has_error_response()) {
      throw std::runtime_error(response.error_response().error_message());
    }
    return response;
  }

  // What a file depends on comes before it.
  void add_files(const reflection::ServerReflectionRequest& request) {
    const auto response = ask(request);
    for (const auto& bytes : response.file_descriptor_response().file_descriptor_proto()) {
      protobuf::FileDescriptorProto file;
      if (!file.ParseFromString(bytes)) throw std::runtime_error("a file is no message");
      if (!names_.insert(file.name()).second) continue;
      for (const std::string& needed : file.dependency()) {
        reflection::ServerReflectionRequest next;
        next.set_file_by_filename(needed);
        if (!names_.contains(needed)) add_files(next);
      }
      if (!pool_.BuildFile(file)) throw std::runtime_error("a file does not fit: " + file.name());
    }
  }

  GenericCall call_;
  protobuf::DescriptorPool pool_;
  std::set<std::string> names_;
};

void call(const std::shared_ptr<grpc::Channel>& channel, const std::string& service,
          const std::string& name, const std::string& json) {
  Reflection reflection(channel);
  const auto& method = reflection.method(service, name);
  protobuf::DynamicMessageFactory factory;
  const std::unique_ptr<protobuf::Message> request(
      factory.GetPrototype(method.input_type())->New());
  const std::unique_ptr<protobuf::Message> answer(
      factory.GetPrototype(method.output_type())->New());
  if (!protobuf::util::JsonStringToMessage(json, request.get()).ok()) {
    throw std::runtime_error("the JSON does not fit");
  }
  GenericCall one(channel, service + "/" + name);
  if (!answer->ParseFromString(one.ask(request->SerializeAsString(), true))) {
    throw std::runtime_error("the answer is no message");
  }
  one.finish();
  reflection.finish();
  std::string text;
  if (!protobuf::util::MessageToJsonString(*answer, &text).ok()) {
    throw std::runtime_error("the answer has no JSON");
  }
  std::puts(text.c_str());
}

}  // namespace
}  // namespace longshore::conformance

int main(int argc, char** argv) {
  using namespace longshore::conformance;
  if (argc != 2 && argc != 5) return 2;
  const auto channel =
      grpc::CreateChannel(std::string("unix:") + argv[1], grpc::InsecureChannelCredentials());
  try {
    if (argc == 5) {
      call(channel, argv[2], argv[3], argv[4]);
    } else {
      Reflection reflection(channel);
      for (const std::string& name : reflection.services()) std::puts(name.c_str());
      reflection.finish();
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
