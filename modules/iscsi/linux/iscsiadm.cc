#include "iscsi/linux/iscsiadm.h"

#include <unistd.h>

#include <algorithm>

#include "support/linux/command.h"

namespace longshore::iscsi {
namespace {

constexpr size_t kOutputLimit = size_t{1} << 20;
constexpr const char* kUsualPlaces[] = {"/usr/sbin/iscsiadm", "/sbin/iscsiadm",
                                        "/usr/bin/iscsiadm"};

}  // namespace

std::string Iscsiadm::program() const {
  if (!program_.empty()) return program_;
  const auto found = std::ranges::find_if(
      kUsualPlaces, [](const char* place) { return ::access(place, X_OK) == 0; });
  return found == std::end(kUsualPlaces) ? kUsualPlaces[0] : *found;
}

Result<Iscsiadm::End> Iscsiadm::run(const Run& run) const {
  std::vector<std::string> arguments = {program()};
  arguments.insert(arguments.end(), run.arguments.begin(), run.arguments.end());
  Result<support::CommandEnd> end =
      support::run_command(arguments, {.deadline = std::chrono::steady_clock::now() + run.limit,
                                       .output_limit = run.keeps_output ? kOutputLimit : 0});
  if (!end && end.error().system() == std::errc::no_such_file_or_directory) {
    return Error(StatusCode::kFailedPrecondition, run.operation, run.object)
        .because("there is no " + arguments.front())
        .advise("install the package open-iscsi and start iscsid");
  }
  if (!end) return std::move(end).error();
  if (end->was_killed) {
    return Error(StatusCode::kUnavailable, run.operation, run.object)
        .because("open-iscsi was not done after " +
                 std::to_string(std::chrono::ceil<std::chrono::seconds>(run.limit).count()) + " s")
        .advise("check that the portal answers and that iscsid runs, then repeat the call");
  }
  const auto exit_code = static_cast<ExitCode>(end->exit_code);
  if (std::ranges::find(run.successes, exit_code) == run.successes.end()) {
    return error_of_exit_code(end->exit_code, run.operation, run.object, end->complaint);
  }
  return End{exit_code, std::move(end->output)};
}

}  // namespace longshore::iscsi
