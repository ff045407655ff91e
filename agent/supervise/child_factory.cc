#include "supervise/child_factory.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "config/ownership.h"
#include "supervise/child_module.h"
#include "supervise/process_settings.h"
#include "text/file_path.h"

namespace longshore::supervise {
namespace {

namespace fs = std::filesystem;

// The configured program; for the default one that lies beside our own, as in a build tree.
Result<std::string> find_program(const config::AgentSettings& agent) {
  std::string program = agent.module_host;
  if (program == config::AgentSettings{}.module_host) {
    const fs::path beside = module_host_beside_us();
    std::error_code error;
    if (!beside.empty() && fs::exists(beside, error)) program = beside.string();
  }
  std::error_code absent;
  if (!fs::exists(text::file_path(program), absent)) {
    if (!absent) absent = std::make_error_code(std::errc::no_such_file_or_directory);
    return Error(StatusCode::kUnknown, "find the program that runs modules", program)
        .because(absent)
        .advise("install it, or correct agent.module_host");
  }
  const Result<std::vector<config::UserId>> owners = config::owners_of_code(agent);
  if (!owners) return owners.error();
  if (auto owned = config::check_ownership(program, *owners); !owned) return owned.error();
  return program;
}

}  // namespace

Result<std::shared_ptr<loader::ModuleCode>> make_child_module(loader::Inspection inspection,
                                                              const config::ModuleSettings& module,
                                                              const config::AgentSettings& agent,
                                                              std::shared_ptr<Cgroups> groups,
                                                              observe::Log& log) {
  constexpr size_t kHeads = 1 << 20;  // more than all heads and names of methods
  ChildOptions options;
  options.name = module.name;
  options.state_dir = agent.state_dir;
  Result<std::string> program = find_program(agent);
  if (!program) return std::move(program).error();
  options.program = std::move(*program);
  options.groups = std::move(groups);
  if (auto applied = apply_process_settings(module, agent, log, options); !applied) {
    return std::move(applied).error();
  }
  options.max_concurrent_calls = static_cast<size_t>(module.max_concurrent_calls);
  options.max_open_streams = static_cast<size_t>(module.max_open_streams);
  options.max_queued_calls = static_cast<size_t>(module.max_queued_calls);
  options.max_calls_per_bulkhead = static_cast<size_t>(module.max_calls_per_bulkhead);
  options.max_stuck_calls = static_cast<size_t>(module.max_stuck_calls);
  options.max_message_bytes = static_cast<size_t>(agent.limits.max_response_bytes);
  options.frames.frame_bytes =
      kHeads + static_cast<size_t>(
                   std::max(agent.limits.max_response_bytes, agent.limits.max_request_bytes));
  options.frames.waiting_bytes = static_cast<size_t>(module.process.unread_max);
  options.start_timeout = module.start_timeout;
  options.restart_max = static_cast<size_t>(module.process.restart_max);
  options.restart_delay_max = module.process.restart_delay_max;
  // Nobody calls a controller and sees it fail: it has to come back by itself.
  constexpr std::chrono::minutes kLongDelay{5};
  if (inspection.facts->description.is_controller) options.quarantine_time = kLongDelay;
  options.retry_idempotent = module.process.retry_idempotent;
  inspection.file.forget_bytes();
  return std::shared_ptr<loader::ModuleCode>(
      std::make_shared<ChildModule>(std::move(inspection), std::move(options), log));
}

}  // namespace longshore::supervise
