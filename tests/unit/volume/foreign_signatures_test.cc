// Bytes that look like something else on a volume with a healthy filesystem: what was there before,
// and what who may write files puts there.
#include <endian.h>

#include <cstring>
#include <random>
#include <string>

#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;

constexpr uint64_t kBytes = 400 * kMebibyte;
// Another in each process: mkfs.btrfs refuses one that a disk of a test beside it has.
const std::string kUuid = [] {
  std::random_device random;
  std::string uuid = "dddddddd-0000-4000-8000-000000000000";
  for (size_t i = uuid.size() - 12; i < uuid.size(); ++i)
    uuid[i] = "0123456789abcdef"[random() % 16];
  return uuid;
}();

struct Signature {
  std::string type;
  uint64_t place;
  std::string bytes;
};

template <typename Number>
void put(std::string& bytes, size_t offset, Number number) {
  std::memcpy(bytes.data() + offset, &number, sizeof(number));
}

Signature iso9660() { return {"iso9660", 32768, std::string("\1CD001\1", 7)}; }

// md's superblock of version 1.0, which lies behind what the array holds.
Signature md_at_end(uint64_t device_bytes) {
  const uint64_t sector = (device_bytes / 512 - 16) & ~uint64_t{7};
  std::string bytes(512, '\0');
  put(bytes, 0, htole32(0xa92b4efc));
  put(bytes, 4, htole32(1));
  bytes.replace(16, 16, 16, 'm');
  put(bytes, 144, htole64(sector));
  return {"linux_raid_member", sector * 512, bytes};
}

Signature second_luks_header() {
  std::string bytes(512, '\0');
  bytes.replace(0, 6, "SKUL\xba\xbe");
  put(bytes, 6, htobe16(2));
  put(bytes, 8, htobe64(32768));
  bytes.replace(168, 36, kUuid);
  put(bytes, 256, htobe64(32768));
  return {"crypto_LUKS", 32768, bytes};
}

// The copy in the last 4 KiB, whose checksum is wrong.
Signature second_nilfs2(uint64_t device_bytes) {
  std::string bytes(1024, '\0');
  put(bytes, 0, htole32(2));
  put(bytes, 6, htole16(0x3434));
  put(bytes, 8, htole16(280));
  put(bytes, 20, htole32(2));
  put(bytes, 24, htole64(device_bytes / 8 / kMebibyte));
  put(bytes, 32, htole64(device_bytes));
  put(bytes, 48, htole32(2048));
  return {"nilfs2", (device_bytes & ~uint64_t{4095}) - 4096, bytes};
}

Signature lvm_label() {
  std::string bytes(512, '\0');
  bytes.replace(0, 8, "LABELONE").replace(24, 8, "LVM2 001").replace(32, 32, 32, 'v');
  put(bytes, 8, htole64(1));
  put(bytes, 20, htole32(32));
  return {"LVM2_member", 512, bytes};
}

void write(const LoopDisk& disk, uint64_t start, const Signature& signature) {
  test::write_bytes(disk.node(), start + signature.place, signature.bytes);
  test::forget_cached(disk.node());
}

uint64_t bytes_of(const std::string& node) {
  const FileDescriptor device(::open(node.c_str(), O_RDONLY | O_CLOEXEC));
  return static_cast<uint64_t>(::lseek(device.get(), 0, SEEK_END));
}

void make(const std::string& filesystem, const std::string& node) {
  const std::string flag = filesystem == "xfs" ? "-muuid=" : "-U";
  std::vector<std::string> command = {"/usr/sbin/mkfs." + filesystem, "-q"};
  if (filesystem == "xfs") {
    command.push_back(flag + kUuid);
  } else {
    command.insert(command.end(), {flag, kUuid});
  }
  command.push_back(node);
  run(command);
}

TEST_CASE("a filesystem stays a volume whatever its blocks look like") {
  const std::string filesystem = GENERATE("ext4", "xfs", "btrfs");
  if (!there_is("mkfs." + filesystem)) return;
  const LoopDisk disk(kBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), partition = disk.node() + "p1";
  const uint64_t bytes = bytes_of(partition);
  const Signature signature =
      GENERATE_COPY(iso9660(), md_at_end(bytes), second_luks_header(), second_nilfs2(bytes));
  CAPTURE(filesystem, signature.type);
  make(filesystem, partition);
  // What a mkfs uses itself there is no free block.
  if (test::read_bytes(partition, signature.place, 512) != std::string(512, '\0')) return;
  test::write_bytes(partition, signature.place, signature.bytes);
  test::forget_cached(partition);

  CHECK(agent.is_formatted(id) == "true");
  const Result<void> refused = agent.try_format(id);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(), Catch::Contains("it holds " + filesystem) &&
                                            Catch::Contains(signature.type) &&
                                            !Catch::Contains("wipe"));
  const std::string target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  CHECK(agent.service().stats(id)->used > 0);
  CHECK(agent.unmount(id, target) == "OK");
}

TEST_CASE("a filesystem on a whole disk keeps its id whatever its blocks look like") {
  if (!there_is("mkfs.btrfs")) return;
  const LoopDisk disk(kBytes);
  Node node;
  Agent agent(node, {&disk});
  make("btrfs", disk.node());
  const std::string id = agent.id(disk), target = node.target("target");
  const Signature signature = GENERATE(iso9660(), md_at_end(kBytes), second_nilfs2(kBytes));
  CAPTURE(signature.type);
  const bool is_mounted = GENERATE(true, false);
  if (is_mounted) REQUIRE(agent.mount(id, target) == "OK");
  write(disk, 0, signature);
  CHECK(agent.ids(disk) == Ids{id});
  CHECK(agent.partition(disk) == "FAILED_PRECONDITION");
  CHECK(agent.mount(id, target) == "OK");
  CHECK(agent.id_at(target) == id);
  CHECK(agent.unmount(id, target) == "OK");
}

TEST_CASE("what lies before a superblock counts, unless that filesystem is mounted") {
  const LoopDisk disk(kBytes);
  Node node;
  Agent agent(node, {&disk});
  make("ext4", disk.node());
  const std::string id = agent.id(disk), target = node.target("target");
  REQUIRE(agent.mount(id, target) == "OK");
  write(disk, 0, lvm_label());
  CHECK(agent.ids(disk) == Ids{id});
  CHECK(agent.id_at(target) == id);
  CHECK(agent.mount(id, node.target("other")) == "OK");
  CHECK(agent.unmount(id, node.target("other")) == "OK");
  CHECK(agent.unmount(id, target) == "OK");
  // Nobody knows now which of the two was there first.
  CHECK(agent.mount(id, target) == "FAILED_PRECONDITION");
  CHECK(outcome(agent.service().list(disk.number(), 0)) == "FAILED_PRECONDITION");
  const Result<void> refused = agent.try_partition(disk);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(), Catch::Contains("LVM2_member at byte 536") &&
                                            Catch::Contains("ext4 at byte 1080") &&
                                            !Catch::Contains("wipe"));
}

TEST_CASE("a member of an array is no volume, whatever the array holds") {
  const LoopDisk disk(kBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), partition = disk.node() + "p1";
  const Signature member = md_at_end(bytes_of(partition));
  // As large as the array, and so ended before the member's superblock.
  run({"/usr/sbin/mkfs.ext4", "-q", "-b", "1024", partition, std::to_string(member.place / 1024)});
  test::write_bytes(partition, member.place, member.bytes);
  test::forget_cached(partition);
  const Result<void> refused = agent.service().mount(id, node.target("target"), {}, "test");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("linux_raid_member") && !Catch::Contains("FormatVolume"));
  CHECK(agent.format(id) == "FAILED_PRECONDITION");
}

TEST_CASE("a superblock whose checksum is wrong is no reason to mount it, nor to format") {
  if (!there_is("mkfs.btrfs")) return;
  const LoopDisk disk(kBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), partition = disk.node() + "p1";
  make("btrfs", partition);
  const Signature signature = second_nilfs2(bytes_of(partition));
  write(disk, kMebibyte, signature);
  test::damage(disk, kMebibyte + 65536 + 300);  // in the label
  test::forget_cached(partition);
  // libblkid before 2.39 does not look at this checksum, and the kernel does.
  CHECK_FALSE(agent.service().mount(id, node.target("target"), {}, "test"));
  const Result<void> refused = agent.try_format(id);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("nilfs2 at byte " + std::to_string(signature.place + 6) +
                             " (its checksum is wrong)"));
}

}  // namespace
}  // namespace longshore::volume
