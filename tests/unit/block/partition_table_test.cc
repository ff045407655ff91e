#include "support/linux/block/partition_table.h"

#include <functional>

#include "tests/unit/block/loop_devices.h"

namespace longshore::block {
namespace {

using test::LoopDisk;

// Opens the disk's table, does that to it and, if it went well, writes it.
Result<void> change(const LoopDisk& disk,
                    const std::function<Result<void>(PartitionTable&)>& make_change) {
  const FileDescriptor opened = open_whole(disk, O_RDWR);
  Result<PartitionTable> table = PartitionTable::open(look_up(disk), opened);
  REQUIRE(table);
  if (Result<void> done = make_change(*table); !done) return done;
  return table->write();
}

Result<void> set_size(const LoopDisk& disk, uint32_t number, uint64_t bytes) {
  return change(disk, [&](PartitionTable& table) { return table.set_size(number, bytes); });
}

Result<uint64_t> largest_size(const LoopDisk& disk, uint32_t number) {
  const FileDescriptor opened = open_whole(disk, O_RDONLY);
  Result<PartitionTable> table = PartitionTable::open(look_up(disk), opened);
  REQUIRE(table);
  return table->largest_size(number);
}

// Compared in parentheses, or Catch2 would write them out.
std::string all_of(const LoopDisk& disk) {
  return test::read_bytes(disk.node(), 0, look_up(disk).size_in_bytes());
}

uint64_t little(const std::string& bytes, size_t offset, size_t size) {
  uint64_t value = 0;
  while (size-- > 0) value = value << 8 | static_cast<unsigned char>(bytes[offset + size]);
  return value;
}

// Bytes from `begin` to `end` that may change.
struct Allowed {
  size_t begin = 0, end = 0;
};

// The place of the first byte that changed and may not, or nothing.
std::optional<size_t> unexpected(const std::string& before, const std::string& after,
                                 const std::vector<Allowed>& allowed) {
  REQUIRE(before.size() == after.size());
  for (size_t place = 0; place < before.size(); ++place) {
    if (before[place] == after[place]) continue;
    const auto may = [&](const Allowed& range) {
      return place >= range.begin && place < range.end;
    };
    if (std::none_of(allowed.begin(), allowed.end(), may)) return place;
  }
  return std::nullopt;
}

// What of a GPT changes with the end of a partition: it, and the checksums.
std::vector<Allowed> allowed_in_gpt(const std::string& disk, size_t header, size_t sector,
                                    uint32_t number) {
  const size_t entries = little(disk, header + 72, 8) * sector;
  const size_t entry_bytes = little(disk, header + 84, 4);
  const size_t end_of_partition = entries + (number - 1) * entry_bytes + 40;
  return {{header + 16, header + 20},
          {header + 88, header + 92},
          {end_of_partition, end_of_partition + 8}};
}

TEST_CASE("a blank disk gets a GPT with one partition over all of it") {
  const uint32_t sector = GENERATE(512u, 4096u);
  const LoopDisk disk(kDiskBytes, {.sector_size = sector});
  CHECK(table_of(disk).empty());
  REQUIRE(change(disk, [](PartitionTable& table) {
    if (Result<void> made = table.create(); !made) return made;
    return table.add_largest();
  }));
  CHECK(test::read_bytes(disk.node(), sector, 8) == "EFI PART");
  CHECK(test::read_bytes(disk.node(), kDiskBytes - sector, 8) == "EFI PART");
  const auto partitions = table_of(disk);
  REQUIRE(partitions.size() == 1);
  CHECK(partitions[0].number == 1);
  CHECK(partitions[0].start == kMebibyte / kSectorBytes);
  CHECK(partitions[0].sectors * kSectorBytes > kDiskBytes - 3 * kMebibyte);
  CHECK(partitions[0].uuid.size() == 36);
  CHECK_FALSE(partitions[0].is_reserved);
  // Linux data, as the table writes it.
  CHECK(test::read_bytes(disk.node(), 2 * sector, 4) == "\xaf\x3d\xc6\x0f");
}

TEST_CASE("a partition is added in the largest free range, if there is one") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: gpt\nstart=10240, size=16MiB\n");
  const auto add = [](PartitionTable& table) { return table.add_largest(); };
  REQUIRE(change(disk, add));
  const auto partitions = table_of(disk);
  REQUIRE(partitions.size() == 2);
  CHECK(partitions[1].start == 10240 + 32768);
  REQUIRE(change(disk, add));
  CHECK(table_of(disk).size() == 3);
  const std::string before = all_of(disk);
  const Result<void> refused = change(disk, add);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK((all_of(disk) == before));
}

TEST_CASE("a partition can grow to its neighbour or to the end") {
  const uint32_t sector = GENERATE(512u, 4096u);
  const LoopDisk disk(kDiskBytes, {.sector_size = sector});
  const std::string label = GENERATE("gpt", "dos");
  // The second lies before the first.
  test::write_table(disk, "label: " + label + "\nstart=" + std::to_string(32 * kMebibyte / sector) +
                              ", size=8MiB\nstart=" + std::to_string(kMebibyte / sector) +
                              ", size=8MiB\n");
  CHECK(*largest_size(disk, 2) == 31 * kMebibyte);
  CHECK(*largest_size(disk, 1) == (label == "gpt" ? 31 : 32) * kMebibyte);
  for (const uint32_t number : {0u, 3u, 200u}) {
    CHECK(largest_size(disk, number).error().code() == StatusCode::kFailedPrecondition);
  }
}

TEST_CASE("a partition that ends beside a MiB has what it has at least") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: gpt\nstart=2050, size=20001\nstart=22200, size=2000\n");
  CHECK(*largest_size(disk, 1) == 20001 * 512);
  CHECK(*largest_size(disk, 2) == 53 * kMebibyte);
}

TEST_CASE("another end of a partition changes nothing else in a GPT") {
  const uint32_t sector = GENERATE(512u, 4096u);
  const LoopDisk disk(kDiskBytes, {.sector_size = sector});
  const auto at = [&](uint64_t mebibytes) {
    return std::to_string(mebibytes * kMebibyte / sector);
  };
  test::write_table(
      disk, "label: gpt\nstart=" + at(1) + ", size=8MiB, name=\"first\"\nstart=" + at(12) +
                ", size=8MiB, attrs=\"RequiredPartition\"\nstart=" + at(40) + ", size=8MiB\n");
  const std::string before = all_of(disk);
  REQUIRE(set_size(disk, 2, 20 * kMebibyte));
  const std::string after = all_of(disk);
  auto allowed = allowed_in_gpt(before, sector, sector, 2);
  const auto in_copy = allowed_in_gpt(before, kDiskBytes - sector, sector, 2);
  allowed.insert(allowed.end(), in_copy.begin(), in_copy.end());
  CHECK(unexpected(before, after, allowed) == std::nullopt);
  CHECK((after != before));
  CHECK(table_of(disk).at(1).sectors * kSectorBytes == 20 * kMebibyte);
}

TEST_CASE("another end of a partition changes nothing else in an MBR") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk,
                    "label: dos\nlabel-id: 0x1234abcd\nstart=2048, size=8MiB, bootable\n"
                    "start=24576, size=8MiB, type=7\n");
  test::write_bytes(disk.node(), 0, std::string(300, 'b'));  // a boot loader
  const std::string before = all_of(disk);
  REQUIRE(set_size(disk, 2, 20 * kMebibyte));
  const std::string after = all_of(disk);
  constexpr size_t kEntry = 446 + 16;
  // The last sector in cylinders, and the count.
  CHECK(unexpected(before, after, {{kEntry + 5, kEntry + 8}, {kEntry + 12, kEntry + 16}}) ==
        std::nullopt);
  CHECK(little(after, kEntry + 12, 4) == 20 * kMebibyte / 512);
}

TEST_CASE("a size that cannot be is refused and nothing written") {
  const LoopDisk disk(kDiskBytes);
  const std::string label = GENERATE("gpt", "dos");
  test::write_table(disk, "label: " + label + "\nstart=2048, size=8MiB\nstart=40960, size=8MiB\n");
  const std::string before = all_of(disk);
  CHECK_FALSE(set_size(disk, 1, 20 * kMebibyte));  // over its neighbour
  CHECK_FALSE(set_size(disk, 2, 64 * kMebibyte));  // over the end
  CHECK_FALSE(set_size(disk, 1, ~uint64_t{0}));
  CHECK_FALSE(set_size(disk, 1, 0));
  CHECK_FALSE(set_size(disk, 1, 8 * kMebibyte - 512));  // partitions never shrink
  CHECK_FALSE(set_size(disk, 3, 8 * kMebibyte));
  CHECK_FALSE(set_size(disk, 0, 8 * kMebibyte));
  CHECK((all_of(disk) == before));
}

TEST_CASE("the table's copy moves to the end of a disk that has grown") {
  const uint32_t sector = GENERATE(512u, 4096u);
  LoopDisk disk(kDiskBytes, {.sector_size = sector});
  test::write_table(disk, "label: gpt\nsize=8MiB\n");
  const auto before = table_of(disk);
  constexpr uint64_t kGrown = 96 * kMebibyte;
  disk.grow(kGrown);
  CHECK(*largest_size(disk, 1) >= 94 * kMebibyte);
  REQUIRE(set_size(disk, 1, 80 * kMebibyte));
  const auto after = table_of(disk);
  REQUIRE(after.size() == 1);
  CHECK(after[0].uuid == before[0].uuid);
  CHECK(after[0].start == before[0].start);
  CHECK(after[0].sectors * kSectorBytes == 80 * kMebibyte);
  const std::string header = test::read_bytes(disk.node(), sector, 92);
  CHECK(little(header, 32, 8) == kGrown / sector - 1);
  CHECK(little(header, 48, 8) > 94 * kMebibyte / sector);
  const std::string copy = test::read_bytes(disk.node(), kGrown - sector, 92);
  CHECK(copy.starts_with("EFI PART"));
  CHECK(little(copy, 24, 8) == kGrown / sector - 1);
  // Also where the first is lost.
  test::damage(disk, sector + 40);
  CHECK(table_of(disk) == after);
}

TEST_CASE("a logical partition grows neither over its neighbour's table nor out of its container") {
  const LoopDisk disk(kDiskBytes);
  constexpr size_t kContainer = 16384, kContainerSectors = 40 * kMebibyte / 512;
  test::write_table(disk,
                    "label: dos\nlabel-id: 0x1234abcd\nstart=2048, size=4MiB\n"
                    "start=16384, size=40MiB, type=E\n"
                    "start=18432, size=8MiB\nstart=49152, size=8MiB\n");
  const auto before = table_of(disk);
  REQUIRE(before.size() == 4);
  // Of the first logical partition's table the second entry tells where the next table is.
  constexpr size_t kSecondEntry = kContainer * 512 + 446 + 16;
  const uint64_t next_table = kContainer + little(all_of(disk), kSecondEntry + 8, 4);
  REQUIRE(next_table < 49152);
  const uint32_t number = GENERATE(5u, 6u);
  const uint64_t limit = number == 5 ? next_table - 18432 : kContainer + kContainerSectors - 49152;
  CAPTURE(number, next_table);
  const Result<uint64_t> largest = largest_size(disk, number);
  REQUIRE(largest);
  CHECK(*largest <= limit * kSectorBytes);
  CHECK(*largest > 12 * kMebibyte);
  const Result<void> set = set_size(disk, number, *largest);
  INFO((set ? "" : set.error().message()));
  CHECK(set);
  auto after = table_of(disk);
  REQUIRE(after.size() == 4);
  CHECK(after[number - 3].sectors * kSectorBytes == *largest);
  after[number - 3].sectors = before[number - 3].sectors;
  CHECK((after == before));
}

TEST_CASE("a partition of an MBR grows to what 32 bits can say on a larger disk") {
  const LoopDisk disk(3 * kMebibyte * kMebibyte);
  test::write_table(disk, "label: dos\nlabel-id: 0x1234abcd\nstart=2048, size=8MiB\n");
  const Result<uint64_t> largest = largest_size(disk, 1);
  REQUIRE(largest);
  CHECK(*largest < uint64_t{2} * kMebibyte * kMebibyte);
  CHECK(set_size(disk, 1, *largest));
  CHECK(table_of(disk).at(0).sectors * kSectorBytes == *largest);
}

TEST_CASE("a disk that cannot be written to is told") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: gpt\nsize=8MiB\n");
  const FileDescriptor opened = open_whole(disk, O_RDONLY);
  Result<PartitionTable> table = PartitionTable::open(look_up(disk), opened);
  REQUIRE(table);
  REQUIRE(table->set_size(1, 16 * kMebibyte));
  const Result<void> refused = table->write();
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(), Catch::Contains(disk.node()));
  CHECK(table_of(disk).at(0).sectors * kSectorBytes == 8 * kMebibyte);
}

}  // namespace
}  // namespace longshore::block
