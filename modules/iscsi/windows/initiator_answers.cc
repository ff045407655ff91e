#include "iscsi/windows/initiator_answers.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>

#include "iscsi/target_name.h"
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

template <size_t size>
std::string text_in(const WCHAR (&array)[size]) {
  return narrow(std::wstring_view(array, wcsnlen(array, size)));
}

std::optional<Portal> portal_of(std::string address, USHORT port) {
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  const auto portal = parse_portal(address, port, "read the portal");
  return portal ? std::optional<Portal>(*portal) : std::nullopt;
}

// What lies in a buffer that pointers of its own point into.
class PointedBuffer {
 public:
  explicit PointedBuffer(std::span<const std::byte> buffer)
      : begin_(reinterpret_cast<uintptr_t>(buffer.data())), end_(begin_ + buffer.size()) {}

  // Whether so many elements lie there, aligned.
  template <typename Element>
  bool holds(const Element* first, size_t count) const {
    const auto place = reinterpret_cast<uintptr_t>(first);
    return place >= begin_ && place <= end_ && place % alignof(Element) == 0 &&
           count <= (end_ - place) / sizeof(Element);
  }
  // The text there, to its zero; nothing if it is not whole. Null is no text.
  std::optional<std::string> text(const WCHAR* first) const {
    if (first == nullptr) return std::string();
    if (!holds(first, 1)) return {};
    const size_t room = (end_ - reinterpret_cast<uintptr_t>(first)) / sizeof(WCHAR);
    const size_t length = wcsnlen(first, room);
    if (length == room) return {};
    return narrow(std::wstring_view(first, length));
  }

 private:
  uintptr_t begin_;
  uintptr_t end_;
};

// Nothing: it points out of the buffer.
std::optional<InitiatorSession> session_of(const SessionInfo& info, const PointedBuffer& buffer) {
  InitiatorSession session{info.session, {}, {}};
  for (const WCHAR* const name : {info.target_node_name, info.target_name}) {
    auto text = buffer.text(name);
    if (!text) return {};
    session.target_names.push_back(*std::move(text));
  }
  if (info.connection_count == 0) return session;
  if (!buffer.holds(info.connections, info.connection_count)) return {};
  for (ULONG i = 0; i < info.connection_count; ++i) {
    const ConnectionInfo& connection = info.connections[i];
    auto address = buffer.text(connection.target_address);
    if (!address) return {};
    if (auto portal = portal_of(*std::move(address), connection.target_socket)) {
      session.portals.push_back(*std::move(portal));
    }
  }
  return session;
}

template <typename Value>
void add_once(std::vector<Value>& values, Value value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
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
  if (count > buffer->size() / sizeof(TargetPortalInfo)) {
    return bad_answer(purpose, "it counts more portals than fit into it");
  }
  std::vector<Portal> portals;
  for (ULONG i = 0; i < count; ++i) {
    TargetPortalInfo info;
    std::memcpy(&info, buffer->data() + i * sizeof(info), sizeof(info));
    if (auto portal = portal_of(text_in(info.address), info.socket)) {
      add_once(portals, *std::move(portal));
    }
  }
  return portals;
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
  std::vector<std::string> targets;
  std::wstring_view rest(buffer->data(), std::min<size_t>(size, buffer->size()));
  while (!rest.empty() && rest.front() != L'\0') {
    const size_t end = rest.find(L'\0');
    if (end == rest.npos) return bad_answer(purpose, "the last name has no end");
    std::string name = narrow(rest.substr(0, end));
    if (check_target_name(name, purpose.operation)) add_once(targets, std::move(name));
    rest.remove_prefix(end + 1);
  }
  return targets;
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
  if (count > room->size()) return bad_answer(purpose, "it counts more portals than fit into it");
  std::vector<Portal> portals;
  for (ULONG i = 0; i < count; ++i) {
    if (auto portal = portal_of(text_in((*room)[i].address), (*room)[i].socket)) {
      add_once(portals, *std::move(portal));
    }
  }
  return portals;
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
  if (count > buffer->size() / sizeof(SessionInfo)) {
    return bad_answer(purpose, "it counts more sessions than fit into it");
  }
  const PointedBuffer pointed(*buffer);
  std::vector<InitiatorSession> sessions;
  for (ULONG i = 0; i < count; ++i) {
    SessionInfo info;
    std::memcpy(&info, buffer->data() + i * sizeof(info), sizeof(info));
    auto session = session_of(info, pointed);
    if (!session) return bad_answer(purpose, "a session points out of it");
    sessions.push_back(*std::move(session));
  }
  return sessions;
}

Result<std::vector<uint32_t>> read_disks(InitiatorLibrary& library, InitiatorId session,
                                         const InitiatorPurpose& purpose) {
  constexpr DWORD kNoNumber = static_cast<DWORD>(-1);
  ULONG count = 0;
  const auto room = ask<DeviceOnSession>(purpose, kFirstElements, kMostElements,
                                         [&](std::span<DeviceOnSession> elements, ULONG& needed) {
                                           const InitiatorCode code =
                                               library.list_devices(session, elements, needed);
                                           count = needed;
                                           return code;
                                         });
  if (!room) return room.error();
  if (count > room->size()) return bad_answer(purpose, "it counts more devices than fit into it");
  std::vector<uint32_t> disks;
  for (ULONG i = 0; i < count; ++i) {
    const STORAGE_DEVICE_NUMBER& number = (*room)[i].number;
    if (number.DeviceType == FILE_DEVICE_DISK && number.DeviceNumber != kNoNumber) {
      add_once(disks, uint32_t{number.DeviceNumber});
    }
  }
  return disks;
}

}  // namespace longshore::iscsi
