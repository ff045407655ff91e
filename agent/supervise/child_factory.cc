#include "supervise/child_factory.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "config/capabilities.h"
#include "config/ownership.h"
#include "config/user_names.h"
#include "supervise/child_module.h"
#include "supervise/linux/user_identity.h"

namespace longshore::supervise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNone = "none";

// The configured program; for the default one that lies beside our own, as in a build tree.
Result<std::string> find_program(const config::AgentSettings& agent) {
  std::string program = agent.module_host;
  if (program == config::AgentSettings{}.module_host) {
    std::error_code error;
    const fs::path own = fs::read_symlink("/proc/self/exe", error);
    const fs::path beside = own.parent_path() / "longshore-modulehost";
    if (!error && fs::exists(beside, error)) program = beside;
  }
  std::error_code absent;
  if (!fs::exists(program, absent)) {
    if (!absent) absent = std::make_error_code(std::errc::no_such_file_or_directory);
    return Error(StatusCode::kUnknown, "find the program that runs modules", program)
        .because(absent)
        .advise("install it, or correct agent.module_host");
  }
  std::vector<unsigned> owners{config::own_user_id()};
  for (const std::string& name : agent.trusted_owners) {
    const Result<unsigned> id = config::user_id_of(name);
    if (!id) return id.error();
    owners.push_back(*id);
  }
  if (auto owned = config::check_ownership(program, owners); !owned) return owned.error();
  return program;
}

Result<child::v1::Restrictions> restrictions_of(const config::ProcessSettings& process) {
  child::v1::Restrictions restrictions;
  if (!process.user.empty()) {
    const Result<UserIdentity> identity = user_identity(process.user);
    if (!identity) return identity.error();
    restrictions.set_set_user(true);
    restrictions.set_user(identity->user);
    restrictions.set_group(identity->group);
    for (const unsigned group : identity->groups) restrictions.add_groups(group);
  }
  const auto& kept = process.capabilities;
  restrictions.set_limit_capabilities(std::find(kept.begin(), kept.end(), "all") == kept.end());
  uint64_t bits = 0;
  for (const std::string& name : kept) {
    if (const auto number = config::capability_number(name)) bits |= uint64_t{1} << *number;
  }
  restrictions.set_capabilities(bits);
  restrictions.set_no_new_privileges(process.no_new_privs);
  restrictions.set_memory_bytes(static_cast<uint64_t>(process.memory_max));
  restrictions.set_files(static_cast<uint64_t>(process.files_max));
  return restrictions;
}

// Which limits there are, by what, and why not otherwise.
void log_limits(const config::ModuleSettings& module, const ControlGroups& groups,
                observe::Log& log) {
  observe::Fields fields = {{"module", module.name}};
  std::string reason;
  bool all = true;
  const auto tell = [&](const char* key, bool wanted, const char* controller, const char* instead) {
    if (!wanted) return;
    const std::string why_not = groups.why_not(controller);
    fields.push_back({key, why_not.empty() ? "cgroup" : instead});
    if (why_not.empty()) return;
    if (reason.find(why_not) == std::string::npos) reason += (reason.empty() ? "" : "; ") + why_not;
    all = all && std::string_view(instead) != kNone;
  };
  tell("cpu_max", module.process.cpu_max > 0, "cpu", kNone);
  tell("memory_max", module.process.memory_max > 0, "memory", "rlimit");
  tell("processes_max", module.process.processes_max > 0, "pids", kNone);
  if (fields.size() == 1) return;
  if (!reason.empty()) fields.push_back({"reason", reason});
  log.write(all ? observe::Level::kInfo : observe::Level::kWarning,
            all ? "the limits of the module's process"
                : "the module's process is not limited as configured",
            fields);
}

}  // namespace

Result<std::shared_ptr<loader::ModuleCode>> make_child_module(loader::Inspection inspection,
                                                              const config::ModuleSettings& module,
                                                              const config::AgentSettings& agent,
                                                              std::shared_ptr<ControlGroups> groups,
                                                              observe::Log& log) {
  constexpr size_t kHeads = 1 << 20;  // more than all heads and names of methods
  ChildOptions options;
  options.name = module.name;
  Result<std::string> program = find_program(agent);
  if (!program) return std::move(program).error();
  options.program = std::move(*program);
  Result<child::v1::Restrictions> restrictions = restrictions_of(module.process);
  if (!restrictions) return std::move(restrictions).error();
  options.restrictions = std::move(*restrictions);
  if (groups->why_not("memory").empty()) options.restrictions.clear_memory_bytes();
  options.limits = {module.process.cpu_max, static_cast<uint64_t>(module.process.memory_max),
                    static_cast<uint64_t>(module.process.processes_max)};
  log_limits(module, *groups, log);
  options.groups = std::move(groups);
  if (options.restrictions.set_user()) {
    const fs::path folder = fs::path(agent.state_dir) / module.name;
    if (auto given = give_folder(folder, options.restrictions.user(), options.restrictions.group());
        !given) {
      return std::move(given).error();
    }
  }
  options.max_concurrent_calls = static_cast<size_t>(module.max_concurrent_calls);
  options.max_stuck_calls = static_cast<size_t>(module.max_stuck_calls);
  options.max_message_bytes = static_cast<size_t>(agent.limits.max_response_bytes);
  options.max_frame_bytes = kHeads + static_cast<size_t>(std::max(agent.limits.max_response_bytes,
                                                                  agent.limits.max_request_bytes));
  options.start_timeout = module.start_timeout;
  options.restart_max = static_cast<size_t>(module.process.restart_max);
  options.restart_delay_max = module.process.restart_delay_max;
  options.retry_idempotent = module.process.retry_idempotent;
  inspection.file.forget_bytes();
  return std::shared_ptr<loader::ModuleCode>(
      std::make_shared<ChildModule>(std::move(inspection), std::move(options), log));
}

}  // namespace longshore::supervise
