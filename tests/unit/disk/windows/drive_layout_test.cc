// Partition tables: what counts as a partition, where one has room, and tables that lie.
#include "support/windows/drive_layout.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "support/windows/disk_answers.h"
#include "support/windows/guid_text.h"
#include "tests/support/byte_units.h"
#include "tests/support/windows/partition_types.h"

namespace longshore::disk {
namespace {

using support::DriveLayout;
using support::Guid;
using support::PartitionEntry;
using support::PartitionStyle;
using test::kMebibyte;

constexpr uint64_t kDiskBytes = 64 * kMebibyte;
constexpr Guid kIdOfReserved = {1, 0, 0, {}};
constexpr Guid kIdOfData = {2, 0, 0, {}};

PartitionEntry gpt(uint64_t start, uint64_t length, const Guid& type, uint32_t id = 9) {
  PartitionEntry entry{};
  entry.style = PartitionStyle::kGpt;
  entry.offset = start;
  entry.length = length;
  entry.gpt.type = type;
  entry.gpt.id.data1 = id;
  return entry;
}

PartitionEntry mbr(uint64_t start, uint64_t length, uint8_t type) {
  PartitionEntry entry{};
  entry.style = PartitionStyle::kMbr;
  entry.offset = start;
  entry.length = length;
  entry.mbr.type = type;
  return entry;
}

std::string answer(PartitionStyle style, const std::vector<PartitionEntry>& entries,
                   uint64_t usable_end = kDiskBytes - 34 * 512) {
  support::DriveLayoutHead head{};
  head.style = style;
  head.count = static_cast<uint32_t>(entries.size());
  if (style == PartitionStyle::kGpt) {
    head.gpt.usable_offset = 34 * 512;
    head.gpt.usable_length = usable_end - 34 * 512;
  } else {
    head.mbr.signature = 0x1234;
  }
  std::string bytes = support::bytes_of(head);
  for (const auto& entry : entries) bytes += support::bytes_of(entry);
  return bytes;
}

DriveLayout layout(PartitionStyle style, const std::vector<PartitionEntry>& entries) {
  const auto parsed = DriveLayout::parse(answer(style, entries));
  REQUIRE(parsed);
  return *parsed;
}

TEST_CASE("every partition counts but Microsoft's reserved one, on a GPT and on an MBR") {
  const auto count = [](PartitionStyle style, const std::vector<PartitionEntry>& entries) {
    return layout(style, entries).partitions().size();
  };
  const uint64_t one = kMebibyte;
  CHECK(count(PartitionStyle::kRaw, {}) == 0);
  CHECK(count(PartitionStyle::kGpt, {}) == 0);
  CHECK(count(PartitionStyle::kGpt, {gpt(one, one, test::kReservedType)}) == 0);
  CHECK(count(PartitionStyle::kGpt, {gpt(one, one, test::kBasicDataType)}) == 1);
  CHECK(count(PartitionStyle::kGpt, {gpt(one, one, test::kSystemType)}) == 1);
  CHECK(count(PartitionStyle::kGpt, {gpt(one, one, {7, 7, 7, {}})}) == 1);  // another system's
  CHECK(count(PartitionStyle::kGpt, {gpt(0, 0, {})}) == 0);
  CHECK(count(PartitionStyle::kMbr, std::vector(4, mbr(0, 0, 0))) == 0);
  CHECK(count(PartitionStyle::kMbr, {mbr(one, one, support::kNtfsMbrType)}) == 1);
  CHECK(count(PartitionStyle::kMbr, {mbr(one, one, 0x83)}) == 1);  // Linux
  CHECK(count(PartitionStyle::kMbr, {mbr(one, one, 0x05)}) == 1);  // an extended one
}

TEST_CASE("a table that is not whole, or cannot be, is none") {
  const std::string whole =
      answer(PartitionStyle::kGpt, {gpt(kMebibyte, kMebibyte, test::kBasicDataType)});
  for (size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(DriveLayout::parse(whole.substr(0, size)));
  }
  const auto with = [&](size_t place, auto number) {
    std::string liar = whole;
    std::memcpy(liar.data() + place, &number, sizeof(number));
    return DriveLayout::parse(liar).has_value();
  };
  CHECK(with(0, PartitionStyle::kGpt));
  CHECK_FALSE(with(0, uint32_t{3}));
  CHECK_FALSE(with(4, uint32_t{2}));  // a partition more than there is
  CHECK_FALSE(with(4, uint32_t{0xffffffff}));
  CHECK_FALSE(with(24, int64_t{-1}));  // the usable offset
  CHECK_FALSE(with(32, int64_t{-1}));
  CHECK_FALSE(with(48, uint32_t{9}));  // the entry's style
  CHECK_FALSE(with(56, int64_t{-1}));
  CHECK_FALSE(with(64, int64_t{-1}));
  CHECK_FALSE(with(56, INT64_MAX));  // beyond what a place can be
}

TEST_CASE("a disk that Windows finds no table on has no partitions, whatever else it says") {
  std::string liar = answer(PartitionStyle::kRaw, {});
  const uint32_t count = 5;
  std::memcpy(liar.data() + 4, &count, sizeof(count));
  const auto parsed = DriveLayout::parse(liar);
  REQUIRE(parsed);
  CHECK(parsed->style() == DriveLayout::Style::kRaw);
  CHECK(parsed->partitions().empty());
  CHECK_FALSE(parsed->with_data_partition(kDiskBytes, kIdOfReserved, kIdOfData));
}

TEST_CASE("an empty GPT gets a reserved partition and one for data behind it") {
  const auto made =
      layout(PartitionStyle::kGpt, {}).with_data_partition(kDiskBytes, kIdOfReserved, kIdOfData);
  REQUIRE(made);
  const auto written = DriveLayout::parse(made->bytes());
  REQUIRE(written);
  const auto* reserved = written->partition_at(kMebibyte);
  REQUIRE(reserved != nullptr);
  CHECK(reserved->gpt.type == test::kReservedType);
  CHECK(reserved->gpt.id == kIdOfReserved);
  CHECK(reserved->length == 16 * kMebibyte);
  const auto* data = written->partition_at(17 * kMebibyte);
  REQUIRE(data != nullptr);
  CHECK(data->gpt.type == test::kBasicDataType);
  CHECK(data->gpt.id == kIdOfData);
  CHECK(data->length == 46 * kMebibyte);
  CHECK(data->gpt.attributes == uint64_t{1} << 63);  // no drive letter
  CHECK(data->is_rewritten == 1);
  CHECK(std::u16string(data->gpt.name) == u"Basic data partition");
  CHECK(written->partition_of(kIdOfData) == data);
  CHECK(written->partitions().size() == 1);
}

TEST_CASE("a reserved partition that Windows has made is kept, and none is added") {
  const auto reserved = gpt(34 * 512, 16 * kMebibyte - 34 * 512, test::kReservedType);
  const auto made = layout(PartitionStyle::kGpt, {reserved})
                        .with_data_partition(kDiskBytes, kIdOfReserved, kIdOfData);
  REQUIRE(made);
  REQUIRE(made->partition_at(34 * 512) != nullptr);
  CHECK(support::bytes_of(*made->partition_at(34 * 512)) == support::bytes_of(reserved));
  REQUIRE(made->partition_at(16 * kMebibyte) != nullptr);
  CHECK(made->partition_at(16 * kMebibyte)->length == 47 * kMebibyte);
}

TEST_CASE("an empty MBR gets what NTFS has there, within 2 TiB") {
  const auto made = layout(PartitionStyle::kMbr, std::vector(4, mbr(0, 0, 0)))
                        .with_data_partition(uint64_t{3} << 40, kIdOfReserved, kIdOfData);
  REQUIRE(made);
  const auto* data = made->partition_at(kMebibyte);
  REQUIRE(data != nullptr);
  CHECK(data->mbr.type == support::kNtfsMbrType);
  CHECK(data->length == (uint64_t{2} << 40) - kMebibyte);
  CHECK(made->bytes().size() == 48 + 4 * sizeof(PartitionEntry));
  CHECK(made->identifier() == layout(PartitionStyle::kMbr, {}).identifier());
}

TEST_CASE("a disk without room gets no partition") {
  const auto fits = [](uint64_t usable_end) {
    return DriveLayout::parse(answer(PartitionStyle::kGpt, {}, usable_end))
        ->with_data_partition(kDiskBytes, kIdOfReserved, kIdOfData)
        .has_value();
  };
  CHECK(fits(18 * kMebibyte));
  CHECK_FALSE(fits(18 * kMebibyte - 512));
  CHECK_FALSE(fits(34 * 512));
  CHECK_FALSE(
      layout(PartitionStyle::kMbr, {}).with_data_partition(kMebibyte, kIdOfReserved, kIdOfData));
}

TEST_CASE("a partition can grow to the next one or to the end of what the table may use") {
  const auto entries = std::vector{gpt(kMebibyte, kMebibyte, test::kReservedType),
                                   gpt(20 * kMebibyte, 4 * kMebibyte, test::kBasicDataType, 1),
                                   gpt(2 * kMebibyte, 4 * kMebibyte, test::kBasicDataType, 2)};
  const DriveLayout table = layout(PartitionStyle::kGpt, entries);
  CHECK(table.largest_length(2 * kMebibyte, kDiskBytes) == 18 * kMebibyte);
  CHECK(table.largest_length(20 * kMebibyte, kDiskBytes) == 43 * kMebibyte);
  // The table may say more than the disk has.
  CHECK(table.largest_length(20 * kMebibyte, 30 * kMebibyte) == 10 * kMebibyte);
  CHECK(table.largest_length(20 * kMebibyte, kMebibyte) == 4 * kMebibyte);
  CHECK_FALSE(table.largest_length(3 * kMebibyte, kDiskBytes));
}

TEST_CASE("what lies within another partition does not grow") {
  const DriveLayout table =
      layout(PartitionStyle::kMbr, {mbr(kMebibyte, 40 * kMebibyte, support::kExtendedMbrType),
                                    mbr(2 * kMebibyte, 4 * kMebibyte, support::kNtfsMbrType)});
  CHECK_FALSE(table.largest_length(2 * kMebibyte, kDiskBytes));
  CHECK_FALSE(table.largest_length(kMebibyte, kDiskBytes));
}

TEST_CASE("GUIDs are read and written as Windows does") {
  const Guid guid = {0x01234567, 0x89ab, 0xcdef, {1, 2, 3, 4, 5, 6, 7, 8}};
  CHECK(support::guid_text(guid) == "01234567-89ab-cdef-0102-030405060708");
  CHECK(support::parse_guid("01234567-89AB-CDEF-0102-030405060708") == guid);
  const std::string id = "\\\\?\\Volume{01234567-89ab-cdef-0102-030405060708}\\";
  CHECK(support::volume_id(guid) == id);
  CHECK(support::guid_of_volume(id) == guid);
  CHECK(support::guid_of_volume(id.substr(0, id.size() - 1)) == guid);
  for (const std::string bad :
       {"", "\\\\?\\Volume{}\\", "Volume{01234567-89ab-cdef-0102-030405060708}",
        "\\\\?\\Volume{01234567-89ab-cdef-0102-03040506070g}\\",
        "\\\\?\\Volume{01234567089ab-cdef-0102-030405060708}\\",
        "\\\\?\\Volume{01234567-89ab-cdef-0102-030405060708}\\a"}) {
    CAPTURE(bad);
    CHECK_FALSE(support::guid_of_volume(bad));
  }
}

}  // namespace
}  // namespace longshore::disk
