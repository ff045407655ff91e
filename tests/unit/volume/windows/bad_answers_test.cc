// Volumes that answer badly, hold what Windows does not know, or are not made yet, on a Windows
// that is made up.
#include <catch2/catch.hpp>

#include "tests/support/windows/fake_node.h"
#include "tests/support/windows/fake_node_codes.h"
#include "tests/unit/volume/suite_calls.h"
#include "volume/windows/foreign_content.h"

namespace longshore::volume {
namespace {

using test::windows_code;

struct Answering {
  // Instead of what is answered to a control code.
  void answer(uint32_t asked, const test::FakeNode::Answer& answer) {
    world.node().answer_instead = [=](const std::wstring&,
                                      uint32_t code) -> std::optional<test::FakeNode::Answer> {
      if (code != asked) return std::nullopt;
      return answer;
    };
  }

  WindowsWorld world;
  Calls<WindowsWorld> calls{world};
  std::string id = calls.volume();
};

TEST_CASE("what another system's disk holds is something, and is not formatted") {
  Answering answering;
  const auto [place, bytes, name] =
      GENERATE(table<uint64_t, std::string, std::string>({{1080, "\x53\xef", "ext4"},
                                                          {0, "XFSB", "xfs"},
                                                          {65600, "_BHRfS_M", "btrfs"},
                                                          {0, "LUKS\xba\xbe", "LUKS"},
                                                          {512, "LABELONE", "LVM"},
                                                          {4086, "SWAPSPACE2", "swap"},
                                                          {3, "-FVE-FS-", "BitLocker"}}));
  CAPTURE(name);
  test::FakeDisk& disk = answering.world.node().disk(answering.world.number());
  const auto start = static_cast<uint64_t>(disk.entries.back().StartingOffset.QuadPart);
  for (size_t i = 0; i < bytes.size(); ++i) disk.content[start + place + i] = bytes[i];
  CHECK(answer(answering.calls.service.is_formatted(answering.id)) == "true");
  const auto refused = answering.calls.service.format(answering.id, {}, "test");
  CHECK(outcome(refused) == "FAILED_PRECONDITION");
  CHECK_THAT(refused.error().message(), Catch::Contains("holds " + name));
  answering.world.put_directory(answering.world.at("target"));
  CHECK(answering.calls.mount(answering.id, answering.world.at("target")) == "FAILED_PRECONDITION");
}

TEST_CASE("signatures are sought within what was read") {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{3}, size_t{1080}, size_t{1081}}) {
    CHECK_FALSE(foreign_content(std::string(size, '\0')));
  }
  CHECK(foreign_content("XFSB") == "xfs");
  CHECK_FALSE(foreign_content("XFS"));
}

TEST_CASE("a volume whose filesystem Windows cannot tell is not called unformatted") {
  Answering answering;
  SECTION("it cannot be read") {
    // Its start is looked at when Windows knows nothing there.
    answering.world.node().disk(answering.world.number()).bytes = 0;
    CHECK(answer(answering.calls.service.is_formatted(answering.id)) == "false");
  }
  SECTION("its size cannot be told") {
    answering.answer(IOCTL_DISK_GET_LENGTH_INFO, {windows_code(ERROR_NOT_READY), {}});
    CHECK(outcome(answering.calls.service.stats(answering.id)) == "UNAVAILABLE");
    answering.answer(IOCTL_DISK_GET_LENGTH_INFO, {{}, "1234567"});
    CHECK(outcome(answering.calls.service.stats(answering.id)) == "INTERNAL");
  }
}

TEST_CASE("a partition that is no volume yet is waited for, and then said not to be there") {
  Answering answering;
  answering.world.node().volumes_instead = support::VolumeFunctions::Names{};
  const auto none = answering.calls.service.list(answering.world.number(), 0);
  REQUIRE_FALSE(none);
  CHECK(none.error().code() == StatusCode::kUnavailable);
  VolumeBackendWindows patient({answering.world.node(), answering.world.node(),
                                answering.world.files(), answering.world.node()},
                               {.roots = *support::AllowedRoots::from({"C:\\var\\lib\\kubelet"}),
                                .patience = std::chrono::hours(1)});
  Deadline deadline;
  int asked = 0;
  deadline.cancelled = [&] {
    if (++asked == 2) answering.world.node().volumes_instead.reset();
    return false;
  };
  CHECK(*patient.list(answering.world.number(), 0, deadline) == Ids{answering.id});
}

TEST_CASE("a disk with partitions of others alone has no volume, and says so") {
  Answering answering;
  answering.world.node().disk(answering.world.number()).entries.back().Gpt.PartitionType =
      test::windows_guid(test::kSystemType);
  const auto none = answering.calls.service.list(answering.world.number(), 0);
  REQUIRE_FALSE(none);
  CHECK(none.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(none.error().message(), Catch::Contains("none of its partitions"));
  CHECK(outcome(answering.calls.service.stats(answering.id)) == "NOT_FOUND");
}

TEST_CASE("partitions are numbered as Windows does") {
  Answering answering;
  const auto number =
      answering.world.node().disk(answering.world.number()).entries.back().PartitionNumber;
  CHECK(*answering.calls.service.list(answering.world.number(), number) == Ids{answering.id});
  CHECK(answering.calls.service.list(answering.world.number(), number + 1)->empty());
}

TEST_CASE("one volume that does not say where it lies keeps no other from being found") {
  Answering answering;
  answering.world.node().other_volumes = {L"\\\\?\\Volume{00000000-0000-0000-0000-00000000abcd}\\",
                                          L"no name"};
  CHECK(*answering.calls.service.list(answering.world.number(), 0) == Ids{answering.id});
  CHECK(outcome(answering.calls.service.stats(
            "\\\\?\\Volume{00000000-0000-0000-0000-00000000abcd}\\")) == "NOT_FOUND");
}

TEST_CASE("extents that are not whole are those of no volume") {
  Answering answering;
  answering.answer(IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS, {{}, std::string(8, '\1')});
  CHECK(outcome(answering.calls.service.stats(answering.id)) == "NOT_FOUND");
  CHECK(outcome(answering.calls.service.list(answering.world.number(), 0)) == "UNAVAILABLE");
}

TEST_CASE("a volume that cannot be written out is an error, but for one that is read-only") {
  Answering answering;
  answering.world.node().open_instead = windows_code(ERROR_ACCESS_DENIED);
  CHECK(outcome(answering.calls.service.flush(answering.id)) == "PERMISSION_DENIED");
  answering.world.node().open_instead = windows_code(ERROR_WRITE_PROTECT);
  CHECK(outcome(answering.calls.service.flush(answering.id)) == "OK");
}

}  // namespace
}  // namespace longshore::volume
