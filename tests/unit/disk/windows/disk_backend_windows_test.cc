// The disk group on a Windows that is made up: what its suite does not ask, and answers that are
// bad.
#include "disk/windows/disk_backend_windows.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/byte_units.h"
#include "tests/support/outcome.h"
#include "tests/support/windows/fake_node.h"
#include "tests/support/windows/fake_node_codes.h"

namespace longshore::disk {
namespace {

using support::DeviceControl;
using support::DriveLayout;
using test::FakeNode;
using test::kMebibyte;
using test::outcome;
using test::windows_code;

// A node with disk 0, which Windows runs on, and the blank disk 1.
struct Node {
  Node() { node.disk(1); }
  DiskBackendWindows backend(DiskBackendWindows::Options options = {}) {
    options.patience = std::chrono::milliseconds(0);
    return {node, node, node, options};
  }
  // Instead of what the disk 1 answers to a control code, by whatever path it was opened.
  void answer(uint32_t code, const FakeNode::Answer& answer) {
    node.answer_instead = [=](const std::wstring& path,
                              uint32_t asked) -> std::optional<FakeNode::Answer> {
      if (asked != code || !path.ends_with(L'1')) return std::nullopt;
      return answer;
    };
  }

  FakeNode node;
};

TEST_CASE("locations are those of SCSI addresses, as WMI words them") {
  Node node;
  node.node.disk(1).scsi_address = test::scsi_address(3, 0, 1, 20);
  node.node.disk(2).scsi_address = test::scsi_address(3, 0, 1, 21).substr(0, 7);
  const auto locations = node.backend().locations();
  REQUIRE(locations);
  CHECK(*locations == std::map<uint32_t, DiskLocation>{{1, {"3", "0", "1", "20"}}});
}

TEST_CASE("a disk is told by what it calls itself, and one that does not say by nothing") {
  Node node;
  node.node.disk(1).id_descriptor = test::id_descriptor({{.code_set = 2, .bytes = "eui.1"}});
  node.node.disk(1).device_descriptor = test::device_descriptor("vol1_00000001.");
  node.node.disk(2);
  const auto identities = node.backend().identities();
  REQUIRE(identities);
  CHECK(*identities == std::map<uint32_t, DiskIdentity>{
                           {0, {"", ""}}, {1, {"eui.1", "vol1_00000001."}}, {2, {"", ""}}});
}

TEST_CASE("one disk that cannot be asked keeps no other from being listed") {
  Node node;
  node.node.disk(1).id_descriptor = test::id_descriptor({{.code_set = 2, .bytes = "eui.1"}});
  node.node.disk(2).id_descriptor = test::id_descriptor({{.code_set = 2, .bytes = "eui.2"}});
  const auto listed = [&] {
    const auto identities = node.backend().identities();
    REQUIRE(identities);
    return *identities;
  };
  SECTION("its path is gone") {
    node.node.interfaces_instead = DeviceControl::Interfaces{
        {}, {L"\\\\?\\fake#disk1", L"\\\\?\\fake#disk7", L"\\\\?\\gone", L"\\\\?\\fake#disk2"}};
    CHECK(listed().size() == 2);
  }
  SECTION("it does not say its number") {
    node.answer(IOCTL_STORAGE_GET_DEVICE_NUMBER, {windows_code(ERROR_NOT_READY), {}});
    CHECK_FALSE(listed().contains(1));
  }
  SECTION("its number is cut short") {
    node.answer(IOCTL_STORAGE_GET_DEVICE_NUMBER, {{}, std::string(11, '\7')});
    CHECK_FALSE(listed().contains(1));
  }
  SECTION("it does not know the question") {
    node.answer(IOCTL_STORAGE_QUERY_PROPERTY, {windows_code(ERROR_INVALID_FUNCTION), {}});
    CHECK(listed().at(1) == DiskIdentity{});
  }
  SECTION("its answer is no descriptor") {
    node.answer(IOCTL_STORAGE_QUERY_PROPERTY, {{}, std::string(64, '\xff')});
    CHECK(listed().at(1) == DiskIdentity{});
  }
  CHECK(listed().at(2).page83 == "eui.2");
}

TEST_CASE("a disk with several paths is one disk") {
  Node node;
  node.node.interfaces_instead =
      DeviceControl::Interfaces{{}, {L"\\\\?\\fake#disk1", L"\\\\?\\fake#disk1"}};
  CHECK(node.backend().identities()->size() == 1);
}

TEST_CASE("where disks cannot be listed at all that is an error") {
  Node node;
  node.node.interfaces_instead = DeviceControl::Interfaces{windows_code(ERROR_ACCESS_DENIED), {}};
  CHECK(outcome(node.backend().identities()) == "PERMISSION_DENIED");
  CHECK(outcome(node.backend().locations()) == "PERMISSION_DENIED");
}

TEST_CASE("a size is asked for in the older way where the newer is unknown") {
  Node node;
  const uint64_t size = uint64_t{5} << 40;
  const std::string bytes(reinterpret_cast<const char*>(&size), sizeof(size));
  node.node.answer_instead = [&](const std::wstring&,
                                 uint32_t code) -> std::optional<FakeNode::Answer> {
    if (code == IOCTL_DISK_GET_LENGTH_INFO) return {{windows_code(ERROR_NOT_SUPPORTED), {}}};
    if (code == IOCTL_DISK_GET_DRIVE_GEOMETRY_EX) return {{{}, std::string(24, '\0') + bytes}};
    return std::nullopt;
  };
  CHECK(*node.backend().size_in_bytes(1) == size);
}

TEST_CASE("answers that are too short are errors that name the disk and the question") {
  Node node;
  const auto short_answer = [&](uint32_t code) { node.answer(code, {{}, "1234"}); };
  short_answer(IOCTL_DISK_GET_LENGTH_INFO);
  const auto size = node.backend().size_in_bytes(1);
  REQUIRE_FALSE(size);
  CHECK(size.error().code() == StatusCode::kInternal);
  CHECK_THAT(size.error().message(),
             Catch::Contains("disk 1") && Catch::Contains("IOCTL_DISK_GET_LENGTH_INFO"));
  short_answer(test::kGetDiskAttributes);
  CHECK(outcome(node.backend().state(1)) == "INTERNAL");
  CHECK(outcome(node.backend().set_online(1, true, {})) == "INTERNAL");
  CHECK(outcome(node.backend().partition(1, {})) == "INTERNAL");
  short_answer(IOCTL_DISK_GET_DRIVE_LAYOUT_EX);
  CHECK(outcome(node.backend().partition(1, {})) == "INTERNAL");
  CHECK(node.node.disk(1).style == PARTITION_STYLE_RAW);
}

TEST_CASE("what Windows refuses is told with its reason and the control code") {
  Node node;
  node.answer(IOCTL_DISK_CREATE_DISK, {windows_code(ERROR_ACCESS_DENIED), {}});
  const auto refused = node.backend().partition(1, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kPermissionDenied);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("partition by IOCTL_DISK_CREATE_DISK on \"disk 1\""));
  node.answer(IOCTL_DISK_GET_LENGTH_INFO, {windows_code(ERROR_NOT_READY), {}});
  CHECK(outcome(node.backend().size_in_bytes(1)) == "UNAVAILABLE");
}

TEST_CASE("a layout that needs more room is asked for again, and not for ever") {
  Node node;
  int times = 0;
  node.node.answer_instead = [&](const std::wstring&,
                                 uint32_t code) -> std::optional<FakeNode::Answer> {
    if (code != IOCTL_DISK_GET_DRIVE_LAYOUT_EX) return std::nullopt;
    if (++times == 2) return std::nullopt;
    return {{windows_code(ERROR_INSUFFICIENT_BUFFER), {}}};
  };
  REQUIRE(node.backend().partition(0, {}));
  CHECK(times == 2);
  times = 10;
  CHECK_FALSE(node.backend().partition(0, {}));
  CHECK(times < 30);
}

TEST_CASE("a blank disk gets a GPT with a reserved partition and one for data, as Windows makes") {
  Node node;
  REQUIRE(node.backend().partition(1, {}));
  const test::FakeDisk& disk = node.node.disk(1);
  CHECK(disk.style == PARTITION_STYLE_GPT);
  CHECK(disk.disk_id != GUID{});
  REQUIRE(disk.entries.size() == 2);
  CHECK(disk.entries[0].Gpt.PartitionType == test::windows_guid(test::kReservedType));
  CHECK(disk.entries[1].Gpt.PartitionType == test::windows_guid(test::kBasicDataType));
  CHECK(disk.entries[0].Gpt.PartitionId != disk.entries[1].Gpt.PartitionId);
  CHECK(disk.entries[1].StartingOffset.QuadPart == 17 * kMebibyte);
  CHECK(disk.entries[1].PartitionLength.QuadPart == 46 * kMebibyte);
}

TEST_CASE("a partition of any kind, on any table, is left alone") {
  Node node;
  test::FakeDisk& disk = node.node.disk(1);
  PARTITION_INFORMATION_EX entry{};
  entry.StartingOffset.QuadPart = kMebibyte;
  entry.PartitionLength.QuadPart = kMebibyte;
  SECTION("an MBR of Linux") {
    disk.style = PARTITION_STYLE_MBR;
    entry.PartitionStyle = PARTITION_STYLE_MBR;
    entry.Mbr.PartitionType = 0x83;
  }
  SECTION("the firmware's on a GPT") {
    disk.style = PARTITION_STYLE_GPT;
    entry.PartitionStyle = PARTITION_STYLE_GPT;
    entry.Gpt.PartitionType = test::windows_guid(test::kSystemType);
  }
  disk.entries = {entry};
  // Nothing of it is asked that could refuse: it may be read-only, offline, or Windows' own.
  disk.read_only = disk.offline = true;
  CHECK(node.backend().partition(1, {}));
  CHECK(disk.entries.size() == 1);
  CHECK(std::ranges::find(node.node.asked, static_cast<uint32_t>(IOCTL_DISK_SET_DRIVE_LAYOUT_EX)) ==
        node.node.asked.end());
}

TEST_CASE("a table without a partition gets one, and keeps what it has") {
  Node node;
  test::FakeDisk& disk = node.node.disk(1);
  SECTION("a GPT with its reserved partition") {
    REQUIRE(node.backend().partition(1, {}));
    const GUID id = disk.disk_id;
    disk.entries.pop_back();
    REQUIRE(node.backend().partition(1, {}));
    CHECK(disk.disk_id == id);
    REQUIRE(disk.entries.size() == 2);
    CHECK(disk.entries[1].PartitionLength.QuadPart == 46 * kMebibyte);
  }
  SECTION("an MBR") {
    disk.style = PARTITION_STYLE_MBR;
    disk.content[510] = 0x55;  // it is no blank disk, and need not be
    REQUIRE(node.backend().partition(1, {}));
    REQUIRE(disk.entries.size() == 4);
    CHECK(disk.entries[0].Mbr.PartitionType == PARTITION_IFS);
    CHECK(disk.entries[0].PartitionLength.QuadPart == 63 * kMebibyte);
  }
}

TEST_CASE("a partition that does not come to be is an error") {
  Node node;
  node.answer(IOCTL_DISK_SET_DRIVE_LAYOUT_EX, {});
  const auto made = node.backend().partition(1, {});
  REQUIRE_FALSE(made);
  CHECK_THAT(made.error().message(), Catch::Contains("failed to create basic partition"));
}

TEST_CASE("a disk that is too small for a table is refused") {
  Node node;
  node.node.disk(1).bytes = 16 * kMebibyte;
  const auto refused = node.backend().partition(1, {});
  CHECK(outcome(refused) == "FAILED_PRECONDITION");
  CHECK_THAT(refused.error().message(), Catch::Contains("no room"));
}

TEST_CASE("who asked for it gets a table on what holds something unknown") {
  Node node;
  node.node.disk(1).content[4096] = 'x';
  CHECK(outcome(node.backend().partition(1, {})) == "FAILED_PRECONDITION");
  CHECK(node.backend({.overwrites_unknown_data = true}).partition(1, {}));
}

TEST_CASE("the disk that Windows runs on is never changed") {
  Node node;
  CHECK(node.backend().partition(0, {}));  // it has a partition
  node.node.disk(0).entries.front().Gpt.PartitionType = test::windows_guid(test::kReservedType);
  CHECK(outcome(node.backend().set_online(0, false, {})) == "FAILED_PRECONDITION");
  const auto refused = node.backend().partition(0, {});
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(), Catch::Contains("in use by \\\\.\\C:"));
  CHECK(node.backend().set_online(0, true, {}));
}

TEST_CASE("while nobody can tell where Windows lies no disk is changed") {
  Node node;
  SECTION("its volumes are not known") {
    node.node.needed_instead =
        support::VolumeFunctions::Names{windows_code(ERROR_ACCESS_DENIED), {}};
  }
  SECTION("one is gone") {
    node.node.needed_instead = support::VolumeFunctions::Names{{}, {L"\\\\.\\D:"}};
  }
  SECTION("one says too little") {
    node.node.answer_instead = [](const std::wstring& path,
                                  uint32_t) -> std::optional<FakeNode::Answer> {
      if (path != L"\\\\.\\C:") return std::nullopt;
      return {{{}, "12345678"}};
    };
  }
  SECTION("one says that it lies nowhere") {
    node.node.answer_instead = [](const std::wstring& path,
                                  uint32_t) -> std::optional<FakeNode::Answer> {
      if (path != L"\\\\.\\C:") return std::nullopt;
      return {{{}, std::string(8, '\0')}};
    };
  }
  CHECK(outcome(node.backend().partition(1, {})) == "FAILED_PRECONDITION");
  CHECK(outcome(node.backend().set_online(1, false, {})) == "FAILED_PRECONDITION");
  CHECK(node.node.disk(1).style == PARTITION_STYLE_RAW);
  CHECK_FALSE(node.node.disk(1).offline);
}

TEST_CASE("Rescan calls WMI's method, and its number is told in words") {
  Node node;
  CHECK(node.backend().rescan({}));
  CHECK(node.node.methods_called ==
        std::vector<std::string>{"MSFT_StorageSetting.UpdateHostStorageCache"});
  node.node.method_instead = support::WmiObject{{"ReturnValue", int64_t{40001}}};
  const auto denied = node.backend().rescan({});
  CHECK(outcome(denied) == "PERMISSION_DENIED");
  CHECK_THAT(denied.error().message(), Catch::Contains("40001: access is denied"));
  node.node.method_instead = support::WmiObject{};
  CHECK(outcome(node.backend().rescan({})) == "INTERNAL");
  node.node.method_instead = Error(StatusCode::kUnavailable, "connect");
  CHECK(outcome(node.backend().rescan({})) == "UNAVAILABLE");
}

}  // namespace
}  // namespace longshore::disk
