// The right to make symbolic links, which administrators have and which is not switched on.
#pragma once

namespace longshore::support {

// Switches it on for this process, once and for all. False: the process does not have it.
// Threads: any.
bool enable_symbolic_link_privilege();

}  // namespace longshore::support
