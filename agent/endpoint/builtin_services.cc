#include "endpoint/builtin_services.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "grpc/health/v1.pb.h"
#include "grpc/reflection/v1.pb.h"
#include "router/later.h"

namespace longshore::endpoint {
namespace {

namespace health = grpc::health::v1;
namespace reflection = grpc::reflection::v1;

using std::chrono::steady_clock;

// How long a client may take for its next request: it can always come back.
constexpr std::chrono::seconds kPatience{30};

steady_clock::time_point deadline_of(const rpc::CallHead& head) {
  return router::later(steady_clock::now(), head.timeout.value_or(std::chrono::nanoseconds::max()));
}

// Both answer at once, so there is nothing to cancel. While a client does not read, its connection
// hands on nothing more of what it asks.
class BuiltinCall : public rpc::ServerCallHandler {
 public:
  BuiltinCall(const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream,
              std::shared_ptr<const loader::ServiceCatalog> catalog, ServiceFilter serves)
      : stream_(std::move(stream)),
        catalog_(std::move(catalog)),
        serves_(std::move(serves)),
        deadline_(deadline_of(head)) {}
  steady_clock::time_point request_deadline() const override {
    return std::min(deadline_, heard_at_ + kPatience);
  }
  void on_cancel() override {}
  void on_writable() override {}

 protected:
  void hears_from_client() { heard_at_ = steady_clock::now(); }
  bool served(std::string_view service) const { return catalog_->has(service) && serves_(service); }

  const std::shared_ptr<rpc::ServerStream> stream_;
  const std::shared_ptr<const loader::ServiceCatalog> catalog_;
  const ServiceFilter serves_;

 private:
  const steady_clock::time_point deadline_;  // the client's own
  steady_clock::time_point heard_at_ = steady_clock::now();
};

class HealthCheck final : public BuiltinCall {
 public:
  using BuiltinCall::BuiltinCall;

  void on_message(std::string message, rpc::MemoryCharge) override {
    health::HealthCheckRequest request;
    if (!request.ParseFromString(message)) {
      return stream_->finish(StatusCode::kInvalidArgument, "the request is not valid", {});
    }
    const std::string& service = request.service();
    if (!service.empty() && !served(service)) {
      return stream_->finish(StatusCode::kNotFound,
                             "this endpoint does not serve \"" + service + "\"", {});
    }
    health::HealthCheckResponse response;
    response.set_status(service.empty() || catalog_->healthy(service)
                            ? health::HealthCheckResponse::SERVING
                            : health::HealthCheckResponse::NOT_SERVING);
    stream_->send_and_finish(response.SerializeAsString());
  }

  // After an answer this does nothing: the call is over.
  void on_half_close() override {
    stream_->finish(StatusCode::kInvalidArgument, "the call has no request", {});
  }
};

class Reflection final : public BuiltinCall {
 public:
  using BuiltinCall::BuiltinCall;

  void on_message(std::string message, rpc::MemoryCharge) override {
    hears_from_client();
    // Where memory runs out in the midst of a message it must not be destroyed: its oneof may name
    // a part that is not there. What lies in an arena is not.
    google::protobuf::Arena arena;
    auto& request = *google::protobuf::Arena::CreateMessage<Request>(&arena);
    if (!request.ParseFromString(message)) {
      return stream_->finish(StatusCode::kInvalidArgument, "the request is not valid", {});
    }
    auto& response = *google::protobuf::Arena::CreateMessage<Response>(&arena);
    answer(request, response);
    stream_->send(response.SerializeAsString());
  }

  void on_half_close() override { stream_->finish(StatusCode::kOk, {}, {}); }

 private:
  using Request = reflection::ServerReflectionRequest;
  using Response = reflection::ServerReflectionResponse;

  void answer(const Request& request, Response& response) {
    response.set_valid_host(request.host());
    *response.mutable_original_request() = request;
    switch (request.message_request_case()) {
      case Request::kListServices:
        for (const std::string& name : served_services()) {
          response.mutable_list_services_response()->add_service()->set_name(name);
        }
        response.mutable_list_services_response();
        break;
      case Request::kFileByFilename:
        add_files(response, files().file(request.file_by_filename()));
        break;
      case Request::kFileContainingSymbol:
        add_files(response, files().file_with_symbol(request.file_containing_symbol()));
        break;
      default:
        set_error(response, StatusCode::kUnimplemented, "extensions are not listed here");
    }
  }

  std::vector<std::string> served_services() const {
    std::vector<std::string> names = catalog_->services();
    std::erase_if(names, [this](const std::string& name) { return !serves_(name); });
    return names;
  }

  const loader::ServedFiles& files() {
    if (!files_) files_ = catalog_->files_of(served_services());
    return *files_;
  }

  static void add_files(Response& response, const std::vector<std::string>& files) {
    if (files.empty()) return set_error(response, StatusCode::kNotFound, "there is no such thing");
    for (const std::string& file : files) {
      response.mutable_file_descriptor_response()->add_file_descriptor_proto(file);
    }
  }

  static void set_error(Response& response, StatusCode code, const char* text) {
    response.mutable_error_response()->set_error_code(static_cast<int32_t>(code));
    response.mutable_error_response()->set_error_message(text);
  }

  std::shared_ptr<const loader::ServedFiles> files_;  // once they were asked for
};

}  // namespace

std::unique_ptr<rpc::ServerCallHandler> start_builtin_call(
    const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream,
    std::shared_ptr<const loader::ServiceCatalog> catalog, ServiceFilter serves) {
  const std::string_view method = std::string_view(head.path).substr(1);
  if (method == "grpc.health.v1.Health/Check") {
    return std::make_unique<HealthCheck>(head, std::move(stream), std::move(catalog),
                                         std::move(serves));
  }
  if (method == "grpc.reflection.v1.ServerReflection/ServerReflectionInfo" ||
      method == "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo") {
    return std::make_unique<Reflection>(head, std::move(stream), std::move(catalog),
                                        std::move(serves));
  }
  return nullptr;
}

}  // namespace longshore::endpoint
