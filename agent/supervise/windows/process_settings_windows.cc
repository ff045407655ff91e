#include <windows.h>

#include <array>

#include "supervise/limit_report.h"
#include "supervise/process_settings.h"
#include "supervise/windows/job_object.h"

namespace longshore::supervise {
namespace {

// What a file has to ask for and Windows has nothing of: the module must not run with more than the
// file says. Linux' system_call_filter and no_new_privs are on without being asked for, and mean
// nothing here.
Result<void> check_settings(const config::ModuleSettings& module) {
  const config::ProcessSettings& process = module.process;
  const char* key = nullptr;
  if (!process.user.empty()) key = "user";
  if (process.capabilities != config::ProcessSettings{}.capabilities) key = "capabilities";
  if (process.files_max > 0) key = "files_max";
  if (process.writable_paths != config::ProcessSettings{}.writable_paths) key = "writable_paths";
  if (!key) return {};
  const std::string full_key = module.table() + ".process." + key;
  return Error(StatusCode::kUnimplemented, "limit the process of the module", module.name)
      .because("there is no " + full_key + " on Windows")
      .advise("leave it out");
}

}  // namespace

std::filesystem::path module_host_beside_us() {
  std::array<wchar_t, 32768> own{};
  const DWORD size = GetModuleFileNameW(nullptr, own.data(), static_cast<DWORD>(own.size()));
  if (size == 0 || size == own.size()) return {};
  return std::filesystem::path(own.data()).parent_path() / "longshore-modulehost.exe";
}

// A job object that nobody is in tells which limits can be set.
Result<void> apply_process_settings(const config::ModuleSettings& module,
                                    const config::AgentSettings&, observe::Log& log,
                                    ChildOptions& options) {
  if (auto known = check_settings(module); !known) return known;
  options.limits = {module.process.cpu_max, static_cast<uint64_t>(module.process.memory_max),
                    static_cast<uint64_t>(module.process.processes_max)};
  const auto job = JobObject::make(options.limits);
  if (!job) return job.error();
  LimitReport report(module.name);
  const auto tell = [&](const char* key, bool wanted) {
    const auto fault = job->faults().find(key);
    if (!wanted) return;
    report.add(key, "job", fault == job->faults().end() ? std::string() : fault->second,
               LimitReport::kNone);
  };
  tell("cpu_max", options.limits.processors > 0);
  tell("memory_max", options.limits.memory > 0);
  tell("processes_max", options.limits.processes > 0);
  report.write(log);
  options.limits_in_words = report.words();
  return {};
}

}  // namespace longshore::supervise
