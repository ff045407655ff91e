// Asks the initiator for its longer answers, with as much room as they need, and has them read by
// initiator_answers.h.
//
// Threads: plain functions. They may take as long as the initiator does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "iscsi/portal.h"
#include "iscsi/windows/initiator_answers.h"
#include "iscsi/windows/initiator_error.h"
#include "iscsi/windows/initiator_library.h"
#include "longshore/result.hpp"

namespace longshore::iscsi {

// Those that targets are asked of. What is no portal is left out.
Result<std::vector<Portal>> read_portals(InitiatorLibrary& library,
                                         const InitiatorPurpose& purpose);

// The names of all targets that are known, each once. What is no name is left out: a portal can
// answer anything.
Result<std::vector<std::string>> read_targets(InitiatorLibrary& library,
                                              const InitiatorPurpose& purpose);

// Where a target is offered.
Result<std::vector<Portal>> read_portals_of(InitiatorLibrary& library, const std::string& target,
                                            const InitiatorPurpose& purpose);

Result<std::vector<InitiatorSession>> read_sessions(InitiatorLibrary& library,
                                                    const InitiatorPurpose& purpose);

// The numbers of a session's disks, each once.
Result<std::vector<uint32_t>> read_disks(InitiatorLibrary& library, InitiatorId session,
                                         const InitiatorPurpose& purpose);

// A portal as the initiator takes it.
TargetPortal target_portal(const Portal& portal);

}  // namespace longshore::iscsi
