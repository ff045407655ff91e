// `longshorectl config`: longshored reads the files, since only it knows what modules say of
// themselves; the running agent's side of a comparison comes over the socket.
#include <sstream>

#include "longshore/admin/v1.pb.h"
#include "longshore/ctl/v1.pb.h"
#include "tools/longshorectl/admin_call.h"
#include "tools/longshorectl/agent_program.h"
#include "tools/longshorectl/commands.h"

namespace longshore::ctl {
namespace {

constexpr std::string_view kWarning = "warning: ";  // as longshored begins such a line

std::vector<std::string> arguments_for(const ConfigRequest& request) {
  std::vector<std::string> arguments{"config", request.command, "--config=" + request.file};
  for (const std::string& folder : request.module_dirs) {
    arguments.push_back("--module-dir=" + folder);
  }
  if (request.no_ownership_check) arguments.emplace_back("--no-ownership-check");
  if (request.origin) arguments.emplace_back("--origin");
  return arguments;
}

template <typename AddLine>
void each_line(const std::string& text, const AddLine& add) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) add(line);
}

// The outcome, for programs: a check tells its findings as its result, anything else as its error.
// A difference has the form of what `reload` would answer, a shown configuration that of the
// agent's.
int report_as_json(const Report& report, const std::string& command, const ProgramEnd& end) {
  if (command == "check") {
    v1::CheckResult result;
    result.set_ok(end.exit_code == 0);
    each_line(end.errors, [&](const std::string& line) {
      if (line.starts_with(kWarning)) {
        result.add_warnings(line.substr(kWarning.size()));
      } else {
        result.add_findings(line);
      }
    });
    report.message(result);
  } else if (end.exit_code != 0) {
    return report.fail(static_cast<ExitCode>(end.exit_code),
                       Error::of_text(StatusCode::kInvalidArgument, end.errors));
  } else if (command == "diff") {
    admin::v1::ReloadResponse difference;
    each_line(end.output, [&](const std::string& line) { difference.add_changes(line); });
    report.message(difference);
  } else {
    admin::v1::GetConfigResponse shown;
    shown.set_toml(end.output);
    report.message(shown);
  }
  return end.exit_code;
}

}  // namespace

int run_config(const Target& target, const Report& report, const ConfigRequest& request) {
  admin::v1::GetConfigResponse running;
  if (request.command == "diff") {
    const admin::v1::GetConfigRequest asked;
    if (const auto fault = call_control(target, "GetConfig", asked, running)) {
      return report.fail(fault->exit_code, fault->error);
    }
  }
  const auto end = run_agent_program(arguments_for(request), running.toml());
  if (!end) return report.fail(kExitFaultyInput, end.error());
  if (report.json()) return report_as_json(report, request.command, *end);
  print(PrintedText::lines(end->output));
  print_error(PrintedText::lines(end->errors));
  return end->exit_code;
}

}  // namespace longshore::ctl
