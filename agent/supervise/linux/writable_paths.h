// Bounds what a module's process and all that it starts may write to (Landlock): files that were
// not named are not written, made, removed or renamed, whoever owns them. What is open already
// stays as it is, and reading is another matter. A bounded process can mount and unmount nothing.
//
// Threads: any; the bound is one thread's and of those that it starts from then on.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::supervise {

// Empty where this kernel has Landlock, and the reason where it has not.
std::string why_no_writable_paths();

// For the calling thread and for ever; each path has to be there. Takes no_new_privs or
// CAP_SYS_ADMIN.
Result<void> write_only_beneath(const std::vector<std::string>& paths);

}  // namespace longshore::supervise
