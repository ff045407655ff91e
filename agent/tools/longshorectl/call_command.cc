// `longshorectl call`: any method of any module, in JSON.
#include <google/protobuf/dynamic_message.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>

#include "text/file_path.h"
#include "text/read_at_most.h"
#include "tools/longshorectl/admin_call.h"
#include "tools/longshorectl/agent_client.h"
#include "tools/longshorectl/commands.h"
#include "tools/longshorectl/json_message.h"
#include "tools/longshorectl/reflected_methods.h"

namespace longshore::ctl {
namespace {

namespace protobuf = google::protobuf;

constexpr size_t kMaxRequestBytes = 32u << 20;  // more than any message has in JSON

// FIFOs and devices are read too: shells give what another program writes as one.
Result<std::string> all_of(std::istream& stream, const std::string& name) {
  std::optional<std::string> text = text::read_at_most(stream, kMaxRequestBytes);
  if (text) return *std::move(text);
  return Error(StatusCode::kInvalidArgument, "read the request from", name)
      .because("it is longer than " + std::to_string(kMaxRequestBytes) + " bytes");
}

bool is_on_command_line(const std::string& request) {
  return request != "-" && !request.starts_with('@');
}

Result<std::string> json_text(const std::string& request) {
  if (is_on_command_line(request)) return request;
  if (request == "-") return all_of(std::cin, "standard input");
  const std::string name = request.substr(1);
  std::ifstream file(text::file_path(name), std::ios::binary);
  const bool is_open = file.is_open();
  Result<std::string> text = is_open ? all_of(file, name) : std::string();
  if (!is_open || file.bad()) {
    return Error(StatusCode::kUnknown, "read the request from", name)
        .because(std::error_code(errno, std::generic_category()));
  }
  return text;
}

// Shows each answer as it comes; `error` keeps the first that cannot be shown.
class ResponsePrinter {
 public:
  ResponsePrinter(const Report& report, JsonForm form, std::unique_ptr<protobuf::Message> message)
      : report_(report), form_(form), message_(std::move(message)) {}

  void operator()(const std::string& answer) {
    if (!message_->ParseFromString(answer)) {
      error_ = Error(StatusCode::kInternal, "read an answer of type", message_->GetTypeName());
      return;
    }
    const Result<std::string> json = to_json(*message_, form_);
    if (!json) {
      error_ = json.error();
      return;
    }
    report_.line(PrintedText::json(*json));
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  const Report& report_;
  const JsonForm form_;
  const std::unique_ptr<protobuf::Message> message_;
  std::optional<Error> error_;
};

}  // namespace

int call_method(const Target& target, const Report& report, const std::string& method,
                const std::string& request) {
  const size_t slash = method.find('/');
  if (slash == std::string::npos) {
    return report.fail(kExitUsage, Error(StatusCode::kInvalidArgument, "call", method)
                                       .because("it is not <service>/<method>"));
  }
  const Result<std::string> json = json_text(request);
  if (!json) return report.fail(kExitFaultyInput, json.error());
  auto client = AgentClient::connect(target.socket, target.timeout);
  if (!client) return report.fail(kExitNotReachable, client.error());
  ReflectedMethods methods;
  const auto described = methods.find(**client, method.substr(0, slash), method.substr(slash + 1));
  const auto failed = [&](const Error& error) {
    const Fault fault = fault_of(**client, error);
    return report.fail(fault.exit_code, fault.error);
  };
  if (!described) return failed(described.error());

  protobuf::DynamicMessageFactory factory;
  const auto make = [&](const protobuf::Descriptor* type) {
    return std::unique_ptr<protobuf::Message>(factory.GetPrototype(type)->New());
  };
  const auto message = make((*described)->input_type());
  if (auto read = from_json(*json, *message); !read) {
    return report.fail(kExitFaultyInput, read.error());
  }
  if (const std::string secret = secret_in(*message);
      !secret.empty() && is_on_command_line(request)) {
    return report.fail(kExitUsage,
                       Error(StatusCode::kInvalidArgument, "take from the command line", secret)
                           .because("it is secret, and every user can read command lines")
                           .advise("give the JSON on standard input (-) or in a file (@file)"));
  }
  const bool one_line = report.json() || (*described)->server_streaming();
  ResponsePrinter print(report, one_line ? JsonForm::kOneLine : JsonForm::kIndented,
                        make((*described)->output_type()));
  const auto done = (*client)->call(method, message->SerializeAsString(), std::ref(print));
  if (!done) return failed(done.error());
  if (print.error()) return report.fail(kExitCallFailed, *print.error());
  return kExitOk;
}

}  // namespace longshore::ctl
