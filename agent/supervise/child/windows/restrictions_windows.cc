#include "supervise/child/restrictions.h"

namespace longshore::supervise {

// The agent has put this process into its job object before it ran, and asks for nothing else: of
// what Linux has more, nothing is passed over in silence.
Result<void> restrict_process(const child::v1::Restrictions& restrictions) {
  if (!restrictions.set_user() && !restrictions.limit_capabilities() &&
      restrictions.memory_bytes() == 0 && restrictions.files() == 0) {
    return {};
  }
  return Error(StatusCode::kUnimplemented, "give up what the agent says")
      .because("there are no users, capabilities and limits of a process's own on Windows");
}

}  // namespace longshore::supervise
