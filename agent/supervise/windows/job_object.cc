#include "supervise/windows/job_object.h"

#include <algorithm>

namespace longshore::supervise {

Result<JobObject> JobObject::make(const GroupLimits& limits) {
  Handle handle(CreateJobObjectW(nullptr, nullptr));
  if (!handle) return Error(StatusCode::kUnknown, "make a job object").because(handle.error());
  JobObject job(std::move(handle));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION kept{};
  DWORD& flags = kept.BasicLimitInformation.LimitFlags;
  flags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  // Without these nothing is started: what is told here is never left out.
  if (auto set = job.set(JobObjectExtendedLimitInformation, &kept, sizeof(kept)); !set) {
    return std::move(set).error();
  }
  const auto add = [&](const char* key, DWORD flag) {
    flags |= flag;
    if (auto set = job.set(JobObjectExtendedLimitInformation, &kept, sizeof(kept)); !set) {
      job.faults_[key] = set.error().message();
      flags &= ~flag;
    }
  };
  if (limits.memory > 0) {
    kept.JobMemoryLimit = limits.memory;
    add("memory_max", JOB_OBJECT_LIMIT_JOB_MEMORY);
  }
  if (limits.processes > 0) {
    kept.BasicLimitInformation.ActiveProcessLimit =
        static_cast<DWORD>(std::min<uint64_t>(limits.processes, MAXDWORD));
    add("processes_max", JOB_OBJECT_LIMIT_ACTIVE_PROCESS);
  }
  if (limits.processors > 0) {
    if (auto set = job.limit_processors(limits.processors); !set) {
      job.faults_["cpu_max"] = set.error().message();
    }
  }
  return job;
}

Result<void> JobObject::set(JOBOBJECTINFOCLASS kind, void* information, size_t size) const {
  const std::error_code error = error_unless(
      SetInformationJobObject(job_.get(), kind, information, static_cast<DWORD>(size)) != FALSE);
  if (!error) return {};
  return Error(StatusCode::kUnknown, "set limits of a job object").because(error);
}

// Windows counts in hundredths of a percent of all processors together.
Result<void> JobObject::limit_processors(double processors) const {
  constexpr double kAll = 10'000;
  SYSTEM_INFO system{};
  GetSystemInfo(&system);
  const double part = kAll * processors / static_cast<double>(system.dwNumberOfProcessors);
  JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate{};
  rate.ControlFlags = JOB_OBJECT_CPU_RATE_CONTROL_ENABLE | JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
  rate.CpuRate = static_cast<DWORD>(std::clamp(part, 1.0, kAll));
  return set(JobObjectCpuRateControlInformation, &rate, sizeof(rate));
}

Result<void> JobObject::add(HANDLE process) const {
  const std::error_code error =
      error_unless(AssignProcessToJobObject(job_.get(), process) != FALSE);
  if (!error) return {};
  return Error(StatusCode::kUnknown, "put a process into a job object").because(error);
}

void JobObject::end_all(uint32_t code) const { TerminateJobObject(job_.get(), code); }

}  // namespace longshore::supervise
