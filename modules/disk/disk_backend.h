// What the disk group needs of the operating system.
//
// A disk is known by its number, which holds until it is taken away, its medium is changed or the
// node starts again; a number that names no disk is NOT_FOUND. Errors name the operation, the disk
// and what the system answered.
//
// Threads: any number at once. DiskService lets no two mutations of one disk meet.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"

namespace longshore::disk {

// Where a disk is plugged in: decimal numbers, "" where the system has none.
struct DiskLocation {
  std::string adapter;
  std::string bus;
  std::string target;
  std::string lun;

  bool operator==(const DiskLocation&) const = default;
};

// What a disk calls itself, letter for letter: drivers compare these strings. "" is unknown.
struct DiskIdentity {
  std::string page83;  // the first identifier of SCSI's vital product data page 0x83
  std::string serial_number;

  bool operator==(const DiskIdentity&) const = default;
};

struct DiskState {
  // Nothing on a disk that is offline is mounted, and its volumes are not served.
  bool online = true;
  bool read_only = false;  // or a partition of it is

  bool operator==(const DiskState&) const = default;
};

class DiskBackend {
 public:
  virtual ~DiskBackend() = default;

  // What a call for the disk would hang on, should it hang. "": nothing but its number. Never
  // hangs.
  virtual std::string bulkhead_of(uint32_t /*number*/) { return {}; }

  // The disks that have a location; the others are left out.
  virtual Result<std::map<uint32_t, DiskLocation>> locations() = 0;

  // All disks. One that cannot be asked has empty strings.
  virtual Result<std::map<uint32_t, DiskIdentity>> identities() = 0;

  virtual Result<uint64_t> size_in_bytes(uint32_t number) = 0;

  // Gives a blank disk a partition table with one partition over all of it. A disk that has a
  // partition already, of whatever kind, is left as it is: success. So is done to a disk that was
  // taken offline, which stays so: drivers bring it online afterwards. FAILED_PRECONDITION: the
  // disk holds something other than a table (a filesystem, a member of another device, or what
  // nobody knows at its start or end), is read-only, in use, or the system needs it, or the system
  // has taken it offline of itself (on Windows nobody can tell who did).
  virtual Result<void> partition(uint32_t number, const Deadline& deadline) = 0;

  // Looks for disks that came or went and for sizes that changed.
  virtual Result<void> rescan(const Deadline& deadline) = 0;

  virtual Result<DiskState> state(uint32_t number) = 0;

  // Success if the disk is so in the end, also if it was; whether it is read-only is told by
  // state(). FAILED_PRECONDITION: it cannot be taken offline because something uses it, or not be
  // brought online because the system does not. UNIMPLEMENTED: there is nowhere to record it.
  virtual Result<void> set_online(uint32_t number, bool online, const Deadline& deadline) = 0;
};

}  // namespace longshore::disk
