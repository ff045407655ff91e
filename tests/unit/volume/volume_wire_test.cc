// The bytes of every message of the volume group, from csi-proxy's tables of fields.
#include <catch2/catch.hpp>
#include <type_traits>

#include "tests/support/wire_writer.h"
#include "volume/v1.pb.h"
#include "volume/v1alpha1.pb.h"
#include "volume/v1beta1.pb.h"
#include "volume/v1beta2.pb.h"
#include "volume/v1beta3.pb.h"
#include "volume/v2alpha1.pb.h"

namespace longshore::volume {
namespace {

using test::WireWriter;

// More than 32 bits hold.
constexpr int64_t kSize = int64_t{5} << 40;
constexpr uint32_t kNumber = 4294967295;

template <typename Message>
Message read(const std::string& bytes) {
  Message message;
  REQUIRE(message.ParseFromString(bytes));
  return message;
}

template <typename Message>
void check_one_empty() {
  CHECK(Message().SerializeAsString().empty());
  CHECK(read<Message>("").SerializeAsString().empty());
}

template <typename... Messages>
void check_empty() {
  (check_one_empty<Messages>(), ...);
}

template <typename Message>
void check_one_volume_id() {
  const std::string bytes = WireWriter().text(1, "UUID=1");
  Message message;
  message.set_volume_id("UUID=1");
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).volume_id() == "UUID=1");
}

// Messages whose first field, or only one, is an id.
template <typename... Messages>
void check_volume_id() {
  (check_one_volume_id<Messages>(), ...);
}

template <typename Message>
void check_volume_ids() {
  const std::string bytes = WireWriter().text(1, "UUID=1").text(1, "UUID=2");
  Message message;
  message.add_volume_ids("UUID=1");
  message.add_volume_ids("UUID=2");
  CHECK(message.SerializeAsString() == bytes);
  const auto parsed = read<Message>(bytes);
  REQUIRE(parsed.volume_ids_size() == 2);
  CHECK(parsed.volume_ids(0) == "UUID=1");
  CHECK(parsed.volume_ids(1) == "UUID=2");
}

template <typename Message>
void check_formatted() {
  const std::string bytes = WireWriter().number(1, 1);
  Message message;
  message.set_formatted(true);
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).formatted());
}

// What v1alpha1 to v1beta2 have in common.

template <typename Message>
void check_disk_id() {
  const std::string bytes = WireWriter().text(1, "12");
  Message message;
  message.set_disk_id("12");
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).disk_id() == "12");
}

template <typename Message>
void check_path() {
  const std::string bytes = WireWriter().text(1, "UUID=1").text(2, "/target");
  Message message;
  message.set_volume_id("UUID=1");
  message.set_path("/target");
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).volume_id() == "UUID=1");
  CHECK(read<Message>(bytes).path() == "/target");
}

template <typename Message>
void check_size() {
  for (const int64_t size : {kSize, int64_t{-1}}) {
    const std::string bytes = WireWriter().text(1, "UUID=1").number(2, static_cast<uint64_t>(size));
    Message message;
    message.set_volume_id("UUID=1");
    message.set_size(size);
    CHECK(message.SerializeAsString() == bytes);
    CHECK(read<Message>(bytes).volume_id() == "UUID=1");
    CHECK(read<Message>(bytes).size() == size);
  }
}

// Since v1beta1.
template <typename Stats, typename DiskNumber, typename Mount>
void check_old_answers() {
  const std::string stats_bytes = WireWriter().number(1, kSize).number(2, kSize - 1);
  Stats stats;
  stats.set_volumesize(kSize);
  stats.set_volumeusedsize(kSize - 1);
  CHECK(stats.SerializeAsString() == stats_bytes);
  CHECK(read<Stats>(stats_bytes).volumesize() == kSize);
  CHECK(read<Stats>(stats_bytes).volumeusedsize() == kSize - 1);

  const std::string number_bytes = WireWriter().number(1, kSize);
  DiskNumber number;
  number.set_disknumber(kSize);
  CHECK(number.SerializeAsString() == number_bytes);
  CHECK(read<DiskNumber>(number_bytes).disknumber() == kSize);

  const std::string mount_bytes = WireWriter().text(1, "/target");
  Mount mount;
  mount.set_mount("/target");
  CHECK(mount.SerializeAsString() == mount_bytes);
  CHECK(read<Mount>(mount_bytes).mount() == "/target");
}

// What v1beta3 to v2alpha1 have in common.

template <typename Message>
void check_disk_and_partition() {
  static_assert(std::is_same_v<decltype(Message().disk_number()), uint32_t>);
  static_assert(std::is_same_v<decltype(Message().partition_number()), uint32_t>);
  const std::string bytes = WireWriter().number(1, kNumber).number(2, 3);
  Message message;
  message.set_disk_number(kNumber);
  message.set_partition_number(3);
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).disk_number() == kNumber);
  CHECK(read<Message>(bytes).partition_number() == 3);
}

template <typename Message>
void check_target_path() {
  const std::string bytes = WireWriter().text(1, "UUID=1").text(2, "/target");
  Message message;
  message.set_volume_id("UUID=1");
  message.set_target_path("/target");
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).volume_id() == "UUID=1");
  CHECK(read<Message>(bytes).target_path() == "/target");
}

template <typename Message>
void check_target_path_only() {
  const std::string bytes = WireWriter().text(1, "/target");
  Message message;
  message.set_target_path("/target");
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).target_path() == "/target");
}

template <typename Message>
void check_size_bytes() {
  for (const int64_t size : {kSize, int64_t{-1}}) {
    const std::string bytes = WireWriter().text(1, "UUID=1").number(2, static_cast<uint64_t>(size));
    Message message;
    message.set_volume_id("UUID=1");
    message.set_size_bytes(size);
    CHECK(message.SerializeAsString() == bytes);
    CHECK(read<Message>(bytes).volume_id() == "UUID=1");
    CHECK(read<Message>(bytes).size_bytes() == size);
  }
}

template <typename Stats, typename DiskNumber>
void check_answers() {
  const std::string stats_bytes = WireWriter().number(1, kSize).number(2, kSize - 1);
  Stats stats;
  stats.set_total_bytes(kSize);
  stats.set_used_bytes(kSize - 1);
  CHECK(stats.SerializeAsString() == stats_bytes);
  CHECK(read<Stats>(stats_bytes).total_bytes() == kSize);
  CHECK(read<Stats>(stats_bytes).used_bytes() == kSize - 1);

  static_assert(std::is_same_v<decltype(DiskNumber().disk_number()), uint32_t>);
  const std::string number_bytes = WireWriter().number(1, kNumber);
  DiskNumber number;
  number.set_disk_number(kNumber);
  CHECK(number.SerializeAsString() == number_bytes);
  CHECK(read<DiskNumber>(number_bytes).disk_number() == kNumber);
}

TEST_CASE("v1alpha1 has csi-proxy's bytes") {
  using namespace ::v1alpha1;
  check_empty<MountVolumeResponse, DismountVolumeResponse, FormatVolumeResponse,
              ResizeVolumeResponse>();
  check_volume_id<IsVolumeFormattedRequest, FormatVolumeRequest>();
  check_disk_id<ListVolumesOnDiskRequest>();
  check_volume_ids<ListVolumesOnDiskResponse>();
  check_path<MountVolumeRequest>();
  check_path<DismountVolumeRequest>();
  check_formatted<IsVolumeFormattedResponse>();
  check_size<ResizeVolumeRequest>();
}

TEST_CASE("v1beta1 has csi-proxy's bytes") {
  using namespace ::v1beta1;
  check_empty<MountVolumeResponse, DismountVolumeResponse, FormatVolumeResponse,
              ResizeVolumeResponse>();
  check_volume_id<IsVolumeFormattedRequest, FormatVolumeRequest, VolumeStatsRequest,
                  VolumeDiskNumberRequest, VolumeIDFromMountResponse>();
  check_disk_id<ListVolumesOnDiskRequest>();
  check_volume_ids<ListVolumesOnDiskResponse>();
  check_path<MountVolumeRequest>();
  check_path<DismountVolumeRequest>();
  check_formatted<IsVolumeFormattedResponse>();
  check_size<ResizeVolumeRequest>();
  check_old_answers<VolumeStatsResponse, VolumeDiskNumberResponse, VolumeIDFromMountRequest>();
}

TEST_CASE("v1beta2 has csi-proxy's bytes") {
  using namespace ::v1beta2;
  check_empty<MountVolumeResponse, DismountVolumeResponse, FormatVolumeResponse,
              ResizeVolumeResponse, WriteVolumeCacheResponse>();
  check_volume_id<IsVolumeFormattedRequest, FormatVolumeRequest, VolumeStatsRequest,
                  VolumeDiskNumberRequest, VolumeIDFromMountResponse, WriteVolumeCacheRequest>();
  check_disk_id<ListVolumesOnDiskRequest>();
  check_volume_ids<ListVolumesOnDiskResponse>();
  check_path<MountVolumeRequest>();
  check_path<DismountVolumeRequest>();
  check_formatted<IsVolumeFormattedResponse>();
  check_size<ResizeVolumeRequest>();
  check_old_answers<VolumeStatsResponse, VolumeDiskNumberResponse, VolumeIDFromMountRequest>();
}

TEST_CASE("v1beta3 has csi-proxy's bytes") {
  using namespace ::v1beta3;
  check_empty<MountVolumeResponse, UnmountVolumeResponse, FormatVolumeResponse,
              ResizeVolumeResponse, WriteVolumeCacheResponse>();
  check_volume_id<IsVolumeFormattedRequest, FormatVolumeRequest, GetVolumeStatsRequest,
                  GetDiskNumberFromVolumeIDRequest, GetVolumeIDFromTargetPathResponse,
                  WriteVolumeCacheRequest>();
  check_disk_and_partition<ListVolumesOnDiskRequest>();
  check_volume_ids<ListVolumesOnDiskResponse>();
  check_target_path<MountVolumeRequest>();
  check_target_path<UnmountVolumeRequest>();
  check_formatted<IsVolumeFormattedResponse>();
  check_size_bytes<ResizeVolumeRequest>();
  check_answers<GetVolumeStatsResponse, GetDiskNumberFromVolumeIDResponse>();
  check_target_path_only<GetVolumeIDFromTargetPathRequest>();
}

TEST_CASE("v1 has csi-proxy's bytes") {
  using namespace ::v1;
  check_empty<MountVolumeResponse, UnmountVolumeResponse, FormatVolumeResponse,
              ResizeVolumeResponse, WriteVolumeCacheResponse>();
  check_volume_id<IsVolumeFormattedRequest, FormatVolumeRequest, GetVolumeStatsRequest,
                  GetDiskNumberFromVolumeIDRequest, GetVolumeIDFromTargetPathResponse,
                  WriteVolumeCacheRequest>();
  check_disk_and_partition<ListVolumesOnDiskRequest>();
  check_volume_ids<ListVolumesOnDiskResponse>();
  check_target_path<MountVolumeRequest>();
  check_target_path<UnmountVolumeRequest>();
  check_formatted<IsVolumeFormattedResponse>();
  check_size_bytes<ResizeVolumeRequest>();
  check_answers<GetVolumeStatsResponse, GetDiskNumberFromVolumeIDResponse>();
  check_target_path_only<GetVolumeIDFromTargetPathRequest>();
}

TEST_CASE("v2alpha1 has csi-proxy's bytes") {
  using namespace ::v2alpha1;
  check_empty<MountVolumeResponse, UnmountVolumeResponse, FormatVolumeResponse,
              ResizeVolumeResponse, WriteVolumeCacheResponse>();
  check_volume_id<IsVolumeFormattedRequest, FormatVolumeRequest, GetVolumeStatsRequest,
                  GetDiskNumberFromVolumeIDRequest, GetVolumeIDFromTargetPathResponse,
                  WriteVolumeCacheRequest, GetClosestVolumeIDFromTargetPathResponse>();
  check_disk_and_partition<ListVolumesOnDiskRequest>();
  check_volume_ids<ListVolumesOnDiskResponse>();
  check_target_path<MountVolumeRequest>();
  check_target_path<UnmountVolumeRequest>();
  check_formatted<IsVolumeFormattedResponse>();
  check_size_bytes<ResizeVolumeRequest>();
  check_answers<GetVolumeStatsResponse, GetDiskNumberFromVolumeIDResponse>();
  check_target_path_only<GetVolumeIDFromTargetPathRequest>();
  check_target_path_only<GetClosestVolumeIDFromTargetPathRequest>();
}

}  // namespace
}  // namespace longshore::volume
