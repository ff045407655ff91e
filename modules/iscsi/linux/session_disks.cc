// The sessions of a target, and the disks that came with them.
#include <algorithm>
#include <thread>

#include "iscsi/linux/iscsi_backend_linux.h"
#include "support/linux/block/sysfs.h"

namespace longshore::iscsi {

using block::Disk;

namespace {

constexpr const char* kList = "list the disks of the target";
constexpr std::chrono::milliseconds kDiskPollInterval{5};
// From a unit to its disk: the kernel asks it first, apart from the login.
constexpr std::chrono::seconds kMaking{10};
// A target without units is rare, and one whose units are just being scanned looks the same.
constexpr std::chrono::seconds kScanning{1};

}  // namespace

std::vector<std::string> IscsiBackendLinux::with_earlier(const Target& target,
                                                         std::vector<std::string> addresses) const {
  for (std::string& address : records_.addresses_through(target.portal, target.name)) {
    if (std::ranges::find(addresses, address) == addresses.end()) {
      addresses.push_back(std::move(address));
    }
  }
  return addresses;
}

std::vector<Session> IscsiBackendLinux::sessions_of(
    const Target& target, const std::vector<std::string>& addresses) const {
  std::vector<Session> sessions = sessions_.all();
  std::erase_if(sessions, [&](const Session& session) {
    return session.target != target.name || session.portal.port != target.portal.port ||
           std::ranges::find(addresses, session.portal.address) == addresses.end();
  });
  return sessions;
}

Result<std::vector<Disk>> IscsiBackendLinux::disks_of(const std::vector<Session>& sessions) const {
  std::vector<Disk> disks;
  for (const Session& session : sessions) {
    for (const std::string& name : sessions_.units_of(session).disks) {
      // One by one: a node may have hundreds of other disks.
      const auto device =
          block::read_device_attribute(devices_.sysfs() + "/block/" + name + "/dev");
      const auto disk = device ? devices_.disk_of(*device) : std::nullopt;
      if (disk && disk->sectors > 0) disks.push_back(*disk);
      if (disk) continue;
      // It is being taken away, or the kernel numbers no disks: the list of all says so.
      if (auto all = devices_.disks(); !all) return all;
    }
  }
  std::ranges::sort(disks, {}, &Disk::number);
  return disks;
}

Result<std::vector<uint32_t>> IscsiBackendLinux::disks(const Target& target,
                                                       const Deadline& deadline) {
  auto now = addresses_.of(target.portal, deadline, kList, target.text());
  if (!now) return std::move(now).error();
  const std::vector<std::string> addresses = with_earlier(target, *std::move(now));
  const auto begin = Deadline::Clock::now();
  for (;;) {
    const std::vector<Session> sessions = sessions_of(target, addresses);
    bool is_unfinished = false;
    for (const Session& session : sessions) {
      const SessionUnits units = sessions_.units_of(session);
      const auto patience = units.has_unmade_disks ? kMaking : kScanning;
      is_unfinished |= (units.has_unmade_disks || units.disks.empty()) &&
                       Deadline::Clock::now() < begin + patience;
    }
    if (!is_unfinished) {
      const auto disks = disks_of(sessions);
      if (!disks) return disks.error();
      std::vector<uint32_t> numbers;
      for (const Disk& disk : *disks) numbers.push_back(disk.number);
      return numbers;
    }
    if (auto exceeded = deadline.exceeded(kList, target.text())) return *std::move(exceeded);
    std::this_thread::sleep_for(kDiskPollInterval);
  }
}

}  // namespace longshore::iscsi
