// A call of longshore.admin.v1.Admin, the agent's own service.
#pragma once

#include <google/protobuf/message.h>

#include <optional>
#include <string>

#include "tools/longshorectl/agent_client.h"
#include "tools/longshorectl/commands.h"

namespace longshore::ctl {

// Why a command failed, and the exit code for it.
struct Fault {
  ExitCode exit_code;
  Error error;
};

// What `error`, of a call by this client, means for the program.
Fault fault_of(const AgentClient& client, Error error);

// Connects and calls, e.g. "GetStatus". Nothing: `response` has the answer.
std::optional<Fault> call_control(const Target& target, const std::string& method,
                                  const google::protobuf::Message& request,
                                  google::protobuf::Message& response);

// A whole command: the answer goes to `show`, or as it is to programs.
template <typename Response, typename Show>
int ask_agent(const Target& target, const Report& report, const std::string& method,
              const google::protobuf::Message& request, Show show) {
  Response response;
  if (const auto fault = call_control(target, method, request, response)) {
    return report.fail(fault->exit_code, fault->error);
  }
  if (report.json()) {
    report.message(response);
  } else {
    show(response);
  }
  return kExitOk;
}

}  // namespace longshore::ctl
