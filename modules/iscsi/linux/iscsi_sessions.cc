#include "iscsi/linux/iscsi_sessions.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "iscsi/ip_address.h"
#include "support/linux/block/sysfs.h"

namespace longshore::iscsi {
namespace {

constexpr std::string_view kSessionPrefix = "session";

std::optional<uint32_t> number_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  uint32_t number = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return std::nullopt;
  return number;
}

// Where the session's first connection was told to go.
std::optional<Portal> portal_of_session(const std::string& sysfs, uint32_t session) {
  const std::string path =
      sysfs + "/class/iscsi_connection/connection" + std::to_string(session) + ":0/";
  const auto address = block::read_text_attribute(path + "persistent_address");
  const auto port = block::read_number_attribute(path + "persistent_port");
  if (!address || !port || *port == 0 || *port > std::numeric_limits<uint16_t>::max()) {
    return std::nullopt;
  }
  return Portal{canonical_ip_address(*address).value_or(*address), static_cast<uint16_t>(*port)};
}

// SCSI's peripheral device types: direct access, and zoned.
bool is_disk(uint64_t type) { return type == 0 || type == 0x14; }

}  // namespace

std::vector<Session> IscsiSessions::all() const {
  std::vector<Session> sessions;
  const std::string folder = sysfs_ + "/class/iscsi_session/";
  for (const std::string& name : block::names_in(folder)) {
    const auto number = number_after(kSessionPrefix, name);
    if (!number) continue;
    auto target = block::read_text_attribute(folder + name + "/targetname");
    auto portal = portal_of_session(sysfs_, *number);
    if (!target || target->empty() || !portal) continue;
    const auto state = block::read_text_attribute(folder + name + "/state");
    sessions.push_back({.number = *number,
                        .target = *std::move(target),
                        .portal = *std::move(portal),
                        .is_logged_in = state == "LOGGED_IN"});
  }
  std::ranges::sort(sessions, {}, &Session::number);
  return sessions;
}

std::string IscsiSessions::device_of(const Session& session) const {
  return sysfs_ + "/class/iscsi_session/" + std::string(kSessionPrefix) +
         std::to_string(session.number) + "/device/";
}

// sessionN/device/target<H:C:T>/<H:C:T:L>/block/<name>
SessionUnits IscsiSessions::units_of(const Session& session) const {
  SessionUnits units;
  const std::string device = device_of(session);
  for (const std::string& target : block::names_in(device)) {
    if (!target.starts_with("target")) continue;
    for (const std::string& unit : block::names_in(device + target)) {
      const std::string path = device + target + "/" + unit + "/";
      const auto type = block::read_number_attribute(path + "type");
      units.has_any |= type.has_value();
      if (!type || !is_disk(*type)) continue;
      const std::vector<std::string> disks = block::names_in(path + "block");
      if (disks.empty()) units.has_unmade_disks = true;
      for (const std::string& disk : disks) {
        const bool is_made = block::can_be_opened(path + "block/" + disk);
        if (is_made) units.disks.push_back(disk);
        if (!is_made) units.has_unmade_disks = true;
      }
    }
  }
  return units;
}

// Over TCP each session has a host of its own: host<H>/session<N>, host<H>/scsi_host/host<H>/scan.
std::error_code IscsiSessions::scan(const Session& session) const {
  const std::string hosts = device_of(session) + "../scsi_host/";
  for (const std::string& host : block::names_in(hosts)) {
    const std::error_code error = block::write_attribute(hosts + host + "/scan", "- - -");
    if (error && status_code_of(error) != StatusCode::kNotFound) return error;
  }
  return {};
}

bool IscsiSessions::has_tcp() const {
  return ::access((sysfs_ + "/class/iscsi_transport/tcp").c_str(), F_OK) == 0;
}

}  // namespace longshore::iscsi
