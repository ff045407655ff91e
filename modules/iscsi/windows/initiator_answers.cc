#include "iscsi/windows/initiator_answers.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "iscsi/target_name.h"

namespace longshore::iscsi {
namespace {

using support::PointedAnswer;

// Names have 223 characters at most, addresses 255. Sessions may share a text in a lying answer,
// which would be read again for each of them.
constexpr size_t kMostTextUnits = 1024;

constexpr const char* kReadAnswer = "read the iSCSI initiator's answer";

std::optional<Portal> portal_of(std::string address, uint16_t port) {
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  const auto portal = parse_portal(address, port, kReadAnswer);
  return portal ? std::optional<Portal>(*portal) : std::nullopt;
}

// What is added often, but kept once and in its order.
template <typename Value>
void add_once(std::vector<Value>& values, Value value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
}

// Null is no text.
std::optional<std::string> text_at(const PointedAnswer& answer, uint64_t address) {
  return address == 0 ? std::optional<std::string>("") : answer.text(address, kMostTextUnits);
}

template <typename Structure>
std::optional<std::vector<Portal>> portals_in(std::span<const std::byte> answer, uint64_t count) {
  const auto structures = PointedAnswer(answer).front<Structure>(count);
  if (!structures) return std::nullopt;
  std::vector<Portal> portals;
  for (const Structure& each : *structures) {
    if (auto portal = portal_of(support::text_in(each.address), each.socket)) {
      add_once(portals, *std::move(portal));
    }
  }
  return portals;
}

std::optional<InitiatorSession> session_of(const SessionInfo& info, const PointedAnswer& answer) {
  InitiatorSession session{info.session, {}, {}};
  for (const uint64_t name : {info.target_node_name, info.target_name}) {
    auto text = text_at(answer, name);
    if (!text) return std::nullopt;
    session.target_names.push_back(*std::move(text));
  }
  if (info.connection_count == 0) return session;
  const auto connections = answer.array<ConnectionInfo>(info.connections, info.connection_count);
  if (!connections) return std::nullopt;
  for (const ConnectionInfo& connection : *connections) {
    auto address = text_at(answer, connection.target_address);
    if (!address) return std::nullopt;
    if (auto portal = portal_of(*std::move(address), connection.target_socket)) {
      session.portals.push_back(*std::move(portal));
    }
  }
  return session;
}

}  // namespace

std::optional<std::vector<Portal>> portals_of_infos(std::span<const std::byte> answer,
                                                    uint64_t count) {
  return portals_in<TargetPortalInfo>(answer, count);
}

std::optional<std::vector<Portal>> portals_of(std::span<const std::byte> answer, uint64_t count) {
  return portals_in<TargetPortal>(answer, count);
}

std::optional<std::vector<std::string>> target_names_of(std::span<const std::byte> answer,
                                                        uint64_t units) {
  const size_t room = answer.size() / sizeof(char16_t);
  std::u16string text(std::min<uint64_t>(units, room), u'\0');
  if (!text.empty()) std::memcpy(text.data(), answer.data(), text.size() * sizeof(char16_t));
  std::vector<std::string> names;
  std::unordered_set<std::string> known;  // portals may offer any number of them
  std::u16string_view rest = text;
  while (!rest.empty() && rest.front() != u'\0') {
    const size_t end = rest.find(u'\0');
    if (end == rest.npos) return std::nullopt;
    std::string name = support::utf8_of(rest.substr(0, end));
    if (check_target_name(name, kReadAnswer) && known.insert(name).second) {
      names.push_back(std::move(name));
    }
    rest.remove_prefix(end + 1);
  }
  return names;
}

std::optional<std::vector<InitiatorSession>> sessions_of(const PointedAnswer& answer,
                                                         uint64_t count) {
  const auto infos = answer.front<SessionInfo>(count);
  if (!infos) return std::nullopt;
  // None is two sessions', so all of them fit in.
  uint64_t connections = 0;
  for (const SessionInfo& info : *infos) connections += info.connection_count;
  if (connections > answer.size() / sizeof(ConnectionInfo)) return std::nullopt;
  std::vector<InitiatorSession> sessions;
  for (const SessionInfo& info : *infos) {
    auto session = session_of(info, answer);
    if (!session) return std::nullopt;
    sessions.push_back(*std::move(session));
  }
  return sessions;
}

std::optional<std::vector<uint32_t>> disks_of(std::span<const std::byte> answer, uint64_t count) {
  constexpr uint32_t kNoNumber = 0xffffffff;
  const auto devices = PointedAnswer(answer).front<DeviceOnSession>(count);
  if (!devices) return std::nullopt;
  std::vector<uint32_t> disks;
  for (const DeviceOnSession& device : *devices) {
    const support::DeviceNumber& number = device.number;
    if (number.device_type == support::kDiskDeviceType && number.number != kNoNumber) {
      add_once(disks, uint32_t{number.number});
    }
  }
  return disks;
}

}  // namespace longshore::iscsi
