#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "supervise/child/restrictions.h"
#include "supervise/linux/system_call_filter.h"
#include "supervise/linux/writable_paths.h"

namespace longshore::supervise {
namespace {

Error failed(std::string what, const std::error_code& error) {
  return Error(StatusCode::kUnknown, std::move(what)).because(error);
}

Result<void> limit(__rlimit_resource resource, const char* what, uint64_t most) {
  if (most == 0) return {};
  const rlimit value{most, most};
  const std::error_code error = error_unless(setrlimit(resource, &value) == 0);
  if (!error) return {};
  return failed(std::string("limit its ") + what + " to " + std::to_string(most), error);
}

bool is_kept(uint64_t kept, int capability) { return (kept >> capability & 1) != 0; }

// What no program that it starts can get back.
Result<void> narrow_bounds(uint64_t kept) {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    if (is_kept(kept, capability) || prctl(PR_CAPBSET_READ, capability) == 0) continue;
    if (const std::error_code error = error_unless(prctl(PR_CAPBSET_DROP, capability) == 0)) {
      return failed("drop a capability", error);
    }
  }
  return {};
}

Result<void> become(const child::v1::Restrictions& who) {
  const std::vector<gid_t> groups(who.groups().begin(), who.groups().end());
  std::error_code error = error_unless(setgroups(groups.size(), groups.data()) == 0);
  if (!error) error = error_unless(setresgid(who.group(), who.group(), who.group()) == 0);
  if (!error) error = error_unless(setresuid(who.user(), who.user(), who.user()) == 0);
  if (!error) return {};
  return failed("become the user " + std::to_string(who.user()), error);
}

// Keeps exactly these; another user than root passes them on to the programs it starts as well.
Result<void> keep_capabilities(uint64_t kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const auto low = static_cast<uint32_t>(kept);
  const auto high = static_cast<uint32_t>(kept >> 32);
  const __user_cap_data_struct data[2] = {{low, low, low}, {high, high, high}};
  std::error_code error = error_unless(syscall(SYS_capset, &header, data) == 0);
  if (error) return failed("keep its capabilities", error);
  if (geteuid() == 0) return {};
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    if (!is_kept(kept, capability)) continue;
    error = error_unless(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0);
    if (error) return failed("pass a capability on", error);
  }
  return {};
}

// While it still may: without no_new_privs that takes a capability, which may be given up next.
Result<void> bound_by_kernel(const child::v1::Restrictions& restrictions) {
  if (restrictions.no_new_privileges()) {
    const std::error_code error = error_unless(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (error) return failed("give up new privileges", error);
  }
  if (restrictions.limit_writing()) {
    const auto& paths = restrictions.writable_paths();
    if (auto done = write_only_beneath({paths.begin(), paths.end()}); !done) return done;
  }
  return restrictions.filter_system_calls() ? filter_system_calls() : Result<void>();
}

}  // namespace

Result<void> restrict_process(const child::v1::Restrictions& restrictions) {
  // RLIMIT_DATA counts what is written to, RLIMIT_AS also what is only reserved.
  if (auto done = limit(RLIMIT_DATA, "memory", restrictions.memory_bytes()); !done) return done;
  if (auto done = limit(RLIMIT_NOFILE, "descriptors", restrictions.files()); !done) return done;
  if (auto done = bound_by_kernel(restrictions); !done) return done;
  const bool keeps_some = restrictions.limit_capabilities();
  if (keeps_some) {
    if (auto done = narrow_bounds(restrictions.capabilities()); !done) return done;
    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);  // over the change of the user, until they are set below
  }
  if (restrictions.set_user()) {
    if (auto done = become(restrictions); !done) return done;
  }
  if (keeps_some) {
    if (auto done = keep_capabilities(restrictions.capabilities()); !done) return done;
  }
  // Last, since a change of the user undoes it. The end of the pipes would tell as well, but not a
  // process that is stopped.
  const std::error_code error = error_unless(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0);
  return error ? failed("die with the agent", error) : Result<void>();
}

}  // namespace longshore::supervise
