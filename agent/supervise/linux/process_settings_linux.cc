#include <algorithm>
#include <utility>

#include "config/capabilities.h"
#include "files/private_folder.h"
#include "supervise/limit_report.h"
#include "supervise/linux/cgroups.h"
#include "supervise/linux/system_call_filter.h"
#include "supervise/linux/user_identity.h"
#include "supervise/linux/writable_paths.h"
#include "supervise/process_settings.h"

namespace longshore::supervise {
namespace {

namespace fs = std::filesystem;

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

bool bounds_writing(const config::ProcessSettings& process) {
  const auto& paths = process.writable_paths;
  return std::find(paths.begin(), paths.end(), "all") == paths.end();
}

// What the kernel has not is gone without, and the report says so. An error: a folder is missing.
Result<void> confine(const config::ModuleSettings& module, const std::string& state_folder,
                     LimitReport& report, child::v1::Restrictions& restrictions) {
  if (module.process.system_call_filter) {
    const std::string why_not = why_no_system_call_filter();
    restrictions.set_filter_system_calls(why_not.empty());
    report.add("system_call_filter", "seccomp", why_not, LimitReport::kNone);
  }
  if (!bounds_writing(module.process)) return {};
  const std::string why_not = why_no_writable_paths();
  restrictions.set_limit_writing(why_not.empty());
  report.add("writable_paths", "landlock", why_not, LimitReport::kNone);
  for (const std::string& path : module.process.writable_paths)
    restrictions.add_writable_paths(path);
  restrictions.add_writable_paths("/dev/null");
  restrictions.add_writable_paths(state_folder);
  return files::make_private_folder(state_folder);
}

void report_limits(const config::ModuleSettings& module, const Cgroups& groups,
                   LimitReport& report) {
  const auto tell = [&](const char* key, bool wanted, const char* controller, const char* instead) {
    if (wanted) report.add(key, "cgroup", groups.why_not(controller), instead);
  };
  tell("cpu_max", module.process.cpu_max > 0, "cpu", LimitReport::kNone);
  tell("memory_max", module.process.memory_max > 0, "memory", "rlimit");
  tell("processes_max", module.process.processes_max > 0, "pids", LimitReport::kNone);
}

}  // namespace

fs::path module_host_beside_us() {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : own.parent_path() / "longshore-modulehost";
}

Result<void> apply_process_settings(const config::ModuleSettings& module,
                                    const config::AgentSettings& agent, observe::Log& log,
                                    ChildOptions& options) {
  Result<child::v1::Restrictions> restrictions = restrictions_of(module.process);
  if (!restrictions) return std::move(restrictions).error();
  options.restrictions = std::move(*restrictions);
  if (options.groups->why_not("memory").empty()) options.restrictions.clear_memory_bytes();
  options.limits = {module.process.cpu_max, static_cast<uint64_t>(module.process.memory_max),
                    static_cast<uint64_t>(module.process.processes_max)};
  const fs::path folder = fs::path(agent.state_dir) / module.name;
  LimitReport report(module.name);
  report_limits(module, *options.groups, report);
  if (auto done = confine(module, folder, report, options.restrictions); !done) return done;
  report.write(log);
  options.limits_in_words = report.words();
  if (!options.restrictions.set_user()) return {};
  return give_folder(folder, options.restrictions.user(), options.restrictions.group());
}

}  // namespace longshore::supervise
