#include "tests/unit/iscsi/windows/initiator_stand_in.h"

#include <algorithm>
#include <cstring>

#include "iscsi/windows/initiator_error.h"
#include "longshore/windows/wide_text.hpp"
#include "support/windows/pointed_answer.h"

namespace longshore::iscsi {
namespace {

constexpr ULONG kConnectionFailed = 0xEFFF0003;
constexpr ULONG kAuthenticationFailure = 0xEFFF0009;
constexpr ULONG kNoAuthenticationInfo = 0xEFFF0034;
constexpr ULONG kDeviceBusy = 0xEFFF0040;

Portal portal_of(const TargetPortal& portal) {
  return {support::text_in(portal.address), portal.socket};
}

template <size_t size>
void put_text(char16_t (&array)[size], const std::string& text) {
  const std::wstring units = wide(text);
  std::copy_n(units.c_str(), std::min(units.size() + 1, size), array);
}

// Hands out room at the front of a buffer, as long as there is some.
class FrontWriter {
 public:
  explicit FrontWriter(std::span<std::byte> buffer) : buffer_(buffer) {}

  // Null when there is no more room, of which it is counted how much would be needed.
  template <typename Element>
  Element* take(size_t count) {
    used_ = (used_ + alignof(Element) - 1) / alignof(Element) * alignof(Element);
    const size_t place = used_;
    used_ += count * sizeof(Element);
    if (used_ > buffer_.size()) return nullptr;
    return reinterpret_cast<Element*>(buffer_.data() + place);
  }
  // The address of the text.
  uint64_t text(const std::string& text) {
    const std::wstring units = wide(text);
    char16_t* const room = take<char16_t>(units.size() + 1);
    if (room != nullptr) std::copy_n(units.c_str(), units.size() + 1, room);
    return reinterpret_cast<uintptr_t>(room);
  }
  ULONG used() const { return static_cast<ULONG>(used_); }
  ULONG code() const { return used_ > buffer_.size() ? ERROR_INSUFFICIENT_BUFFER : ERROR_SUCCESS; }

 private:
  std::span<std::byte> buffer_;
  size_t used_ = 0;
};

}  // namespace

std::optional<ULONG> InitiatorStandIn::code_of(const std::string& function) const {
  const auto found = codes.find(function);
  return found == codes.end() ? std::nullopt : std::optional(found->second);
}

bool InitiatorStandIn::answers(const Portal& portal) {
  if (answering.contains(portal)) return true;
  return std::ranges::any_of(hosts[portal.address], [&](const std::string& address) {
    return answering.contains({address, portal.port});
  });
}

ULONG InitiatorStandIn::finish(std::span<std::byte> buffer, ULONG& size, ULONG& count, ULONG code) {
  if (spoil) spoil(buffer, size, count, code);
  return code;
}

InitiatorCode InitiatorStandIn::add_portal(TargetPortal portal) {
  const std::lock_guard lock(mutex_);
  portals.push_back(portal_of(portal));
  if (const auto code = code_of("add_portal")) return *code;
  return refresh_portal(portal);
}

InitiatorCode InitiatorStandIn::remove_portal(TargetPortal portal) {
  const std::lock_guard lock(mutex_);
  if (const auto code = code_of("remove_portal")) return *code;
  return std::erase(portals, portal_of(portal)) != 0 ? ERROR_SUCCESS : kInitiatorNotFound;
}

InitiatorCode InitiatorStandIn::refresh_portal(TargetPortal portal) {
  const std::lock_guard lock(mutex_);
  if (const auto code = code_of("refresh_portal")) return *code;
  if (!answers(portal_of(portal))) return kConnectionFailed;
  for (const auto& [name, target] : offered) discovered.insert(name);
  return ERROR_SUCCESS;
}

InitiatorCode InitiatorStandIn::report_portals(std::span<std::byte> buffer, ULONG& size,
                                               ULONG& count) {
  const std::lock_guard lock(mutex_);
  if (const auto code = code_of("report_portals")) return *code;
  FrontWriter writer(buffer);
  count = static_cast<ULONG>(portals.size());
  for (const Portal& portal : portals) {
    auto* const info = writer.take<TargetPortalInfo>(1);
    if (info == nullptr) continue;
    put_text(info->address, portal.address);
    info->socket = portal.port;
  }
  size = writer.used();
  return finish(buffer, size, count, writer.code());
}

InitiatorCode InitiatorStandIn::report_targets(std::span<wchar_t> buffer, ULONG& size) {
  const std::lock_guard lock(mutex_);
  if (const auto code = code_of("report_targets")) return *code;
  std::wstring names;
  for (const std::string& name : discovered) names += wide(name) + L'\0';
  names += L'\0';
  size = static_cast<ULONG>(names.size());
  const bool fits = names.size() <= buffer.size();
  if (fits) std::copy(names.begin(), names.end(), buffer.begin());
  ULONG count = 0;
  return finish(std::as_writable_bytes(buffer), size, count,
                fits ? ERROR_SUCCESS : ERROR_INSUFFICIENT_BUFFER);
}

InitiatorCode InitiatorStandIn::report_portals_of(const std::wstring& target,
                                                  std::span<TargetPortal> buffer, ULONG& count) {
  const std::lock_guard lock(mutex_);
  if (const auto code = code_of("report_portals_of")) return *code;
  const auto found = offered.find(narrow(target));
  if (found == offered.end() || !discovered.contains(found->first)) return kTargetNotFound;
  const auto& all = found->second.portals;
  count = static_cast<ULONG>(all.size());
  const bool fits = all.size() <= buffer.size();
  for (size_t i = 0; fits && i < all.size(); ++i) {
    put_text(buffer[i].address, all[i].address);
    buffer[i].socket = all[i].port;
  }
  ULONG size = 0;
  return finish(std::as_writable_bytes(buffer), size, count,
                fits ? ERROR_SUCCESS : ERROR_INSUFFICIENT_BUFFER);
}

InitiatorCode InitiatorStandIn::list_sessions(std::span<std::byte> buffer, ULONG& size,
                                              ULONG& count) {
  const std::lock_guard lock(mutex_);
  if (const auto code = code_of("list_sessions")) return *code;
  FrontWriter writer(buffer);
  count = static_cast<ULONG>(sessions.size());
  auto* const infos = writer.take<SessionInfo>(sessions.size());
  size_t index = 0;
  for (const auto& [id, session] : sessions) {
    SessionInfo info{};
    info.session = {7, id};
    info.target_node_name = writer.text(session.target);
    info.target_name = writer.text(session.target);
    info.connection_count = static_cast<ULONG>(session.portals.size());
    auto* const connections = writer.take<ConnectionInfo>(session.portals.size());
    info.connections = reinterpret_cast<uintptr_t>(connections);
    for (size_t i = 0; i < session.portals.size(); ++i) {
      ConnectionInfo connection{};
      connection.target_address = writer.text(session.portals[i].address);
      connection.target_socket = session.portals[i].port;
      if (writer.code() == ERROR_SUCCESS) connections[i] = connection;
    }
    if (writer.code() == ERROR_SUCCESS) infos[index++] = info;
  }
  size = writer.used();
  return finish(buffer, size, count, writer.code());
}

InitiatorCode InitiatorStandIn::list_devices(InitiatorId session, std::span<DeviceOnSession> buffer,
                                             ULONG& count) {
  const std::lock_guard lock(mutex_);
  if (const auto code = code_of("list_devices")) return *code;
  const auto found = sessions.find(session.adapter_specific);
  if (found == sessions.end() || session.adapter_unique != 7) return kInvalidSession;
  const std::vector<uint32_t>& disks = offered[found->second.target].disks;
  count = static_cast<ULONG>(disks.size());
  const bool fits = disks.size() <= buffer.size();
  for (size_t i = 0; fits && i < disks.size(); ++i) {
    buffer[i].number = {support::kDiskDeviceType, disks[i], 0};
  }
  ULONG size = 0;
  return finish(std::as_writable_bytes(buffer), size, count,
                fits ? ERROR_SUCCESS : ERROR_INSUFFICIENT_BUFFER);
}

InitiatorCode InitiatorStandIn::log_in(const std::wstring& target, TargetPortal portal,
                                       LoginOptions options) {
  const std::lock_guard lock(mutex_);
  const std::string name = narrow(target);
  done.push_back("log in " + name);
  if (const auto code = code_of("log_in")) return *code;
  if (!discovered.contains(name)) return kTargetNotFound;
  if (!answers(portal_of(portal))) return kConnectionFailed;
  const auto text = [](const UCHAR* bytes, ULONG size) {
    return std::string(reinterpret_cast<const char*>(bytes), size);
  };
  const OfferedTarget& offer = offered[name];
  const bool is_named = (options.information_specified & kUserNameSpecified) != 0;
  if (!offer.user_name.empty()) {
    if (!is_named || options.authentication == 0 ||
        text(options.user_name, options.user_name_length) != offer.user_name ||
        text(options.password, options.password_length) != offer.secret) {
      return kAuthenticationFailure;
    }
  }
  if (options.authentication == 2) {
    if (chap_secret.empty()) return kNoAuthenticationInfo;
    if (chap_secret != offer.own_secret) return kAuthenticationFailure;
  }
  sessions[++last_session_] = {name, {portal_of(portal)}};
  // Windows tells addresses.
  const auto& addresses = hosts[portal_of(portal).address];
  if (!addresses.empty()) sessions[last_session_].portals = {{addresses.front(), portal.socket}};
  return ERROR_SUCCESS;
}

InitiatorCode InitiatorStandIn::log_out(InitiatorId session) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions.find(session.adapter_specific);
  if (found == sessions.end()) return kInvalidSession;
  if (const auto code = code_of("log_out")) return *code;
  if (busy.contains(found->second.target)) return kDeviceBusy;
  done.push_back("log out " + found->second.target);
  sessions.erase(found);
  return ERROR_SUCCESS;
}

InitiatorCode InitiatorStandIn::remove_persistent_login(const std::wstring& target, TargetPortal) {
  const std::lock_guard lock(mutex_);
  done.push_back("remove persistent " + narrow(target));
  return kTargetNotFound;
}

InitiatorCode InitiatorStandIn::set_chap_secret(std::span<UCHAR> secret) {
  const std::lock_guard lock(mutex_);
  if (const auto code = code_of("set_chap_secret")) return *code;
  chap_secret.assign(secret.begin(), secret.end());
  return ERROR_SUCCESS;
}

}  // namespace longshore::iscsi
