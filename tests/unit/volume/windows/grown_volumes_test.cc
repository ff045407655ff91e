// ResizeVolume on a Windows that is made up: what its suite does not ask.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/windows/fake_node.h"
#include "tests/unit/volume/suite_calls.h"

namespace longshore::volume {
namespace {

struct Grown {
  Grown() { world.grow(1000 * kMebibyte); }
  uint64_t partition_bytes() {
    return static_cast<uint64_t>(
        world.node().disk(world.number()).entries.back().PartitionLength.QuadPart);
  }
  size_t times(uint32_t code) {
    return static_cast<size_t>(std::ranges::count(world.node().asked, code));
  }

  WindowsWorld world{Setup{.bytes = 400 * kMebibyte}};
  Calls<WindowsWorld> calls{world};
  std::string id = calls.formatted();
};

TEST_CASE("as far as the disk allows is up to the table's copy, in whole MiB") {
  Grown grown;
  CHECK(grown.calls.resize(grown.id, 0) == "OK");
  CHECK(grown.partition_bytes() == (1000 - 17 - 1) * kMebibyte);
  CHECK(grown.calls.service.stats(grown.id)->total == grown.partition_bytes());
}

TEST_CASE("the size of the disk, which drivers ask for, is as far as the volume goes") {
  Grown grown;
  CHECK(grown.calls.resize(grown.id, 1000 * kMebibyte) == "OK");
  CHECK(grown.partition_bytes() == (1000 - 17 - 1) * kMebibyte);
}

TEST_CASE("a size is rounded up to MiB") {
  Grown grown;
  CHECK(grown.calls.resize(grown.id, 500 * kMebibyte + 1) == "OK");
  CHECK(grown.partition_bytes() == 501 * kMebibyte);
}

TEST_CASE("less than 100 MiB is not worth a change, unless it is asked for") {
  WindowsWorld world(Setup{.bytes = 400 * kMebibyte});
  Calls<WindowsWorld> calls{world};
  const std::string id = calls.formatted();
  const uint64_t before = calls.service.stats(id)->total;
  world.grow(499 * kMebibyte);
  CHECK(calls.resize(id, 0) == "OK");
  CHECK(calls.service.stats(id)->total == before);
  CHECK(calls.resize(id, 450 * kMebibyte) == "OK");
  CHECK(calls.service.stats(id)->total == 450 * kMebibyte);
}

TEST_CASE("a volume grows up to the next one") {
  Grown grown;
  auto& entries = grown.world.node().disk(grown.world.number()).entries;
  PARTITION_INFORMATION_EX next = entries.back();
  next.StartingOffset.QuadPart = 500 * kMebibyte;
  next.PartitionLength.QuadPart = 100 * kMebibyte;
  next.PartitionNumber = 3;
  next.Gpt.PartitionId.Data1 = 3;
  entries.push_back(next);
  CHECK(grown.calls.resize(grown.id, 900 * kMebibyte) == "OUT_OF_RANGE");
  CHECK(grown.calls.resize(grown.id, 0) == "OK");
  CHECK(entries[1].PartitionLength.QuadPart == 483 * kMebibyte);
}

TEST_CASE("a call that was cut short after the partition grew goes on when it is repeated") {
  Grown grown;
  grown.world.node().answer_instead = [](const std::wstring&,
                                         uint32_t code) -> std::optional<test::FakeNode::Answer> {
    if (code != FSCTL_EXTEND_VOLUME) return std::nullopt;
    return {{test::windows_code(ERROR_NOT_READY), {}}};
  };
  const auto cut = grown.calls.service.resize(grown.id, 0, {}, "test");
  CHECK(outcome(cut) == "UNAVAILABLE");
  CHECK_THAT(cut.error().message(), Catch::Contains("FSCTL_EXTEND_VOLUME"));
  grown.world.node().answer_instead = nullptr;
  CHECK(grown.calls.service.stats(grown.id)->total < 400 * kMebibyte);
  CHECK(grown.calls.resize(grown.id, 0) == "OK");
  CHECK(grown.calls.service.stats(grown.id)->total == grown.partition_bytes());
  CHECK(grown.times(IOCTL_DISK_GROW_PARTITION) == 1);
}

TEST_CASE("a partition that cannot be grown leaves the filesystem as it is") {
  Grown grown;
  grown.world.node().answer_instead = [](const std::wstring&,
                                         uint32_t code) -> std::optional<test::FakeNode::Answer> {
    if (code != IOCTL_DISK_GROW_PARTITION) return std::nullopt;
    return {{test::windows_code(ERROR_ACCESS_DENIED), {}}};
  };
  CHECK(grown.calls.resize(grown.id, 0) == "PERMISSION_DENIED");
  CHECK(grown.times(FSCTL_EXTEND_VOLUME) == 0);
}

TEST_CASE("a volume on several stretches, or on a disk that is read-only, does not grow") {
  Grown grown;
  SECTION("several stretches") {
    std::string answer(8 + 2 * 24, '\0');
    answer[0] = 2;
    answer[8] = answer[32] = static_cast<char>(grown.world.number());
    grown.world.node().answer_instead =
        [=](const std::wstring&, uint32_t code) -> std::optional<test::FakeNode::Answer> {
      if (code != IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS) return std::nullopt;
      return {{{}, answer}};
    };
    CHECK(grown.calls.resize(grown.id, 0) == "UNIMPLEMENTED");
  }
  SECTION("read-only") {
    grown.world.make_read_only();
    CHECK(grown.calls.resize(grown.id, 0) == "FAILED_PRECONDITION");
  }
}

}  // namespace
}  // namespace longshore::volume
