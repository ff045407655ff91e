// Any bytes as what a disk tells of itself: superblocks, and vital product data page 0x83.
//
// The first byte decides of what kind the rest is. A superblock is put where its filesystem has it,
// so that no input is long.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/linux/block/disk_identity.h"
#include "volume/superblock.h"

namespace longshore {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

struct Place {
  const char* type;
  size_t offset;
};
constexpr std::array kPlaces = {Place{"ext2", 1024}, Place{"ext3", 1024},      Place{"ext4", 1024},
                                Place{"xfs", 0},     Place{"btrfs", 64 << 10}, Place{"ntfs", 0}};

void read_superblock(const Place& place, std::string_view rest) {
  std::string start(place.offset, '\0');
  start.append(rest.substr(0, volume::kSuperblockBytes - place.offset));
  const auto stats = volume::read_superblock(place.type, start);
  if (!stats) return;
  require(stats->used <= stats->total);
  require(stats->total <= uint64_t{1} << 62);
  // Less of the same is the same or nothing.
  const auto half =
      volume::read_superblock(place.type, std::string_view(start).substr(0, start.size() / 2));
  require(!half || *half == *stats);
}

void read_page(std::string_view page) {
  const std::string identifier = block::page83_identifier(page);
  require(identifier.size() <= 2 * 255);
  const bool is_hexadecimal = std::ranges::all_of(
      identifier, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  const bool is_ascii =
      std::ranges::all_of(identifier, [](char c) { return static_cast<unsigned char>(c) <= 0x7f; });
  require(is_hexadecimal || (is_ascii && page.find(identifier) != std::string_view::npos));
}

}  // namespace
}  // namespace longshore

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t kind = data[0] % (longshore::kPlaces.size() + 1);
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (kind < longshore::kPlaces.size()) {
    longshore::read_superblock(longshore::kPlaces[kind], rest);
  } else {
    longshore::read_page(rest);
  }
  return 0;
}
