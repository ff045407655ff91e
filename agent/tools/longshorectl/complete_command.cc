// What completes a command line for the shell; see packaging/completion.
#include <set>
#include <sstream>

#include "longshore/admin/v1.pb.h"
#include "tools/cli_completion.h"
#include "tools/longshorectl/admin_call.h"
#include "tools/longshorectl/command_line.h"

namespace longshore::ctl {
namespace {

namespace messages = longshore::admin::v1;

// Somebody waits at the keyboard.
constexpr std::chrono::milliseconds kPatience{500};

// What is typed of --socket, wherever it stands.
Target target_of(const std::vector<std::string>& words) {
  Target target;
  target.timeout = kPatience;
  const std::string option = "--socket";
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == option) target.socket = words[i + 1];
    if (words[i].starts_with(option + "=")) target.socket = words[i].substr(option.size() + 1);
  }
  return target;
}

// The names that the agent knows; none when it does not answer.
std::vector<std::string> names_of(const Target& target, const std::string& type) {
  std::set<std::string> names;
  if (type == "METHOD") {
    messages::ListServicesResponse response;
    call_control(target, "ListServices", messages::ListServicesRequest(), response);
    for (const auto& service : response.services()) {
      for (const auto& method : service.methods()) {
        names.insert(service.name() + "/" + method.name());
      }
    }
  } else if (type == "MODULE" || type == "CONTROLLER") {
    messages::ListModulesResponse response;
    call_control(target, "ListModules", messages::ListModulesRequest(), response);
    for (const auto& module : response.modules()) {
      if (type == "MODULE" || module.is_controller()) names.insert(module.name());
    }
  } else if (type == "REQUEST-ID") {
    messages::ListCallsResponse response;
    call_control(target, "ListCalls", messages::ListCallsRequest(), response);
    for (const auto& call : response.calls()) names.insert(call.request_id());
  }
  return {names.begin(), names.end()};
}

}  // namespace

int complete_words(const std::vector<std::string>& words) {
  CommandLine line;
  CLI::App app;
  describe(app, line);
  const auto values = [&](const std::string& type, const std::string&) {
    return names_of(target_of(words), type);
  };
  std::ostringstream candidates;
  cli_completion::print(cli_completion::complete(app, words, values), candidates);
  print(PrintedText::lines(candidates.str()));
  return kExitOk;
}

}  // namespace longshore::ctl
