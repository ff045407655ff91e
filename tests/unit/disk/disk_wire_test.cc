// The bytes of every message of the disk group, from csi-proxy's tables of fields.
#include <catch2/catch.hpp>
#include <type_traits>

#include "disk/v1.pb.h"
#include "disk/v1alpha1.pb.h"
#include "disk/v1beta1.pb.h"
#include "disk/v1beta2.pb.h"
#include "disk/v1beta3.pb.h"
#include "tests/support/wire_writer.h"

namespace longshore::disk {
namespace {

using test::WireWriter;

// More than 32 bits hold.
constexpr int64_t kSize = int64_t{5} << 40;
constexpr uint32_t kNumber = 4294967295;

// The messages of a version, for templates.
struct V1alpha1 {
  using ListDiskLocationsRequest = ::v1alpha1::ListDiskLocationsRequest;
  using DiskLocation = ::v1alpha1::DiskLocation;
  using ListDiskLocationsResponse = ::v1alpha1::ListDiskLocationsResponse;
  using PartitionDiskRequest = ::v1alpha1::PartitionDiskRequest;
  using PartitionDiskResponse = ::v1alpha1::PartitionDiskResponse;
  using RescanRequest = ::v1alpha1::RescanRequest;
  using RescanResponse = ::v1alpha1::RescanResponse;
};
struct V1beta1 {
  using ListDiskLocationsRequest = ::v1beta1::ListDiskLocationsRequest;
  using DiskLocation = ::v1beta1::DiskLocation;
  using ListDiskLocationsResponse = ::v1beta1::ListDiskLocationsResponse;
  using PartitionDiskRequest = ::v1beta1::PartitionDiskRequest;
  using PartitionDiskResponse = ::v1beta1::PartitionDiskResponse;
  using RescanRequest = ::v1beta1::RescanRequest;
  using RescanResponse = ::v1beta1::RescanResponse;
  using ListDiskIDsRequest = ::v1beta1::ListDiskIDsRequest;
  using DiskIDs = ::v1beta1::DiskIDs;
  using ListDiskIDsResponse = ::v1beta1::ListDiskIDsResponse;
  using DiskStatsRequest = ::v1beta1::DiskStatsRequest;
  using DiskStatsResponse = ::v1beta1::DiskStatsResponse;
};
struct V1beta2 {
  using ListDiskLocationsRequest = ::v1beta2::ListDiskLocationsRequest;
  using DiskLocation = ::v1beta2::DiskLocation;
  using ListDiskLocationsResponse = ::v1beta2::ListDiskLocationsResponse;
  using PartitionDiskRequest = ::v1beta2::PartitionDiskRequest;
  using PartitionDiskResponse = ::v1beta2::PartitionDiskResponse;
  using RescanRequest = ::v1beta2::RescanRequest;
  using RescanResponse = ::v1beta2::RescanResponse;
  using ListDiskIDsRequest = ::v1beta2::ListDiskIDsRequest;
  using DiskIDs = ::v1beta2::DiskIDs;
  using ListDiskIDsResponse = ::v1beta2::ListDiskIDsResponse;
  using DiskStatsRequest = ::v1beta2::DiskStatsRequest;
  using DiskStatsResponse = ::v1beta2::DiskStatsResponse;
};
struct V1beta3 {
  using ListDiskLocationsRequest = ::v1beta3::ListDiskLocationsRequest;
  using DiskLocation = ::v1beta3::DiskLocation;
  using ListDiskLocationsResponse = ::v1beta3::ListDiskLocationsResponse;
  using PartitionDiskRequest = ::v1beta3::PartitionDiskRequest;
  using PartitionDiskResponse = ::v1beta3::PartitionDiskResponse;
  using RescanRequest = ::v1beta3::RescanRequest;
  using RescanResponse = ::v1beta3::RescanResponse;
  using ListDiskIDsRequest = ::v1beta3::ListDiskIDsRequest;
  using DiskIDs = ::v1beta3::DiskIDs;
  using ListDiskIDsResponse = ::v1beta3::ListDiskIDsResponse;
  using GetDiskStatsRequest = ::v1beta3::GetDiskStatsRequest;
  using GetDiskStatsResponse = ::v1beta3::GetDiskStatsResponse;
  using SetDiskStateRequest = ::v1beta3::SetDiskStateRequest;
  using SetDiskStateResponse = ::v1beta3::SetDiskStateResponse;
  using GetDiskStateRequest = ::v1beta3::GetDiskStateRequest;
  using GetDiskStateResponse = ::v1beta3::GetDiskStateResponse;
};
struct V1 {
  using ListDiskLocationsRequest = ::v1::ListDiskLocationsRequest;
  using DiskLocation = ::v1::DiskLocation;
  using ListDiskLocationsResponse = ::v1::ListDiskLocationsResponse;
  using PartitionDiskRequest = ::v1::PartitionDiskRequest;
  using PartitionDiskResponse = ::v1::PartitionDiskResponse;
  using RescanRequest = ::v1::RescanRequest;
  using RescanResponse = ::v1::RescanResponse;
  using ListDiskIDsRequest = ::v1::ListDiskIDsRequest;
  using DiskIDs = ::v1::DiskIDs;
  using ListDiskIDsResponse = ::v1::ListDiskIDsResponse;
  using GetDiskStatsRequest = ::v1::GetDiskStatsRequest;
  using GetDiskStatsResponse = ::v1::GetDiskStatsResponse;
  using SetDiskStateRequest = ::v1::SetDiskStateRequest;
  using SetDiskStateResponse = ::v1::SetDiskStateResponse;
  using GetDiskStateRequest = ::v1::GetDiskStateRequest;
  using GetDiskStateResponse = ::v1::GetDiskStateResponse;
};

template <typename Message>
Message read(const std::string& bytes) {
  Message message;
  REQUIRE(message.ParseFromString(bytes));
  return message;
}

template <typename Message>
void check_empty() {
  CHECK(Message().SerializeAsString().empty());
  CHECK(read<Message>("").SerializeAsString().empty());
}

// A request of v1alpha1 to v1beta2 that names a disk.
template <typename Message>
void check_disk_id() {
  const std::string bytes = WireWriter().text(1, "4294967295");
  Message message;
  message.set_diskid("4294967295");
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).diskid() == "4294967295");
}

// A request of v1beta3 or v1 that names a disk.
template <typename Message>
void check_disk_number() {
  static_assert(std::is_same_v<decltype(Message().disk_number()), uint32_t>);
  const std::string bytes = WireWriter().number(1, kNumber);
  Message message;
  message.set_disk_number(kNumber);
  CHECK(message.SerializeAsString() == bytes);
  CHECK(read<Message>(bytes).disk_number() == kNumber);
}

// The one entry of a map by disk number, with the bytes of its value.
std::string entry(const std::string& key, const std::string& value) {
  return WireWriter().text(1, WireWriter().text(1, key).text(2, value).bytes());
}
std::string entry(uint32_t key, const std::string& value) {
  return WireWriter().text(1, WireWriter().number(1, key).text(2, value).bytes());
}

template <typename Version, typename Key>
void check_locations(const Key& key) {
  using Location = typename Version::DiskLocation;
  using Response = typename Version::ListDiskLocationsResponse;
  check_empty<typename Version::ListDiskLocationsRequest>();

  const std::string value = WireWriter().text(1, "0").text(2, "1").text(3, "2").text(4, "3");
  Location location;
  location.set_adapter("0");
  location.set_bus("1");
  location.set_target("2");
  location.set_lunid("3");
  CHECK(location.SerializeAsString() == value);

  Response response;
  (*response.mutable_disk_locations())[key] = location;
  CHECK(response.SerializeAsString() == entry(key, value));
  const auto parsed = read<Response>(entry(key, value));
  REQUIRE(parsed.disk_locations_size() == 1);
  CHECK(parsed.disk_locations().at(key).adapter() == "0");
  CHECK(parsed.disk_locations().at(key).bus() == "1");
  CHECK(parsed.disk_locations().at(key).target() == "2");
  CHECK(parsed.disk_locations().at(key).lunid() == "3");
}

template <typename Version>
void check_rest_of_all_versions() {
  check_empty<typename Version::PartitionDiskResponse>();
  check_empty<typename Version::RescanRequest>();
  check_empty<typename Version::RescanResponse>();
}

TEMPLATE_TEST_CASE("v1alpha1 to v1beta2 have csi-proxy's bytes", "", V1alpha1, V1beta1, V1beta2) {
  check_locations<TestType>(std::string("12"));
  check_disk_id<typename TestType::PartitionDiskRequest>();
  check_rest_of_all_versions<TestType>();
}

TEST_CASE("v1alpha1 looks a disk up by its name") {
  const std::string request_bytes = WireWriter().text(1, "naa.5000");
  ::v1alpha1::GetDiskNumberByNameRequest request;
  request.set_disk_name("naa.5000");
  CHECK(request.SerializeAsString() == request_bytes);
  CHECK(read<::v1alpha1::GetDiskNumberByNameRequest>(request_bytes).disk_name() == "naa.5000");

  const std::string response_bytes = WireWriter().text(1, "12");
  ::v1alpha1::GetDiskNumberByNameResponse response;
  response.set_disk_number("12");
  CHECK(response.SerializeAsString() == response_bytes);
  CHECK(read<::v1alpha1::GetDiskNumberByNameResponse>(response_bytes).disk_number() == "12");
}

TEMPLATE_TEST_CASE("v1beta1 and v1beta2 have identifiers as a map", "", V1beta1, V1beta2) {
  using Response = typename TestType::ListDiskIDsResponse;
  check_empty<typename TestType::ListDiskIDsRequest>();

  const std::string value = entry("page83", "naa.5000");
  typename TestType::DiskIDs ids;
  (*ids.mutable_identifiers())["page83"] = "naa.5000";
  CHECK(ids.SerializeAsString() == value);

  Response response;
  (*response.mutable_diskids())["12"] = ids;
  CHECK(response.SerializeAsString() == entry("12", value));
  const auto parsed = read<Response>(entry("12", value));
  REQUIRE(parsed.diskids_size() == 1);
  REQUIRE(parsed.diskids().at("12").identifiers_size() == 1);
  CHECK(parsed.diskids().at("12").identifiers().at("page83") == "naa.5000");
}

TEMPLATE_TEST_CASE("v1beta1 and v1beta2 have DiskStats", "", V1beta1, V1beta2) {
  check_disk_id<typename TestType::DiskStatsRequest>();
  const std::string bytes = WireWriter().number(1, kSize);
  typename TestType::DiskStatsResponse response;
  response.set_disksize(kSize);
  CHECK(response.SerializeAsString() == bytes);
  CHECK(read<typename TestType::DiskStatsResponse>(bytes).disksize() == kSize);
}

TEST_CASE("v1beta2 adds the attach state") {
  check_disk_id<::v1beta2::SetAttachStateRequest>();
  check_disk_id<::v1beta2::GetAttachStateRequest>();
  check_empty<::v1beta2::SetAttachStateResponse>();

  const std::string request_bytes = WireWriter().text(1, "12").number(2, 1);
  ::v1beta2::SetAttachStateRequest request;
  request.set_diskid("12");
  request.set_isonline(true);
  CHECK(request.SerializeAsString() == request_bytes);
  CHECK(read<::v1beta2::SetAttachStateRequest>(request_bytes).isonline());

  const std::string response_bytes = WireWriter().number(1, 1);
  ::v1beta2::GetAttachStateResponse response;
  response.set_isonline(true);
  CHECK(response.SerializeAsString() == response_bytes);
  CHECK(read<::v1beta2::GetAttachStateResponse>(response_bytes).isonline());
}

TEMPLATE_TEST_CASE("v1beta3 and v1 have csi-proxy's bytes", "", V1beta3, V1) {
  check_locations<TestType>(kNumber);
  check_rest_of_all_versions<TestType>();
  check_disk_number<typename TestType::PartitionDiskRequest>();
  check_disk_number<typename TestType::GetDiskStatsRequest>();
  check_disk_number<typename TestType::SetDiskStateRequest>();
  check_disk_number<typename TestType::GetDiskStateRequest>();
  check_empty<typename TestType::ListDiskIDsRequest>();
  check_empty<typename TestType::SetDiskStateResponse>();

  const std::string size_bytes = WireWriter().number(1, kSize);
  typename TestType::GetDiskStatsResponse stats;
  stats.set_total_bytes(kSize);
  CHECK(stats.SerializeAsString() == size_bytes);
  CHECK(read<typename TestType::GetDiskStatsResponse>(size_bytes).total_bytes() == kSize);

  const std::string set_bytes = WireWriter().number(1, 12).number(2, 1);
  typename TestType::SetDiskStateRequest set;
  set.set_disk_number(12);
  set.set_is_online(true);
  CHECK(set.SerializeAsString() == set_bytes);
  CHECK(read<typename TestType::SetDiskStateRequest>(set_bytes).is_online());

  const std::string state_bytes = WireWriter().number(1, 1);
  typename TestType::GetDiskStateResponse state;
  state.set_is_online(true);
  CHECK(state.SerializeAsString() == state_bytes);
  CHECK(read<typename TestType::GetDiskStateResponse>(state_bytes).is_online());
}

TEMPLATE_TEST_CASE("v1beta3 and v1 have identifiers as fields", "", V1beta3, V1) {
  using Response = typename TestType::ListDiskIDsResponse;
  const std::string value = WireWriter().text(1, "naa.5000").text(2, "S-1");
  typename TestType::DiskIDs ids;
  ids.set_page83("naa.5000");
  ids.set_serial_number("S-1");
  CHECK(ids.SerializeAsString() == value);

  Response response;
  (*response.mutable_diskids())[kNumber] = ids;
  CHECK(response.SerializeAsString() == entry(kNumber, value));
  const auto parsed = read<Response>(entry(kNumber, value));
  REQUIRE(parsed.diskids_size() == 1);
  CHECK(parsed.diskids().at(kNumber).page83() == "naa.5000");
  CHECK(parsed.diskids().at(kNumber).serial_number() == "S-1");
}

}  // namespace
}  // namespace longshore::disk
