#include "endpoint/builtin_services.h"

#include <utility>

#include "grpc/health/v1.pb.h"
#include "grpc/reflection/v1.pb.h"

namespace longshore::endpoint {
namespace {

namespace health = grpc::health::v1;
namespace reflection = grpc::reflection::v1;

// Both answer at once, so there is nothing to cancel; a reader that stalls is the connection's
// affair, which bounds what it queues.
class BuiltinCall : public rpc::ServerCallHandler {
 public:
  BuiltinCall(std::shared_ptr<rpc::ServerStream> stream,
              std::shared_ptr<const loader::ServiceCatalog> catalog, ServiceFilter serves)
      : stream_(std::move(stream)), catalog_(std::move(catalog)), serves_(std::move(serves)) {}
  void on_cancel() override {}
  void on_writable() override {}

 protected:
  bool served(std::string_view service) const { return catalog_->has(service) && serves_(service); }

  const std::shared_ptr<rpc::ServerStream> stream_;
  const std::shared_ptr<const loader::ServiceCatalog> catalog_;
  const ServiceFilter serves_;
};

class HealthCheck final : public BuiltinCall {
 public:
  using BuiltinCall::BuiltinCall;

  void on_message(std::string message) override {
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

  void on_message(std::string message) override {
    reflection::ServerReflectionRequest request;
    if (!request.ParseFromString(message)) {
      return stream_->finish(StatusCode::kInvalidArgument, "the request is not valid", {});
    }
    stream_->send(answer(request).SerializeAsString());
  }

  void on_half_close() override { stream_->finish(StatusCode::kOk, {}, {}); }

 private:
  reflection::ServerReflectionResponse answer(
      const reflection::ServerReflectionRequest& request) const {
    reflection::ServerReflectionResponse response;
    response.set_valid_host(request.host());
    *response.mutable_original_request() = request;
    switch (request.message_request_case()) {
      case reflection::ServerReflectionRequest::kListServices:
        for (const std::string& name : catalog_->services()) {
          if (!serves_(name)) continue;
          response.mutable_list_services_response()->add_service()->set_name(name);
        }
        response.mutable_list_services_response();
        break;
      case reflection::ServerReflectionRequest::kFileByFilename:
        add_files(response, catalog_->file(request.file_by_filename()));
        break;
      case reflection::ServerReflectionRequest::kFileContainingSymbol:
        add_files(response, catalog_->file_with_symbol(request.file_containing_symbol()));
        break;
      default:
        set_error(response, StatusCode::kUnimplemented, "extensions are not listed here");
    }
    return response;
  }

  static void add_files(reflection::ServerReflectionResponse& response,
                        const std::vector<std::string>& files) {
    if (files.empty()) return set_error(response, StatusCode::kNotFound, "there is no such thing");
    for (const std::string& file : files) {
      response.mutable_file_descriptor_response()->add_file_descriptor_proto(file);
    }
  }

  static void set_error(reflection::ServerReflectionResponse& response, StatusCode code,
                        const char* text) {
    response.mutable_error_response()->set_error_code(static_cast<int32_t>(code));
    response.mutable_error_response()->set_error_message(text);
  }
};

}  // namespace

std::unique_ptr<rpc::ServerCallHandler> start_builtin_call(
    std::string_view method, std::shared_ptr<rpc::ServerStream> stream,
    std::shared_ptr<const loader::ServiceCatalog> catalog, ServiceFilter serves) {
  if (method == "grpc.health.v1.Health/Check") {
    return std::make_unique<HealthCheck>(std::move(stream), std::move(catalog), std::move(serves));
  }
  if (method == "grpc.reflection.v1.ServerReflection/ServerReflectionInfo" ||
      method == "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo") {
    return std::make_unique<Reflection>(std::move(stream), std::move(catalog), std::move(serves));
  }
  return nullptr;
}

}  // namespace longshore::endpoint
