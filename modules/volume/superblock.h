// How large a filesystem is and how much of it is used, by its superblock: ext2 to ext4, xfs,
// btrfs, and ntfs, of which the superblock tells the size alone. For volumes that are not mounted;
// the kernel answers for the others.
//
// The bytes come from a disk that anybody may have written: every field is checked, and sizes that
// cannot be are refused. Fuzzed by tests/fuzz/superblock_fuzz.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "volume/volume_backend.h"

namespace longshore::volume {

// From the start of the volume: this many bytes hold every superblock that is looked for.
constexpr size_t kSuperblockBytes = (64 << 10) + 4096;

// By the name that libblkid gives the filesystem. Of ntfs nothing is told to be used. Nothing for
// other filesystems and for superblocks whose figures contradict each other. `start` is the
// volume's first kSuperblockBytes, or all of it.
std::optional<VolumeStats> read_superblock(std::string_view type, std::string_view start);

// Whether it is an xfs whose mkfs has not ended: the kernel does not mount it.
bool is_unfinished_xfs(std::string_view start);

}  // namespace longshore::volume
