// What the initiator's longer answers say: arrays of the sizes that it tells, and structures with
// pointers into the buffer that holds them.
//
// No count, size or address in them is believed before it was compared with the buffer; nothing is
// the answer where one of them lies. What a portal may say (names, addresses) is taken where it is
// one, and left out where it is not. Buffers may be longer than what was written into them.
//
// Threads: plain functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "iscsi/portal.h"
#include "iscsi/windows/initiator_structures.h"
#include "support/windows/pointed_answer.h"

namespace longshore::iscsi {

struct InitiatorSession {
  InitiatorId id;
  std::vector<std::string> target_names;  // both that Windows tells of it
  std::vector<Portal> portals;            // of its connections
};

// Of so many TargetPortalInfo, each portal once.
std::optional<std::vector<Portal>> portals_of_infos(std::span<const std::byte> answer,
                                                    uint64_t count);
// Of so many TargetPortal, each once.
std::optional<std::vector<Portal>> portals_of(std::span<const std::byte> answer, uint64_t count);

// Names that end with a zero each, and after the last another zero or the end of the answer, which
// is `units` characters long. Each once.
std::optional<std::vector<std::string>> target_names_of(std::span<const std::byte> answer,
                                                        uint64_t units);

// Of so many SessionInfo at the front.
std::optional<std::vector<InitiatorSession>> sessions_of(const support::PointedAnswer& answer,
                                                         uint64_t count);

// The numbers of the disks among so many DeviceOnSession, each once.
std::optional<std::vector<uint32_t>> disks_of(std::span<const std::byte> answer, uint64_t count);

}  // namespace longshore::iscsi
