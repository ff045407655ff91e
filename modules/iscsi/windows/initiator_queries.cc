#include "iscsi/windows/initiator_queries.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "longshore/windows/wide_text.hpp"

namespace longshore::iscsi {
namespace {

constexpr size_t kFirstElements = 16;
constexpr size_t kMostElements = 4096;
constexpr size_t kFirstBytes = 16 * 1024;
constexpr size_t kMostBytes = 16 * 1024 * 1024;
constexpr int kMostTries = 8;  // what is listed may grow meanwhile

Error bad_answer(const InitiatorPurpose& purpose, const char* cause) {
  return purpose.error(StatusCode::kInternal)
      .because(std::string("the iSCSI initiator's answer makes no sense: ") + cause);
}

// Asks with more and more room, `first` elements at first, for as many as it says are needed.
template <typename Element>
Result<std::vector<Element>> ask(
    const InitiatorPurpose& purpose, size_t first, size_t most,
    const std::function<InitiatorCode(std::span<Element> room, ULONG& needed)>& question) {
  std::vector<Element> room(first);
  for (int tries = 0; tries < kMostTries; ++tries) {
    ULONG needed = 0;
    const InitiatorCode code = question(room, needed);
    if (code == ERROR_SUCCESS) return room;
    if (code != ERROR_INSUFFICIENT_BUFFER && code != ERROR_MORE_DATA) {
      return initiator_error(purpose, code);
    }
    if (needed > most) return bad_answer(purpose, "it is too long");
    // At least twice the room, whatever it says.
    const size_t next = std::max<size_t>(needed, 2 * room.size());
    if (next > most) return bad_answer(purpose, "it is longer than it says");
    room.assign(next, Element{});
  }
  return purpose.error(StatusCode::kUnavailable)
      .because("the answer grew faster than the room for it")
      .advise("try again");
}

}  // namespace

TargetPortal target_portal(const Portal& portal) {
  TargetPortal target{};
  // Its length was checked with the rest of it.
  const std::wstring address = wide(portal.address);
  std::copy_n(address.begin(), std::min(address.size(), std::size(target.address) - 1),
              target.address);
  target.socket = portal.port;
  return target;
}

Result<std::vector<Portal>> read_portals(InitiatorLibrary& library,
                                         const InitiatorPurpose& purpose) {
  ULONG count = 0;
  const auto buffer = ask<std::byte>(purpose, kFirstElements * sizeof(TargetPortalInfo), kMostBytes,
                                     [&](std::span<std::byte> room, ULONG& needed) {
                                       count = 0;
                                       return library.report_portals(room, needed, count);
                                     });
  if (!buffer) return buffer.error();
  auto portals = portals_of_infos(*buffer, count);
  if (!portals) return bad_answer(purpose, "it counts more portals than fit into it");
  return *std::move(portals);
}

Result<std::vector<std::string>> read_targets(InitiatorLibrary& library,
                                              const InitiatorPurpose& purpose) {
  ULONG size = 0;
  const auto buffer =
      ask<wchar_t>(purpose, kFirstBytes, kMostBytes, [&](std::span<wchar_t> room, ULONG& needed) {
        const InitiatorCode code = library.report_targets(room, needed);
        size = needed;
        return code;
      });
  if (!buffer) return buffer.error();
  auto names = target_names_of(std::as_bytes(std::span(*buffer)), size);
  if (!names) return bad_answer(purpose, "the last name has no end");
  return *std::move(names);
}

Result<std::vector<Portal>> read_portals_of(InitiatorLibrary& library, const std::string& target,
                                            const InitiatorPurpose& purpose) {
  ULONG count = 0;
  const auto room = ask<TargetPortal>(
      purpose, kFirstElements, kMostElements, [&](std::span<TargetPortal> elements, ULONG& needed) {
        const InitiatorCode code = library.report_portals_of(wide(target), elements, needed);
        count = needed;
        return code;
      });
  if (!room) return room.error();
  auto portals = portals_of(std::as_bytes(std::span(*room)), count);
  if (!portals) return bad_answer(purpose, "it counts more portals than fit into it");
  return *std::move(portals);
}

Result<std::vector<InitiatorSession>> read_sessions(InitiatorLibrary& library,
                                                    const InitiatorPurpose& purpose) {
  ULONG count = 0;
  const auto buffer = ask<std::byte>(purpose, kFirstBytes, kMostBytes,
                                     [&](std::span<std::byte> room, ULONG& needed) {
                                       count = 0;
                                       return library.list_sessions(room, needed, count);
                                     });
  if (!buffer) return buffer.error();
  auto sessions = sessions_of(support::PointedAnswer(*buffer), count);
  if (!sessions) {
    return bad_answer(purpose, "its sessions do not fit into it, or point out of it");
  }
  return *std::move(sessions);
}

Result<std::vector<uint32_t>> read_disks(InitiatorLibrary& library, InitiatorId session,
                                         const InitiatorPurpose& purpose) {
  ULONG count = 0;
  const auto room = ask<DeviceOnSession>(purpose, kFirstElements, kMostElements,
                                         [&](std::span<DeviceOnSession> elements, ULONG& needed) {
                                           const InitiatorCode code =
                                               library.list_devices(session, elements, needed);
                                           count = needed;
                                           return code;
                                         });
  if (!room) return room.error();
  auto disks = disks_of(std::as_bytes(std::span(*room)), count);
  if (!disks) return bad_answer(purpose, "it counts more devices than fit into it");
  return *std::move(disks);
}

}  // namespace longshore::iscsi
