// Disks whose tables and superblocks are damaged at random, through the real path: every question
// gets an answer or a clear error, and the disk is as it was once its bytes are.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <random>

#include "tests/support/random_seed.h"
#include "tests/unit/volume/disk_world.h"

namespace longshore::volume {
namespace {

constexpr uint64_t kImageBytes = 400 * kMebibyte;

// The places where tables and superblocks are.
class Image {
 public:
  explicit Image(const test::LoopDisk& disk) : path_(disk.file()) {
    for (const Region& region : kRegions) saved_.push_back(read(region));
  }

  // Changes a few bytes, or clears a sector, near the beginning of a region.
  void damage(std::mt19937_64& random) const {
    const size_t which = random() % std::size(kRegions);
    std::string bytes = saved_[which];
    const size_t count = 1 + random() % 16;
    for (size_t change = 0; change < count; ++change) {
      const size_t place = random() % bytes.size() / (size_t{1} << random() % 6);
      bytes[place] = static_cast<char>(random());
    }
    if (random() % 8 == 0) {
      const size_t sector = random() % (bytes.size() / 512) * 512;
      std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(sector), 512, '\0');
    }
    write(kRegions[which], bytes);
  }

  void repair() const {
    for (size_t which = 0; which < std::size(kRegions); ++which) {
      write(kRegions[which], saved_[which]);
    }
  }

 private:
  struct Region {
    uint64_t offset, size;
  };
  // The table, its copy, and the beginning of the partition with every superblock.
  static constexpr Region kRegions[] = {{0, 34 * 512},
                                        {kImageBytes - 33 * 512, 33 * 512},
                                        {kMebibyte, 4096},
                                        {kMebibyte + (64 << 10), 4096}};

  std::string read(const Region& region) const {
    std::ifstream file(path_, std::ios::binary);
    std::string bytes(region.size, '\0');
    file.seekg(static_cast<std::streamoff>(region.offset));
    REQUIRE(file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())));
    return bytes;
  }
  void write(const Region& region, const std::string& bytes) const {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(region.offset));
    REQUIRE(file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())));
  }

  const std::string path_;
  std::vector<std::string> saved_;
};

bool is_clear_answer(const std::string& code) {
  static const Ids kCodes = {"OK", "NOT_FOUND", "FAILED_PRECONDITION"};
  return std::ranges::find(kCodes, code) != kCodes.end();
}

void check_damaged_disks(const std::string& filesystem, int rounds) {
  INFO(filesystem);
  const Node node;
  test::LoopDisk disk(kImageBytes);
  // On a busy machine a read may take longer than an agent waits for it.
  Agent agent(node, {&disk}, {.filesystem = filesystem, .patience = std::chrono::minutes(1)});
  const std::string id = agent.new_volume(disk);
  REQUIRE(outcome(agent.service().format(id, {}, "test")) == "OK");
  const auto stats = agent.service().stats(id);
  REQUIRE(stats);
  const Image image(disk);
  std::mt19937_64 random(test::random_seed());
  int still_there = 0;
  for (int round = 0; round < rounds; ++round) {
    INFO("round " << round);
    image.damage(random);
    const Ids ids = agent.ids(disk);
    for (const std::string& each : ids) {
      still_there += each == id ? 1 : 0;
      const auto formatted = agent.service().is_formatted(each);
      INFO(each << ": " << (formatted ? "" : formatted.error().message()));
      CHECK(is_clear_answer(outcome(formatted)));
      const auto damaged = agent.service().stats(each);
      CHECK(is_clear_answer(outcome(damaged)));
      CHECK((!damaged || damaged->used <= damaged->total));
    }
    image.repair();
  }
  CHECK(still_there > 0);
  CHECK(agent.ids(disk) == Ids{id});
  CHECK(agent.is_formatted(id) == "true");
  CHECK(*agent.service().stats(id) == *stats);
}

TEST_CASE("damaged tables and superblocks are answered, and change nothing") {
  check_damaged_disks(GENERATE("ext4", "xfs", "btrfs"), 30);
}

TEST_CASE("many damaged tables and superblocks are answered, and change nothing", "[thorough]") {
  check_damaged_disks(GENERATE("ext4", "xfs", "btrfs"), 150);
}

TEST_CASE("a partition that a table places beyond the end of the disk is a clear error") {
  const Node node;
  test::LoopDisk disk(64 * kMebibyte);
  Agent agent(node, {&disk}, {});
  // An MBR with one partition: type 0x83, from sector 0x3fffffff on, 0x1000 sectors.
  std::string table(512, '\0');
  const std::string entry("\0\0\0\0\x83\0\0\0\xff\xff\xff\x3f\0\x10\0\0", 16);
  table.replace(440, 4, "disk").replace(446, entry.size(), entry).replace(510, 2, "\x55\xaa");
  std::fstream(disk.file(), std::ios::binary | std::ios::in | std::ios::out) << table;
  const Ids ids = agent.ids(disk);
  REQUIRE(ids.size() == 1);
  CHECK(agent.is_formatted(ids[0]) == "FAILED_PRECONDITION");
  CHECK(outcome(agent.service().stats(ids[0])) == "FAILED_PRECONDITION");
  CHECK(agent.format(ids[0]) == "FAILED_PRECONDITION");
}

}  // namespace
}  // namespace longshore::volume
