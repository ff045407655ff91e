#include "volume/superblock.h"

namespace longshore::volume {
namespace {

constexpr uint64_t kXfsMagic = 0x58465342;  // "XFSB"

// Reads numbers at offsets in a superblock; one past its end makes the whole reading fail.
class Fields {
 public:
  Fields(std::string_view bytes, size_t offset)
      : bytes_(offset <= bytes.size() ? bytes.substr(offset) : std::string_view()) {}

  uint64_t little(size_t offset, size_t size) { return read(offset, size, /*big=*/false); }
  uint64_t big(size_t offset, size_t size) { return read(offset, size, /*big=*/true); }
  bool failed() const { return failed_; }

 private:
  uint64_t read(size_t offset, size_t size, bool big) {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      failed_ = true;
      return 0;
    }
    uint64_t value = 0;
    for (size_t index = 0; index < size; ++index) {
      const size_t at = offset + (big ? index : size - 1 - index);
      value = value << 8 | static_cast<unsigned char>(bytes_[at]);
    }
    return value;
  }

  std::string_view bytes_;
  bool failed_ = false;
};

// Blocks to bytes, where they can be a filesystem's.
std::optional<VolumeStats> stats_of(const Fields& fields, uint64_t blocks, uint64_t free,
                                    uint64_t block_bytes) {
  constexpr uint64_t kMaxBlocks = uint64_t{1} << 46;
  if (fields.failed() || block_bytes < 512 || block_bytes > (64 << 10) || blocks > kMaxBlocks ||
      free > blocks) {
    return std::nullopt;
  }
  return VolumeStats{blocks * block_bytes, (blocks - free) * block_bytes};
}

std::optional<VolumeStats> read_ext(std::string_view start) {
  Fields fields(start, 1024);
  constexpr uint64_t kMagic = 0xEF53, k64Bit = 0x80;
  if (fields.little(0x38, 2) != kMagic) return std::nullopt;
  const uint64_t log_block = fields.little(0x18, 4);
  if (log_block > 6) return std::nullopt;
  uint64_t blocks = fields.little(0x4, 4);
  uint64_t free = fields.little(0xC, 4);
  if ((fields.little(0x60, 4) & k64Bit) != 0) {  // of the incompatible features
    blocks |= fields.little(0x150, 4) << 32;
    free |= fields.little(0x158, 4) << 32;
  }
  return stats_of(fields, blocks, free, uint64_t{1024} << log_block);
}

std::optional<VolumeStats> read_xfs(std::string_view start) {
  Fields fields(start, 0);
  if (fields.big(0, 4) != kXfsMagic) return std::nullopt;
  return stats_of(fields, fields.big(8, 8), fields.big(144, 8), fields.big(4, 4));
}

std::optional<VolumeStats> read_btrfs(std::string_view start) {
  Fields fields(start, 64 << 10);
  constexpr uint64_t kMagic = 0x4D5F53665248425F;  // "_BHRfS_M"
  if (fields.little(0x40, 8) != kMagic) return std::nullopt;
  const uint64_t total = fields.little(0x70, 8), used = fields.little(0x78, 8);
  if (fields.failed() || used > total || total > uint64_t{1} << 62) return std::nullopt;
  return VolumeStats{total, used};
}

std::optional<VolumeStats> read_ntfs(std::string_view start) {
  Fields fields(start, 0);
  constexpr uint64_t kMagic = 0x4E54465320202020;  // "NTFS    "
  if (fields.big(3, 8) != kMagic) return std::nullopt;
  const uint64_t sectors = fields.little(0x28, 8);
  return stats_of(fields, sectors, /*free=*/sectors, fields.little(0xB, 2));
}

}  // namespace

std::optional<VolumeStats> read_superblock(std::string_view type, std::string_view start) {
  if (type == "ext2" || type == "ext3" || type == "ext4") return read_ext(start);
  if (type == "xfs") return read_xfs(start);
  if (type == "btrfs") return read_btrfs(start);
  if (type == "ntfs") return read_ntfs(start);
  return std::nullopt;
}

bool is_unfinished_xfs(std::string_view start) {
  Fields fields(start, 0);
  return fields.big(0, 4) == kXfsMagic && fields.big(126, 1) != 0;
}

}  // namespace longshore::volume
