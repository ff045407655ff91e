#include "tools/longshorectl/admin_call.h"

#include <utility>

namespace longshore::ctl {
namespace {

const std::string kService = "longshore.admin.v1.Admin";

// UNIMPLEMENTED has two reasons: another socket, or another version of the agent.
Fault not_served(const Target& target, const std::string& method, const Error& error) {
  const bool other_socket = error.message().find(kService + '/') == std::string::npos;
  Error wrong(StatusCode::kUnimplemented, "ask at", target.socket);
  if (other_socket) {
    return {kExitNotReachable,
            std::move(wrong)
                .because("this socket does not serve " + kService +
                         "; its answer was: " + error.message())
                .advise("give the agent's control socket by --socket, not one for drivers")};
  }
  return {kExitCallFailed, std::move(wrong)
                               .because("this agent does not know " + method)
                               .advise("longshorectl and longshored should be of one version")};
}

}  // namespace

Fault fault_of(const AgentClient& client, Error error) {
  return {client.is_out_of_reach() ? kExitNotReachable : kExitCallFailed, std::move(error)};
}

std::optional<Fault> call_control(const Target& target, const std::string& method,
                                  const google::protobuf::Message& request,
                                  google::protobuf::Message& response) {
  auto client = AgentClient::connect(target.socket, target.timeout);
  if (!client) return Fault{kExitNotReachable, client.error()};
  bool readable = true;
  const auto done = (*client)->call(
      kService + "/" + method, request.SerializeAsString(),
      [&](const std::string& answer) { readable = response.ParseFromString(answer); });
  if (!done && done.error().code() == StatusCode::kUnimplemented) {
    return not_served(target, method, done.error());
  }
  if (!done) return fault_of(**client, done.error());
  if (!readable) {
    return Fault{kExitCallFailed,
                 Error(StatusCode::kInternal, "read the agent's answer to", method)};
  }
  return std::nullopt;
}

}  // namespace longshore::ctl
