// Tables with more partitions than anybody has, in plain files.
#include "support/linux/block/partition_limit.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "support/linux/block/device_content.h"
#include "support/linux/block/partition_table.h"
#include "tests/support/temporary_directory.h"

namespace longshore::block {
namespace {

constexpr uint32_t kContainer = 2048;

struct Entry {
  uint8_t type;
  uint32_t start;
  uint32_t sectors;
};

// A disk with an MBR, whose container has a chain of tables; each is four sectors from the next.
class ChainDisk {
 public:
  ChainDisk() {
    REQUIRE(::ftruncate(opened_.get(), 8 << 20) == 0);
    put(0, {Entry{0x0f, kContainer, 8192}, {}});
  }
  void put(uint32_t sector, const std::array<Entry, 2>& entries) const {
    std::array<uint8_t, 512> table{};
    for (size_t i = 0; i < entries.size(); ++i) {
      uint8_t* entry = &table[446 + 16 * i];
      entry[4] = entries[i].type;
      for (size_t byte = 0; byte < 4; ++byte) {
        entry[8 + byte] = static_cast<uint8_t>(entries[i].start >> (8 * byte));
        entry[12 + byte] = static_cast<uint8_t>(entries[i].sectors >> (8 * byte));
      }
    }
    table[510] = 0x55;
    table[511] = 0xaa;
    REQUIRE(::pwrite(opened_.get(), table.data(), table.size(), off_t{sector} * 512) == 512);
  }
  // The last leads to the table of this number; none: nowhere.
  void put_chain(uint32_t length, int back_to = -1) const {
    for (uint32_t i = 0; i < length; ++i) {
      Entry next{0x05, (i + 1) * 4, 4};
      if (i + 1 == length) next = back_to < 0 ? Entry{} : Entry{0x05, uint32_t(back_to) * 4, 4};
      put(kContainer + i * 4, {Entry{0x83, 1, 1}, next});
    }
  }
  const FileDescriptor& opened() const { return opened_; }
  Disk disk() const { return {.node = directory_ / "disk"}; }

 private:
  const test::TemporaryDirectory directory_;
  const FileDescriptor opened_{
      ::open((directory_ / "disk").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
};

TEST_CASE("As many logical partitions as the kernel reads are read") {
  const ChainDisk disk;
  disk.put_chain(200);
  const auto partitions = read_partitions(disk.opened(), "the disk");
  REQUIRE(partitions);
  CHECK(partitions->size() == 201);  // with their container
}

TEST_CASE("A longer chain of logical partitions is refused, and never written") {
  const ChainDisk disk;
  const bool is_circle = GENERATE(false, true);
  CAPTURE(is_circle);
  is_circle ? disk.put_chain(3, 1) : disk.put_chain(kMostPartitions + 1);
  const auto partitions = read_partitions(disk.opened(), "the disk");
  REQUIRE_FALSE(partitions);
  CHECK(partitions.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(partitions.error().message(), Catch::Contains("it has more than 256 partitions"));
  const auto content = read_content(disk.opened(), {0, 8 << 20}, "the disk");
  REQUIRE_FALSE(content);
  CHECK_THAT(content.error().message(), Catch::Contains("more than 256"));
  const auto table = PartitionTable::open(disk.disk(), disk.opened());
  REQUIRE_FALSE(table);
  CHECK_THAT(table.error().message(), Catch::Contains("more than 256"));
  const auto wiped = wipe_signatures(disk.opened(), "the disk");
  REQUIRE_FALSE(wiped);
  CHECK_THAT(wiped.error().message(), Catch::Contains("more than 256"));
}

TEST_CASE("What lies further on a disk is checked where it begins") {
  const ChainDisk disk;
  disk.put_chain(kMostPartitions + 1);
  CHECK(check_logical_partitions(disk.opened(), 512, "the disk"));
  CHECK_FALSE(check_logical_partitions(disk.opened(), 0, "the disk"));
}

}  // namespace
}  // namespace longshore::block
