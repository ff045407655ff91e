#include "disk/windows/blank_disk.h"

#include <algorithm>
#include <string>

namespace longshore::disk {

using support::DiskDevice;

namespace {

constexpr uint64_t kEndBytes = 1 << 20;
// Places to read from are multiples of every sector's size.
constexpr uint64_t kSector = 4096;

Error not_blank(const DiskDevice& disk, uint64_t place) {
  return disk.refused("it holds something of no known kind, at byte " + std::to_string(place))
      .advise(
          "if that is not needed, write zeros over the disk's first and last MiB, as diskpart's "
          "clean does, or set overwrite_unknown_data = true of the module disk");
}

Result<void> check_zero(DiskDevice& disk, uint64_t offset, uint64_t size) {
  const Result<std::string> bytes = disk.read(offset, static_cast<size_t>(size));
  if (!bytes) return bytes.error();
  const size_t place = bytes->find_first_not_of('\0');
  if (place != std::string::npos) return not_blank(disk, offset + place);
  if (bytes->size() == size) return {};
  return disk.refused("its first and last MiB cannot be read to their ends");
}

}  // namespace

Result<void> check_zero_at_ends(DiskDevice& disk) {
  const Result<uint64_t> size = disk.size_in_bytes();
  if (!size) return size.error();
  if (auto zero = check_zero(disk, 0, std::min(*size, kEndBytes)); !zero) return zero;
  const uint64_t last = (*size - std::min(*size, kEndBytes)) / kSector * kSector;
  return check_zero(disk, last, *size - last);
}

}  // namespace longshore::disk
