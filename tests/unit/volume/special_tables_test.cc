// Disks with other partition tables than PartitionDisk makes, and with damaged ones.
#include "tests/unit/volume/disk_world.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;

constexpr const char* kReserved = "E3C9E316-0B5C-4DB8-817D-F92DF00215AE";

// All that a table of GPT or MBR is made of, as it is now: the first and the last 64 KiB.
// Compared in parentheses, or Catch2 would write them out.
std::string table_bytes(const LoopDisk& disk) {
  constexpr size_t kEdge = 64 << 10;
  return test::read_bytes(disk.node(), 0, kEdge) +
         test::read_bytes(disk.node(), kDiskBytes - kEdge, kEdge);
}

TEST_CASE("an MBR without a signature has ids that hold until the node restarts") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: dos\nlabel-id: 0x0\nsize=16MiB\nsize=16MiB\n");
  Node node;
  Agent agent(node, {&disk});
  const std::string start = "DISKSEQ=" + std::to_string(disk.number()) + "-";
  CHECK(agent.ids(disk) == Ids{start + "2048", start + "34816"});
  CHECK(agent.ids(disk, 2) == Ids{start + "34816"});
  const std::string table = table_bytes(disk);
  CHECK(agent.partition(disk) == "OK");
  CHECK((table_bytes(disk) == table));

  const std::string target = node.target("target");
  REQUIRE(agent.format(start + "34816") == "OK");
  CHECK(agent.is_formatted(start + "34816") == "true");
  CHECK(agent.is_formatted(start + "2048") == "false");
  REQUIRE(agent.mount(start + "34816", target) == "OK");
  CHECK(agent.id_at(target) == start + "34816");
  CHECK(agent.unmount(start + "2048", target) == "FAILED_PRECONDITION");
  CHECK(agent.unmount(start + "34816", target) == "OK");
}

TEST_CASE("an MBR's signature and the partition's number are an id") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: dos\nlabel-id: 0x1234abcd\nsize=16MiB\nsize=16MiB\n");
  Node node;
  Agent agent(node, {&disk});
  CHECK(agent.ids(disk) == Ids{"PARTUUID=1234abcd-01", "PARTUUID=1234abcd-02"});
  CHECK(agent.partition(disk) == "OK");
  CHECK(agent.ids(disk).size() == 2);
  CHECK(agent.format("PARTUUID=1234abcd-01") == "OK");
  CHECK(agent.is_formatted("PARTUUID=1234abcd-02") == "false");
}

TEST_CASE("the container of an MBR's logical partitions is no volume") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk,
                    "label: dos\nlabel-id: 0x1234abcd\nstart=2048, size=8MiB\n"
                    "start=18432, size=48MiB, type=E\n"
                    "start=20480, size=16MiB\nstart=55296, size=16MiB\n");
  Node node;
  Agent agent(node, {&disk});
  CHECK(agent.ids(disk) ==
        Ids{"PARTUUID=1234abcd-01", "PARTUUID=1234abcd-05", "PARTUUID=1234abcd-06"});
  CHECK(agent.ids(disk, 2).empty());
  CHECK(agent.ids(disk, 6) == Ids{"PARTUUID=1234abcd-06"});
  const std::string table = table_bytes(disk);
  CHECK(agent.partition(disk) == "OK");
  CHECK((table_bytes(disk) == table));
  const std::string target = node.target("target");
  CHECK(agent.format("PARTUUID=1234abcd-06") == "OK");
  CHECK(agent.mount("PARTUUID=1234abcd-06", target) == "OK");
  CHECK(agent.id_at(target) == "PARTUUID=1234abcd-06");
  CHECK((table_bytes(disk) == table));
}

TEST_CASE("a volume that overlaps another partition of the table is not changed") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: dos\nlabel-id: 0x1234abcd\nsize=16MiB\nsize=16MiB\nsize=8MiB\n");
  Node node;
  Agent agent(node, {&disk});
  const std::string first = "PARTUUID=1234abcd-01", second = "PARTUUID=1234abcd-02";
  const std::string target = node.target("target");
  REQUIRE(agent.format(first) == "OK");
  constexpr uint64_t kStartOfSecond = 446 + 16 + 8;
  test::write_bytes(disk.node(), kStartOfSecond, std::string("\0\x10\0\0", 4));  // 2 MiB
  const Result<void> refused = agent.try_format(second);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("is damaged: partition 2 overlaps partition 1"));
  CHECK(agent.mount(first, target) == "FAILED_PRECONDITION");
  CHECK(agent.resize(first, 0) == "FAILED_PRECONDITION");
  // It is left as it is, and so is the kernel's idea of it.
  CHECK(std::filesystem::exists("/sys/class/block/" + disk.name() + "p1"));
  CHECK(agent.is_formatted(first) == "true");
  CHECK(agent.format("PARTUUID=1234abcd-03") == "OK");
}

TEST_CASE("an MBR without partitions gets one") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: dos\nlabel-id: 0x1234abcd\n");
  Node node;
  Agent agent(node, {&disk});
  CHECK(agent.ids(disk).empty());
  CHECK(agent.new_volume(disk) == "PARTUUID=1234abcd-01");
  CHECK(agent.service().stats("PARTUUID=1234abcd-01")->total == kDiskBytes - kMebibyte);
}

TEST_CASE("the partitions of a GPT are volumes in their order") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk,
                    "label: gpt\n"
                    "start=65536, size=8MiB, uuid=AAAAAAAA-0000-4000-8000-000000000001\n"
                    "start=2048, size=8MiB, uuid=AAAAAAAA-0000-4000-8000-000000000002\n");
  Node node;
  Agent agent(node, {&disk});
  CHECK(agent.ids(disk) == Ids{"PARTUUID=aaaaaaaa-0000-4000-8000-000000000001",
                               "PARTUUID=aaaaaaaa-0000-4000-8000-000000000002"});
  CHECK(agent.ids(disk, 2) == Ids{"PARTUUID=aaaaaaaa-0000-4000-8000-000000000002"});
  CHECK(agent.service().stats(agent.ids(disk, 1).front())->total == 8 * kMebibyte);
  const std::string table = table_bytes(disk);
  CHECK(agent.partition(disk) == "OK");
  CHECK((table_bytes(disk) == table));
}

TEST_CASE("Microsoft's reserved partition is no volume and keeps no disk from a partition") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, std::string("label: gpt\nsize=16MiB, type=") + kReserved + "\n");
  Node node;
  Agent agent(node, {&disk});
  CHECK(agent.ids(disk).empty());
  const std::string id = agent.new_volume(disk);
  CHECK(agent.ids(disk, 1).empty());
  CHECK(agent.ids(disk, 2) == Ids{id});
  const uint64_t total = agent.service().stats(id)->total;
  CHECK(total > 45 * kMebibyte);
  CHECK(total < 48 * kMebibyte);
  CHECK(agent.format(id) == "OK");
  const std::string table = table_bytes(disk);
  CHECK(agent.partition(disk) == "OK");
  CHECK((table_bytes(disk) == table));
}

TEST_CASE("what boot loaders and ZFS keep for themselves is no volume, and a partition") {
  const std::string type =
      GENERATE("21686148-6449-6E6F-744E-656564454649", "9E1A2D38-C612-4316-AA26-8B49521E5A8B",
               "6A945A3B-1DD2-11B2-99A6-080020736631");
  const LoopDisk disk(kDiskBytes);
  test::write_table(
      disk, "label: gpt\nsize=1MiB, uuid=AAAAAAAA-0000-4000-8000-000000000001, type=" + type +
                "\nuuid=AAAAAAAA-0000-4000-8000-000000000002\n");
  const std::string loader(512, 'x');
  test::write_bytes(disk.node(), kMebibyte, loader);
  Node node;
  Agent agent(node, {&disk});
  CHECK(agent.ids(disk) == Ids{"PARTUUID=aaaaaaaa-0000-4000-8000-000000000002"});
  CHECK(agent.ids(disk, 1).empty());
  CHECK(agent.format("PARTUUID=aaaaaaaa-0000-4000-8000-000000000001") == "NOT_FOUND");
  CHECK(agent.format("PARTUUID=aaaaaaaa-0000-4000-8000-000000000002") == "OK");
  CHECK((test::read_bytes(disk.node(), kMebibyte, loader.size()) == loader));
}

TEST_CASE("a disk with nothing but a boot loader's partition is left as it is") {
  const LoopDisk disk(kDiskBytes);
  const std::string table_text =
      GENERATE("label: gpt\nsize=1MiB, type=21686148-6449-6E6F-744E-656564454649\n",
               "label: dos\nsize=8MiB, type=41\n");
  test::write_table(disk, table_text);
  Node node;
  Agent agent(node, {&disk});
  const std::string table = table_bytes(disk);
  CHECK(agent.partition(disk) == "OK");
  CHECK((table_bytes(disk) == table));
  // Drivers would take the first of an empty list.
  CHECK(outcome(agent.service().list(disk.number(), 0)) == "FAILED_PRECONDITION");
}

TEST_CASE("a full GPT with a reserved partition only is told to be full") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, std::string("label: gpt\ntype=") + kReserved + "\n");
  Node node;
  Agent agent(node, {&disk});
  const std::string table = table_bytes(disk);
  CHECK(agent.partition(disk) == "FAILED_PRECONDITION");
  CHECK((table_bytes(disk) == table));
}

TEST_CASE("an empty disk has no volume until it is partitioned") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  CHECK(agent.ids(disk).empty());
  const std::string id = agent.new_volume(disk);
  CHECK(id.starts_with("PARTUUID="));
  CHECK(agent.is_formatted(id) == "false");
}

TEST_CASE("a disk that fails is told to fail, and that the kernel's log says more") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  std::filesystem::resize_file(disk.file(), 0);  // no byte of it can be read any more
  test::forget_cached(disk.node());
  const Result<void> refused = agent.try_partition(disk);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("Input/output error; the disk fails, or what leads to it; the "
                             "kernel's log says more"));
}

TEST_CASE("a GPT with one damaged half is read by the other and left as it is") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: gpt\nuuid=AAAAAAAA-0000-4000-8000-000000000001\n");
  const uint64_t header = GENERATE(uint64_t{512}, kDiskBytes - 512);
  constexpr uint64_t kFirstUsable = 40;  // in the header, below its checksum
  test::damage(disk, header + kFirstUsable);
  Node node;
  Agent agent(node, {&disk});
  const std::string table = table_bytes(disk);
  const std::string id = "PARTUUID=aaaaaaaa-0000-4000-8000-000000000001";
  CHECK(agent.ids(disk) == Ids{id});
  CHECK(agent.partition(disk) == "OK");
  CHECK((table_bytes(disk) == table));
  const std::string target = node.target("target");
  CHECK(agent.format(id) == "OK");
  CHECK(agent.mount(id, target) == "OK");
  CHECK(agent.unmount(id, target) == "OK");
  CHECK((table_bytes(disk) == table));
}

TEST_CASE("a GPT of which both halves are damaged is not written over") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: gpt\nuuid=AAAAAAAA-0000-4000-8000-000000000001\n");
  test::damage(disk, 512 + 40);
  test::damage(disk, kDiskBytes - 512 + 40);
  Node node;
  Agent agent(node, {&disk});
  const std::string table = table_bytes(disk);
  CHECK(agent.ids(disk).empty());
  const Result<void> refused = agent.try_partition(disk);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(), Catch::Contains("damaged"));
  CHECK((table_bytes(disk) == table));
}

TEST_CASE(
    "a GPT of which the front is lost is not written over while its partitions hold anything") {
  const LoopDisk disk(kDiskBytes);
  const std::string old = "PARTUUID=aaaaaaaa-0000-4000-8000-000000000001";
  test::write_table(disk, "label: gpt\nuuid=AAAAAAAA-0000-4000-8000-000000000001\n");
  Node node;
  Agent agent(node, {&disk});
  const bool is_used = GENERATE(true, false);
  if (is_used) REQUIRE(agent.format(old) == "OK");
  // The sector that says that there is a GPT, and the whole of the first half.
  const size_t lost = GENERATE(size_t{512}, size_t{64} << 10);
  test::write_bytes(disk.node(), 0, std::string(lost, '\0'));
  const std::string table = table_bytes(disk);
  CHECK(agent.ids(disk).empty());
  const Result<void> partitioned = agent.try_partition(disk);
  if (is_used) {
    REQUIRE_FALSE(partitioned);
    CHECK(partitioned.error().code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(partitioned.error().message(),
               Catch::Contains("GPT") && Catch::Contains("overwritten"));
    CHECK((table_bytes(disk) == table));
  } else {
    // So it is left by a call that was killed while it wrote the table.
    CHECK(partitioned);
    CHECK(agent.ids(disk).size() == 1);
    CHECK(agent.ids(disk) != Ids{old});
  }
}

TEST_CASE("a GPT of which the front is lost is kept for what no signature tells of") {
  const LoopDisk disk(kDiskBytes);
  const std::string table_text =
      GENERATE("label: gpt\nsize=1MiB, type=21686148-6449-6E6F-744E-656564454649\n",
               "label: gpt\nsize=16MiB\nsize=16MiB\n");
  test::write_table(disk, table_text);
  test::write_bytes(disk.node(), 0, std::string(512, '\0'));
  Node node;
  Agent agent(node, {&disk});
  const std::string table = table_bytes(disk);
  CHECK(agent.partition(disk) == "FAILED_PRECONDITION");
  CHECK((table_bytes(disk) == table));
}

TEST_CASE("what no signature tells of at an end of the disk keeps it from being partitioned") {
  const uint32_t sector = GENERATE(512U, 4096U);
  const LoopDisk disk(kDiskBytes, {.sector_size = sector});
  const uint64_t place = GENERATE(uint64_t{0}, uint64_t{5000}, kMebibyte - 1,
                                  kDiskBytes - kMebibyte, kDiskBytes - 16384, kDiskBytes - 1);
  CAPTURE(sector, place);
  test::write_bytes(disk.node(), place, "x");
  Node node;
  Agent agent(node, {&disk});
  const Result<void> refused = agent.try_partition(disk);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("of no known kind, at byte " + std::to_string(place) + ";") &&
                 Catch::Contains("overwrite_unknown_data = true"));
  CHECK(test::read_bytes(disk.node(), place, 1) == "x");
  CHECK(Agent(node, {&disk}, {.overwrite_unknown_data = true}).partition(disk) == "OK");
  CHECK(agent.ids(disk).size() == 1);
}

TEST_CASE("what lies further within a disk is looked for by signatures alone") {
  const LoopDisk disk(kDiskBytes);
  test::write_bytes(disk.node(), kMebibyte, "x");
  test::write_bytes(disk.node(), kDiskBytes - kMebibyte - 1, "x");
  Node node;
  CHECK(Agent(node, {&disk}).partition(disk) == "OK");
}

TEST_CASE("a filesystem or table of which only the signatures were removed is no blank disk") {
  LoopDisk disk(kDiskBytes);
  if (GENERATE(true, false)) {
    disk.make_filesystem();
  } else {
    test::write_table(disk, "label: gpt\n");
  }
  const FileDescriptor opened(::open(disk.node().c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(block::wipe_signatures(opened, disk.node()));
  Node node;
  Agent agent(node, {&disk});
  CHECK(agent.partition(disk) == "FAILED_PRECONDITION");
}

// What libfdisk writes of a table, in this order, before the first sector.
struct TablePart {
  uint64_t offset;
  size_t size;
};
std::vector<TablePart> table_parts(uint32_t sector) {
  constexpr size_t kEntries = 16384;
  return {{kDiskBytes - sector - kEntries, kEntries},
          {kDiskBytes - sector, sector},
          {2 * sector, kEntries},
          {sector, sector}};
}

TEST_CASE("a call that was killed at any step of writing its table can be repeated") {
  const uint32_t sector = GENERATE(512U, 4096U);
  const LoopDisk disk(kDiskBytes, {.sector_size = sector}),
      whole(kDiskBytes, {.sector_size = sector});
  Node node;
  const std::vector<TablePart> parts = table_parts(sector);
  // Each is killed at a step of its own, and no two write the same table.
  const std::vector<size_t> calls = GENERATE(
      std::vector<size_t>{1}, std::vector<size_t>{2}, std::vector<size_t>{3},
      std::vector<size_t>{4}, std::vector<size_t>{2, 1}, std::vector<size_t>{3, 1},
      std::vector<size_t>{4, 3, 1}, std::vector<size_t>{4, 3, 2, 1}, std::vector<size_t>{3, 1, 1});
  CAPTURE(sector, calls);
  for (const size_t steps : calls) {
    test::write_bytes(whole.node(), 0, std::string(2 * kMebibyte, '\0'));
    test::write_bytes(whole.node(), kDiskBytes - kMebibyte, std::string(kMebibyte, '\0'));
    REQUIRE(Agent(node, {&whole}).partition(whole) == "OK");
    for (size_t step = 0; step < steps; ++step) {
      const auto [offset, size] = parts[step];
      test::write_bytes(disk.node(), offset, test::read_bytes(whole.node(), offset, size));
    }
  }
  Agent agent(node, {&disk});
  CHECK(agent.ids(disk).empty());
  CHECK(agent.partition(disk) == "OK");
  CHECK(agent.ids(disk).size() == 1);
}

TEST_CASE("what calls left that were killed is no reason to write over what is in its partition") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  REQUIRE(agent.partition(disk) == "OK");
  // The headers do not fit their entries any more, and the first sector is lost.
  test::write_bytes(disk.node(), 0, std::string(512, '\0'));
  test::write_bytes(disk.node(), 1024 + 16, "other");
  test::write_bytes(disk.node(), kDiskBytes - 512 - 16384 + 16, "other");
  SECTION("nothing is there") {
    CHECK(agent.partition(disk) == "OK");
    return;
  }
  SECTION("bytes of no known kind") { test::write_bytes(disk.node(), kMebibyte + 5000, "x"); }
  SECTION("a second entry") { test::write_bytes(disk.node(), 1024 + 128, std::string(16, 'a')); }
  SECTION("an entry of another type") {
    test::write_bytes(disk.node(), 1024, std::string(16, 'a'));
  }
  SECTION("a header that is none") { test::write_bytes(disk.node(), 512, "XFI"); }
  SECTION("an entry that lies beyond the disk") {
    test::write_bytes(disk.node(), 1024 + 40, std::string(7, '\x7f'));
  }
  CHECK(agent.partition(disk) == "FAILED_PRECONDITION");
}

TEST_CASE("a table that lost its front is kept where bytes of no known kind are beside it") {
  const LoopDisk disk(kDiskBytes);
  test::write_table(disk, "label: gpt\nuuid=AAAAAAAA-0000-4000-8000-000000000001\n");
  test::write_bytes(disk.node(), 0, std::string(512, '\0'));
  // In the first sector, behind the entries, and in the partition.
  const uint64_t place = GENERATE(uint64_t{100}, uint64_t{100} << 10, 2 * kMebibyte - 1);
  CAPTURE(place);
  test::write_bytes(disk.node(), place, "x");
  Node node;
  CHECK(Agent(node, {&disk}).partition(disk) == "FAILED_PRECONDITION");
}

TEST_CASE("a volume in which there is a GPT without its first sector is not formatted") {
  const LoopDisk disk(kDiskBytes), inner(16 * kMebibyte);
  constexpr size_t kEdge = 64 << 10;
  constexpr uint64_t kLast = 16 * kMebibyte - kEdge;
  test::write_table(disk, "label: gpt\nstart=2048, size=16MiB\n");
  test::write_table(inner, "label: gpt\n");
  test::write_bytes(disk.node(), kMebibyte + 512, test::read_bytes(inner.node(), 512, kEdge - 512));
  test::write_bytes(disk.node(), kMebibyte + kLast, test::read_bytes(inner.node(), kLast, kEdge));
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.id(disk);
  // By the disk's own node, and then, when the kernel was told of it, by the partition's.
  CHECK(agent.is_formatted(id) == "true");
  const Result<void> refused = agent.try_format(id);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("it holds a GPT, of which the first sector was overwritten"));
  CHECK(agent.is_formatted(id) == "true");
}

// The label of an LVM member, whose checksum is wrong: it may yet be saved.
const std::string kDamagedMember = "LABELONE" + std::string("\1\0\0\0\0\0\0\0", 8) + "\1\2\3\4" +
                                   std::string("\x20\0\0\0", 4) + "LVM2 001" + std::string(32, 'a');

TEST_CASE("a disk that is a member of something is no volume and is left as it is") {
  const LoopDisk disk(kDiskBytes);
  switch (GENERATE(0, 1, 2)) {
    case 0:
      test::write_bytes(disk.node(), 0, std::string("LUKS\xba\xbe\0\2", 8));
      break;
    case 1:
      test::write_bytes(disk.node(), 1024, std::string("\1\0\0\0\xff\x0f\0\0", 8));
      test::write_bytes(disk.node(), 4086, "SWAPSPACE2");
      break;
    default:
      test::write_bytes(disk.node(), 512, kDamagedMember);
  }
  Node node;
  Agent agent(node, {&disk});
  const std::string before = table_bytes(disk);
  CHECK(agent.ids(disk).empty());
  CHECK(agent.partition(disk) == "FAILED_PRECONDITION");
  CHECK((table_bytes(disk) == before));
}

}  // namespace
}  // namespace longshore::volume
