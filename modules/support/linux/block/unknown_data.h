// Whether the ends of a range of a disk are zero, and zeros over them. What has no signature that
// libblkid knows may be somebody's data all the same: only what is zero at both ends counts as
// holding nothing.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"
#include "support/linux/block/device_content.h"

namespace longshore::block {

// The first and the last MiB of a range, or all of a smaller one.
ByteRange first_end_of(const ByteRange& range);
ByteRange last_end_of(const ByteRange& range);

// The bytes of the range of the opened disk. `object` names it in errors.
Result<std::string> read_range(const FileDescriptor& disk, const ByteRange& range,
                               const std::string& object);

// The first byte in the range that is not zero, from the disk's start.
Result<std::optional<uint64_t>> first_data_in(const FileDescriptor& disk, const ByteRange& range,
                                              const std::string& object);

// The same of both ends of the range.
Result<std::optional<uint64_t>> first_data_at_ends(const FileDescriptor& disk,
                                                   const ByteRange& range,
                                                   const std::string& object);

// Writes zeros over both ends of the range, and flushes.
Result<void> zero_ends(const FileDescriptor& disk, const ByteRange& range,
                       const std::string& object);

}  // namespace longshore::block
