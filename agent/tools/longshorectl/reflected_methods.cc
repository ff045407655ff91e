#include "tools/longshorectl/reflected_methods.h"

#include <google/protobuf/descriptor.pb.h>

#include <utility>

#include "grpc/reflection/v1.pb.h"

namespace longshore::ctl {
namespace {

namespace protobuf = google::protobuf;
namespace reflection = grpc::reflection::v1;

// Keeps protobuf from writing to standard error by itself.
class FirstError final : public protobuf::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element, const protobuf::Message*,
                ErrorLocation, const std::string& message) override {
    if (text.empty()) text = file + ": " + element + ": " + message;
  }
  std::string text;
};

Result<reflection::FileDescriptorResponse> files_of(AgentClient& client,
                                                    const std::string& service) {
  reflection::ServerReflectionRequest request;
  request.set_file_containing_symbol(service);
  const Result<std::string> answer = client.ask(
      "grpc.reflection.v1.ServerReflection/ServerReflectionInfo", request.SerializeAsString());
  if (!answer) return answer.error();
  reflection::ServerReflectionResponse response;
  if (!response.ParseFromString(*answer)) {
    return Error(StatusCode::kInternal, "read the reflection of", service);
  }
  if (response.has_error_response()) {
    const auto code = static_cast<StatusCode>(response.error_response().error_code());
    return Error(code, "find the service", service)
        .because(response.error_response().error_message())
        .advise(
            "`longshorectl services` lists what is served; a module that is not in the "
            "configuration, or has `enabled = false` there, serves nothing");
  }
  return response.file_descriptor_response();
}

std::string names_of_methods(const protobuf::ServiceDescriptor& service) {
  std::string names;
  for (int i = 0; i < service.method_count(); ++i) {
    names += (names.empty() ? "" : ", ") + service.method(i)->name();
  }
  return names;
}

}  // namespace

Result<const protobuf::MethodDescriptor*> ReflectedMethods::find(AgentClient& client,
                                                                 const std::string& service,
                                                                 const std::string& method) {
  const auto response = files_of(client, service);
  if (!response) return response.error();
  for (const std::string& bytes : response->file_descriptor_proto()) {
    protobuf::FileDescriptorProto file;
    protobuf::FileDescriptorProto known;
    if (!file.ParseFromString(bytes)) {
      return Error(StatusCode::kInternal, "read the descriptors of", service);
    }
    if (!files_.FindFileByName(file.name(), &known)) files_.Add(file);
  }
  auto error = std::make_unique<FirstError>();
  const FirstError& first_error = *error;
  errors_ = std::move(error);
  pool_ = std::make_unique<protobuf::DescriptorPool>(&files_, errors_.get());
  const auto* described = pool_->FindServiceByName(service);
  if (described == nullptr) {
    return Error(StatusCode::kInternal, "read the descriptors of", service)
        .because(first_error.text);
  }
  const auto* found = described->FindMethodByName(method);
  if (found == nullptr) {
    return Error(StatusCode::kNotFound, "find the method", service + "/" + method)
        .because("the service has " + names_of_methods(*described));
  }
  return found;
}

}  // namespace longshore::ctl
