// Any bytes as what Windows' iSCSI initiator answers: portals, names of targets, sessions with what
// they point at, and devices.
//
// The first byte decides what they are, the next four are the count that comes with them. Addresses
// in them are those of bytes that lay at kAddress, which is small so that they are easily found.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "iscsi/target_name.h"
#include "iscsi/windows/initiator_answers.h"

namespace longshore::iscsi {
namespace {

constexpr uint64_t kAddress = 0x1000;
using Bytes = std::span<const std::byte>;

void require(bool condition) {
  if (!condition) std::abort();
}

void require_portals(const std::vector<Portal>& portals) {
  for (const Portal& portal : portals) {
    const auto again = parse_portal(portal.address, portal.port, "read");
    require(again && *again == portal);
  }
}

template <typename Value>
void require_distinct(const std::vector<Value>& values) {
  require(std::set<Value>(values.begin(), values.end()).size() == values.size());
}

void read_portals(Bytes answer, uint32_t count) {
  for (const auto& [portals, size] :
       {std::pair(portals_of_infos(answer, count), sizeof(TargetPortalInfo)),
        std::pair(portals_of(answer, count), sizeof(TargetPortal))}) {
    require(portals.has_value() == (count <= answer.size() / size));
    if (!portals) continue;
    require(portals->size() <= count);
    require_distinct(*portals);
    require_portals(*portals);
  }
}

void read_names(Bytes answer, uint32_t count) {
  const auto names = target_names_of(answer, count);
  if (!names) return;
  require_distinct(*names);
  size_t units = 0;
  for (const std::string& name : *names) {
    require(check_target_name(name, "read").ok());
    units += name.size() + 1;
  }
  require(units * sizeof(char16_t) <= answer.size() && units <= count);
}

void read_sessions(Bytes answer, uint32_t count) {
  const auto sessions = sessions_of(support::PointedAnswer(answer, kAddress), count);
  if (!sessions) return;
  require(sessions->size() == count && count <= answer.size() / sizeof(SessionInfo));
  size_t portals = 0;
  for (const InitiatorSession& session : *sessions) {
    require(session.target_names.size() == 2);
    for (const std::string& name : session.target_names) {
      // Three bytes a character at most, and none is a zero.
      require(name.size() <= answer.size() / sizeof(char16_t) * 3);
      require(name.find('\0') == std::string::npos);
    }
    require_portals(session.portals);
    portals += session.portals.size();
  }
  require(portals <= answer.size() / sizeof(ConnectionInfo));
}

void read_disks(Bytes answer, uint32_t count) {
  const auto disks = disks_of(answer, count);
  require(disks.has_value() == (count <= answer.size() / sizeof(DeviceOnSession)));
  if (!disks) return;
  require(disks->size() <= count);
  require_distinct(*disks);
  require(std::ranges::find(*disks, 0xffffffff) == disks->end());
}

constexpr void (*kReaders[])(Bytes, uint32_t) = {read_portals, read_names, read_sessions,
                                                 read_disks};

}  // namespace
}  // namespace longshore::iscsi

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace longshore::iscsi;
  uint32_t count = 0;
  if (size < 1 + sizeof(count)) return 0;
  std::memcpy(&count, data + 1, sizeof(count));
  const Bytes all(reinterpret_cast<const std::byte*>(data), size);
  kReaders[data[0] % std::size(kReaders)](all.subspan(1 + sizeof(count)), count);
  return 0;
}
