// What the kernel refuses a module's process and all that it starts: system calls that no storage
// needs, and by which one that was taken over would take over the node (seccomp).
//
// A list of what is refused, not of what is allowed: modules of others mount, ask devices and start
// programs that nobody here knows. The unit's own filter, which is a list of what is allowed, holds
// beside it. Refused calls fail with EPERM, and the kernel's log tells them (audit, type 1326).
// Threads: any; the filter is one thread's and of those that it starts from then on.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::supervise {

// Empty where this kernel can filter, and the reason where it cannot.
std::string why_no_system_call_filter();

// For the calling thread and for ever. Takes no_new_privs or CAP_SYS_ADMIN.
Result<void> filter_system_calls();

}  // namespace longshore::supervise
