// The lines of the audit log, as JSON objects without line ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "router/call.h"
#include "router/recent_calls.h"

namespace longshore::router {

// "begin", of a call that no target has yet.
std::string audit_line_of_begin(const Call& call);
// "end", of one that has its first line.
std::string audit_line_of_end(const RecentCalls::Answered& answered, bool unfinished);
// "refused", of one that has none.
std::string audit_line_of_refusal(const RecentCalls::Answered& answered, uint64_t suppressed);
// "suppressed": refused calls of a caller that have no line.
std::string audit_line_of_suppressed(std::string_view caller, uint64_t count);
// "lost": lines that could not be kept, and calls that were refused for want of a line.
std::string audit_line_of_lost(uint64_t lines, uint64_t refused_calls);

// By permissions: no module has seen it.
bool was_refused_by_permissions(const RecentCalls::Answered& answered);

}  // namespace longshore::router
