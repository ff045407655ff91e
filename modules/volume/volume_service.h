// The volume group: what its methods mean, on every system and in every wire version.
//
// Every target path is checked first, by its text and against the allowed roots (csi-proxy checks
// only that it is not empty). One mutation at a time acts on a volume, and one on a target: whoever
// asks for the same while it runs gets its result, whoever asks for something else is told what is
// running (ABORTED).
//
// What would hang on a disk, a mount or a server says so by its bulkhead before the backend touches
// that, and is UNAVAILABLE if too many hang there already. A disk is one, whether a call names it
// by its number, by the id of a volume or by a path. GetDiskNumberFromVolumeID says nothing: no
// disk is touched for it in a way that can hang.
//
// Threads: any number at once. Owner: outlives its calls; the backend outlives it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "longshore/single_flight.hpp"
#include "support/allowed_roots.h"
#include "support/bulkhead.h"
#include "support/warning_log.h"
#include "volume/volume_backend.h"

namespace longshore::volume {

class VolumeService {
 public:
  VolumeService(support::AllowedRoots roots, VolumeBackend& backend)
      : roots_(std::move(roots)), backend_(backend) {}

  // See VolumeBackend for each. INVALID_ARGUMENT for an empty id or target and for a negative size.
  // An id that is too long or holds a character that ids never have is NOT_FOUND unasked.
  // `request_id` is what others are told of a mutation that runs.
  Result<std::vector<std::string>> list(uint32_t disk_number, uint32_t partition_number,
                                        const Deadline& deadline = {},
                                        const support::Bulkhead& bulkhead = {});
  Result<bool> is_formatted(const std::string& id, const support::Bulkhead& bulkhead = {});
  Result<void> format(const std::string& id, const Deadline& deadline,
                      const std::string& request_id, const support::Bulkhead& bulkhead = {});
  Result<void> mount(const std::string& id, const std::string& target, const Deadline& deadline,
                     const std::string& request_id, const support::WarningLog& warnings = {},
                     const support::Bulkhead& bulkhead = {});
  Result<void> unmount(const std::string& id, const std::string& target, const Deadline& deadline,
                       const std::string& request_id, const support::WarningLog& warnings = {},
                       const support::Bulkhead& bulkhead = {});
  Result<void> flush(const std::string& id, const support::WarningLog& warnings = {},
                     const support::Bulkhead& bulkhead = {});
  // The id may also be the number of a disk, in decimal, which means the only volume of that disk.
  // The driver of azuredisk names a disk so in this call, and in no other, each time that it
  // stages. FAILED_PRECONDITION: the disk has several.
  Result<void> resize(const std::string& disk_or_volume, int64_t size_bytes,
                      const Deadline& deadline, const std::string& request_id,
                      const support::Bulkhead& bulkhead = {});
  Result<VolumeStats> stats(const std::string& id, const support::Bulkhead& bulkhead = {});
  Result<uint32_t> disk_number_of(const std::string& id);
  Result<std::string> id_of_mount_point(const std::string& path,
                                        const support::Bulkhead& bulkhead = {});
  Result<std::string> closest_id(const std::string& path, const support::Bulkhead& bulkhead = {});

 private:
  // The path checked, and what lies behind it entered: from here on it may be touched.
  Result<support::Path> enter(const std::string& path, const char* operation,
                              const support::Bulkhead& bulkhead);
  // The id checked, and the disk of the volume entered. `operation` completes "cannot ...".
  Result<void> enter_volume(const std::string& id, const char* operation,
                            const support::Bulkhead& bulkhead);
  // The id of the only volume of the disk, if `id` is a disk's number; else `id` itself. The disk
  // is entered.
  Result<std::string> volume_to_resize(const std::string& id, const Deadline& deadline,
                                       const support::Bulkhead& bulkhead);
  // Holds the volume, then the target. `verb` and `preposition`: "mount the volume", "on". `enter`
  // gets the target's path when that was checked.
  template <typename Enter, typename Mutate>
  Result<void> mutate_at(const char* verb, const char* preposition, const std::string& id,
                         const std::string& target, const Deadline& deadline,
                         const std::string& request_id, const Enter& enter, const Mutate& mutate);

  support::AllowedRoots roots_;
  VolumeBackend& backend_;
  SingleFlight single_flight_;
};

}  // namespace longshore::volume
