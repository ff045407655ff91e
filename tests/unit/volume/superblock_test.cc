// The reader of superblocks on what mkfs makes in files, and on what it must not believe.
#include "volume/superblock.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/linux/command.h"
#include "tests/support/byte_units.h"
#include "tests/support/temporary_directory.h"

namespace longshore::volume {
namespace {

using test::kMebibyte;
constexpr size_t kExt = 1024, kBtrfs = 64 << 10;  // where the superblocks are

// The start of a filesystem of that size in a file; "" where its mkfs is not installed.
std::string made(const std::string& filesystem, uint64_t bytes,
                 const std::vector<std::string>& options = {}) {
  const std::string program = "/usr/sbin/mkfs." + filesystem;
  if (!std::filesystem::exists(program)) {
    std::printf("SKIPPED a case: there is no %s\n", program.c_str());
    return {};
  }
  const test::TemporaryDirectory directory;
  const std::string file = directory / "image";
  test::write_file(file, "");
  std::filesystem::resize_file(file, bytes);
  std::vector<std::string> arguments = {program, "-q"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back(file);
  const Result<support::CommandEnd> end = support::run_command(arguments, {});
  REQUIRE(end);
  INFO(end->complaint);
  REQUIRE(end->exit_code == 0);
  std::string start(kSuperblockBytes, '\0');
  std::ifstream(file, std::ios::binary).read(start.data(), kSuperblockBytes);
  return start;
}

std::string little(uint64_t value, size_t size) {
  std::string bytes;
  for (; size > 0; --size, value >>= 8) bytes += static_cast<char>(value & 0xff);
  return bytes;
}

std::string big(uint64_t value, size_t size) {
  const std::string bytes = little(value, size);
  return {bytes.rbegin(), bytes.rend()};
}

std::string with(std::string start, size_t offset, const std::string& bytes) {
  return start.replace(offset, bytes.size(), bytes);
}

// 16384 blocks of 4096 bytes, of which 5000 are free, and nothing that the reader does not look at.
std::string small_ext4() {
  std::string start(kExt + 1024, '\0');
  start = with(start, kExt + 0x4, little(16384, 4));
  start = with(start, kExt + 0xc, little(5000, 4));
  start = with(start, kExt + 0x18, little(2, 4));
  return with(start, kExt + 0x38, little(0xEF53, 2));
}

std::string small_xfs() {
  std::string start(512, '\0');
  start = with(start, 0, "XFSB" + big(4096, 4) + big(16384, 8));
  return with(start, 144, big(5000, 8));
}

std::string small_btrfs() {
  std::string start(kBtrfs + 4096, '\0');
  start = with(start, kBtrfs + 0x40, "_BHRfS_M");
  return with(start, kBtrfs + 0x70, little(64 * kMebibyte, 8) + little(40 * kMebibyte, 8));
}

// 131065 sectors of 512 bytes.
std::string small_ntfs() {
  std::string start(512, '\0');
  start = with(start, 3, "NTFS    " + little(512, 2));
  return with(start, 0x28, little(131065, 8));
}

TEST_CASE("ext2 to ext4 as mkfs makes them have their exact size") {
  const std::string type = GENERATE("ext2", "ext3", "ext4");
  const std::string block = GENERATE("1024", "2048", "4096");
  const std::string start = made(type, 48 * kMebibyte, {"-b", block});
  if (start.empty()) return;
  const auto stats = read_superblock(type, start);
  REQUIRE(stats);
  CHECK(stats->total == 48 * kMebibyte);
  CHECK(stats->used > 0);
  CHECK(stats->used < 16 * kMebibyte);
}

TEST_CASE("xfs and btrfs as mkfs makes them have their exact size") {
  const std::string type = GENERATE("xfs", "btrfs");
  const std::string start = made(type, 320 * kMebibyte);
  if (start.empty()) return;
  const auto stats = read_superblock(type, start);
  REQUIRE(stats);
  CHECK(stats->total == 320 * kMebibyte);
  CHECK(stats->used > 0);
  CHECK(stats->used < 96 * kMebibyte);  // the log of xfs has 64
}

TEST_CASE("sizes are told in bytes") {
  CHECK(read_superblock("ext4", small_ext4()) == VolumeStats{16384 * 4096, 11384 * 4096});
  CHECK(read_superblock("xfs", small_xfs()) == VolumeStats{16384 * 4096, 11384 * 4096});
  CHECK(read_superblock("btrfs", small_btrfs()) == VolumeStats{64 * kMebibyte, 40 * kMebibyte});
  CHECK(read_superblock("ntfs", small_ntfs()) == VolumeStats{uint64_t{131065} * 512, 0});
}

TEST_CASE("an ext4 of more than 32 bits of blocks has its size, if it says that it is one") {
  constexpr uint64_t kBlocks = uint64_t{5} << 32, kFree = uint64_t{3} << 32 | 7;
  std::string start = small_ext4();
  start = with(start, kExt + 0x4, little(kBlocks, 4));
  start = with(start, kExt + 0xc, little(kFree, 4));
  start = with(start, kExt + 0x150, little(kBlocks >> 32, 4));
  start = with(start, kExt + 0x158, little(kFree >> 32, 4));
  CHECK_FALSE(read_superblock("ext4", start));  // 0 blocks, of which 7 are free
  start = with(start, kExt + 0x60, little(0x80, 4));
  CHECK(read_superblock("ext4", start) == VolumeStats{kBlocks * 4096, (kBlocks - kFree) * 4096});
}

TEST_CASE("other filesystems, and one under another's name, are nothing") {
  for (const char* type : {"", "vfat", "EXT4", "ext", "ntfs", "ext4dev"}) {
    CHECK_FALSE(read_superblock(type, small_ext4()));
  }
  CHECK_FALSE(read_superblock("xfs", small_ext4()));
  CHECK_FALSE(read_superblock("btrfs", small_ext4()));
  CHECK_FALSE(read_superblock("ext4", small_xfs()));
  CHECK_FALSE(read_superblock("ext4", small_btrfs()));
  CHECK_FALSE(read_superblock("ext4", small_ntfs()));
}

TEST_CASE("a superblock that cannot be is nothing") {
  const auto ext = [](size_t offset, const std::string& bytes) {
    return read_superblock("ext4", with(small_ext4(), kExt + offset, bytes));
  };
  CHECK(ext(0xc, little(16384, 4)) == VolumeStats{16384 * 4096, 0});
  CHECK_FALSE(ext(0xc, little(16385, 4)));  // more free than there are
  CHECK(ext(0x18, little(6, 4)));
  CHECK_FALSE(ext(0x18, little(7, 4)));  // blocks of 128 KiB
  CHECK_FALSE(ext(0x18, little(0xffffffff, 4)));
  CHECK_FALSE(ext(0x38, little(0x53EF, 2)));

  const auto xfs = [](size_t offset, const std::string& bytes) {
    return read_superblock("xfs", with(small_xfs(), offset, bytes));
  };
  CHECK_FALSE(xfs(0, "xfsb"));
  CHECK_FALSE(xfs(4, big(0, 4)));
  CHECK_FALSE(xfs(4, big(256, 4)));
  CHECK_FALSE(xfs(4, big(128 << 10, 4)));
  CHECK_FALSE(xfs(8, big(4999, 8)));
  CHECK_FALSE(xfs(8, big(~uint64_t{0}, 8)));
  CHECK(xfs(8, big(uint64_t{1} << 46, 8)));
  CHECK_FALSE(xfs(8, big((uint64_t{1} << 46) + 1, 8)));

  const auto btrfs = [](size_t offset, const std::string& bytes) {
    return read_superblock("btrfs", with(small_btrfs(), kBtrfs + offset, bytes));
  };
  CHECK(btrfs(0x78, little(64 * kMebibyte, 8)));
  CHECK_FALSE(btrfs(0x78, little(64 * kMebibyte + 1, 8)));
  CHECK_FALSE(btrfs(0x70, little(~uint64_t{0}, 8)));
  CHECK_FALSE(btrfs(0x40, "BHRfS_M_"));

  const auto ntfs = [](size_t offset, const std::string& bytes) {
    return read_superblock("ntfs", with(small_ntfs(), offset, bytes));
  };
  CHECK(ntfs(0xb, little(4096, 2)) == VolumeStats{uint64_t{131065} * 4096, 0});
  CHECK_FALSE(ntfs(0xb, little(0, 2)));
  CHECK_FALSE(ntfs(0x28, little(~uint64_t{0}, 8)));
  CHECK_FALSE(ntfs(3, "EXFAT   "));
}

TEST_CASE("a superblock that is cut off is nothing") {
  // The last byte that counts of each.
  const auto [type, start, end] = GENERATE(table<std::string, std::string, size_t>({
      {"ext4", small_ext4(), kExt + 0x64},
      {"xfs", small_xfs(), 152},
      {"btrfs", small_btrfs(), kBtrfs + 0x80},
      {"ntfs", small_ntfs(), 0x30},
  }));
  CAPTURE(type);
  for (const size_t size : {size_t{0}, size_t{1}, end / 2, end - 1}) {
    CHECK_FALSE(read_superblock(type, std::string_view(start).substr(0, size)));
  }
  CHECK(read_superblock(type, std::string_view(start).substr(0, end)));
}

TEST_CASE("an ext4 of 64 bits that is cut off before the upper halves is nothing") {
  const std::string start = with(small_ext4(), kExt + 0x60, little(0x80, 4));
  CHECK(read_superblock("ext4", std::string_view(start).substr(0, kExt + 0x15c)));
  CHECK_FALSE(read_superblock("ext4", std::string_view(start).substr(0, kExt + 0x15b)));
}

}  // namespace
}  // namespace longshore::volume
