// The disk group: what its methods mean, on every system and in every wire version.
//
// One mutation at a time acts on a disk: whoever asks for the same while it runs gets its result,
// whoever asks for something else is told what is running (ABORTED).
//
// What touches a disk says so by its bulkhead before the backend does, and is UNAVAILABLE if too
// many hang there already; so is Rescan, which touches all. The others ask the system alone, and
// answer whatever hangs.
//
// Threads: any number at once. Owner: outlives its calls; the backend outlives it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "disk/disk_backend.h"
#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "longshore/single_flight.hpp"
#include "support/bulkhead.h"
#include "support/warning_log.h"

namespace longshore::disk {

class DiskService {
 public:
  explicit DiskService(DiskBackend& backend) : backend_(backend) {}

  Result<std::map<uint32_t, DiskLocation>> list_locations() { return backend_.locations(); }
  Result<std::map<uint32_t, DiskIdentity>> list_identities() { return backend_.identities(); }

  // The disk whose page 83 identifier this is, letter for letter. NOT_FOUND: none.
  // FAILED_PRECONDITION: several, which are named. INVALID_ARGUMENT: an empty name.
  Result<uint32_t> number_by_name(const std::string& page83);

  // In bytes.
  Result<int64_t> total_bytes(uint32_t number);

  // See DiskBackend. `request_id` is what others are told of a mutation that runs.
  Result<void> partition(uint32_t number, const Deadline& deadline, const std::string& request_id,
                         const support::Bulkhead& bulkhead = {});
  Result<void> rescan(const Deadline& deadline, const std::string& request_id,
                      const support::Bulkhead& bulkhead = {});
  // That a disk is read-only, which the API cannot say, both tell `warnings`; the second of a disk
  // that it brings online.
  Result<DiskState> state(uint32_t number, const support::WarningLog& warnings = {});
  Result<void> set_online(uint32_t number, bool online, const Deadline& deadline,
                          const std::string& request_id, const support::WarningLog& warnings = {},
                          const support::Bulkhead& bulkhead = {});

 private:
  DiskBackend& backend_;
  SingleFlight single_flight_;
};

}  // namespace longshore::disk
