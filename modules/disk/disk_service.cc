#include "disk/disk_service.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "support/disk_number.h"

namespace longshore::disk {
using support::Bulkhead;
using support::quotable;

namespace {

constexpr const char* kFindByName = "find the disk";

std::string name_of(uint32_t number) { return "disk " + std::to_string(number); }

}  // namespace

Result<uint32_t> DiskService::number_by_name(const std::string& page83) {
  if (page83.empty()) {
    return Error(StatusCode::kInvalidArgument, kFindByName)
        .because("disk name empty, which is what disks without an identifier have");
  }
  const auto identities = backend_.identities();
  if (!identities) return identities.error();
  std::vector<uint32_t> numbers;
  for (const auto& [number, identity] : *identities) {
    if (identity.page83 == page83) numbers.push_back(number);
  }
  if (numbers.size() == 1) return numbers.front();
  if (numbers.empty()) {
    return Error(StatusCode::kNotFound, kFindByName, quotable(page83))
        .because("could not find disk with Page83 ID of this name")
        .advise("compare it with what ListDiskIDs answers, letter for letter");
  }
  std::string named;
  for (const uint32_t number : numbers) {
    named.append(named.empty() ? "" : ", ").append(name_of(number));
  }
  return Error(StatusCode::kFailedPrecondition, kFindByName, quotable(page83))
      .because("several disks have this Page83 ID: " + named)
      .advise("use the disk's number");
}

Result<int64_t> DiskService::total_bytes(uint32_t number) {
  const Result<uint64_t> size = backend_.size_in_bytes(number);
  if (!size) return size.error();
  if (*size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return Error(StatusCode::kOutOfRange, "tell the size of " + name_of(number))
        .because("its " + std::to_string(*size) + " bytes are more than an answer can hold");
  }
  return static_cast<int64_t>(*size);
}

Result<void> DiskService::partition(uint32_t number, const Deadline& deadline,
                                    const std::string& request_id, const Bulkhead& bulkhead) {
  if (Result<void> entered = bulkhead.enter(backend_.bulkhead_of(number)); !entered) {
    return entered;
  }
  return single_flight_.run(name_of(number), "partition " + name_of(number), request_id, deadline,
                            [&] { return backend_.partition(number, deadline); });
}

Result<void> DiskService::rescan(const Deadline& deadline, const std::string& request_id,
                                 const Bulkhead& bulkhead) {
  if (Result<void> entered = bulkhead.enter("all disks"); !entered) return entered;
  return single_flight_.run("the disks", "rescan the disks", request_id, deadline,
                            [&] { return backend_.rescan(deadline); });
}

Result<void> DiskService::set_online(uint32_t number, bool online, const Deadline& deadline,
                                     const std::string& request_id,
                                     const support::WarningLog& warnings,
                                     const Bulkhead& bulkhead) {
  if (Result<void> entered = bulkhead.enter(backend_.bulkhead_of(number)); !entered) {
    return entered;
  }
  const std::string operation = "take " + name_of(number) + (online ? " online" : " offline");
  Result<void> done = single_flight_.run(name_of(number), operation, request_id, deadline, [&] {
    return backend_.set_online(number, online, deadline);
  });
  if (done && online) static_cast<void>(state(number, warnings));
  return done;
}

Result<DiskState> DiskService::state(uint32_t number, const support::WarningLog& warnings) {
  Result<DiskState> state = backend_.state(number);
  if (state && state->read_only) {
    warnings.write(name_of(number) +
                   " or a partition of it is read-only: volumes there are mounted only if "
                   "mount_read_only_disks = true of the module volume");
  }
  return state;
}

}  // namespace longshore::disk
