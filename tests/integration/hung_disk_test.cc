// A disk that does not answer, and calls that name it in every way: a loop device on a file whose
// server is this program, and silent. What lies on another disk goes on.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/disk_versions.h"
#include "tests/support/disk_content.h"
#include "tests/support/disk_node.h"
#include "tests/support/served_file.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

constexpr uint64_t kBytes = 128 * kMebibyte;
constexpr int kCalls = 80;

// Two disks with a filesystem each, mounted; the first can hang.
struct HungWorld {
  explicit HungWorld(bool isolated)
      : served({.disks = 2,
                .bytes = kBytes,
                .first_file = file.path(),
                .files = "call_timeout = \"5m\"\n",
                .isolated = isolated}),
        client(served.node) {
    for (size_t place = 0; place < 2; ++place) {
      const uint32_t number = served.node.disk(place).number();
      REQUIRE(client.partition(number)->code() == StatusCode::kOk);
      ids.push_back(ids_in(client.list(number)).at(0));
      REQUIRE(client.format(ids[place])->code() == StatusCode::kOk);
      targets.push_back(served.node.make_target("target-" + std::to_string(place)));
      REQUIRE(client.mount(ids[place], targets[place])->code() == StatusCode::kOk);
    }
  }
  ~HungWorld() { file.answer_again(); }

  std::string socket(const std::string& group, const std::string& version) const {
    return served.node.socket(group, version);
  }
  uint32_t number(size_t place) const { return served.node.disk(place).number(); }

  // What is in the volume has to be read again, and what says where it is has not: the disk is read
  // now, since the system may have dropped what was read of it before.
  void hang() {
    read_bytes(served.node.disk().node(), 0, kBytes);
    forget_cached(served.node.partition_node());
    file.fall_silent();
  }
  // Neither is known.
  void hang_wholly() {
    forget_cached(served.node.partition_node());
    forget_cached(served.node.disk().node());
    file.fall_silent();
  }

  ServedFile file{kBytes};
  ServedNode served;
  DiskClient client;
  std::vector<std::string> ids, targets;
};

bool is_possible() {
  if (ServedFile::is_possible()) return true;
  std::puts("SKIPPED: no /dev/fuse here");
  return false;
}

}  // namespace

TEST_CASE("Calls for a disk that hangs leave places for others, whatever they name it by") {
  if (!is_possible()) return;
  const bool isolated = GENERATE(false, true);
  CAPTURE(isolated);
  HungWorld world(isolated);
  INFO(world.served.node.directory().log());
  const std::string qualified = world.ids[0] + "@" + std::to_string(world.number(0));
  TestClient by_id(world.socket("volume", "v1")), by_path(world.socket("volume", "v2alpha1")),
      by_disk(world.socket("disk", "v1")), files(world.socket("filesystem", "v1"));
  // Known by that name as well.
  REQUIRE(by_id.call("v1.Volume/GetVolumeStats", WireWriter().text(1, qualified))->code() ==
          StatusCode::kOk);
  world.hang();
  struct Waiting {
    TestClient* client;
    std::shared_ptr<Answer> answer;
  };
  std::vector<Waiting> waiting;
  const auto start = [&](TestClient& client, const std::string& method,
                         const std::string& request) {
    waiting.push_back({&client, client.start(method, request, with_timeout(5min))});
  };
  const std::string disk = std::to_string(world.number(0));
  for (int i = 0; i < kCalls / 5; ++i) {
    const std::string name = world.targets[0] + "/" + std::to_string(i);
    start(by_id, "v1.Volume/IsVolumeFormatted", WireWriter().text(1, world.ids[0]));
    start(by_id, "v1.Volume/IsVolumeFormatted", WireWriter().text(1, qualified));
    start(by_id, "v1.Volume/ResizeVolume", WireWriter().text(1, disk));
    start(by_path, "v2alpha1.Volume/GetClosestVolumeIDFromTargetPath", WireWriter().text(1, name));
    start(files, "v1.Filesystem/PathExists", WireWriter().text(1, name));
  }
  REQUIRE(waiting.size() == kCalls);

  TestClient healthy(world.socket("volume", "v1")), healthy_files(world.socket("filesystem", "v1"));
  const auto code = [&](TestClient& client, const std::string& method, const std::string& request) {
    const auto answer = client.call(method, request, with_timeout(40s));
    INFO(method << ": " << answer->text());
    return answer->code();
  };
  for (int i = 0; i < 10; ++i) {
    const std::string id = WireWriter().text(1, world.ids[1]);
    CHECK(code(healthy, "v1.Volume/IsVolumeFormatted", id) == StatusCode::kOk);
    CHECK(code(healthy, "v1.Volume/GetVolumeStats", id) == StatusCode::kOk);
    CHECK(code(healthy, "v1.Volume/ListVolumesOnDisk", WireWriter().number(1, world.number(1))) ==
          StatusCode::kOk);
    CHECK(code(healthy, "v1.Volume/GetVolumeIDFromTargetPath",
               WireWriter().text(1, world.targets[1])) == StatusCode::kOk);
    CHECK(code(healthy_files, "v1.Filesystem/PathExists",
               WireWriter().text(1, world.targets[1] + "/x")) == StatusCode::kOk);
    CHECK(code(by_disk, "v1.Disk/GetDiskStats", WireWriter().number(1, world.number(0))) ==
          StatusCode::kOk);
  }
  CHECK(world.file.is_awaited());
  for (TestClient* const client : {&by_id, &by_path, &files}) client->catch_up();
  CHECK(std::ranges::none_of(waiting, [](const auto& each) { return each.answer->finished(); }));

  world.file.answer_again();
  // Each client takes in its own answers.
  for (TestClient* const client : {&by_id, &by_path, &files}) {
    REQUIRE(client->run_until([&] {
      return std::ranges::all_of(waiting, [&](const auto& each) {
        return each.client != client || each.answer->finished();
      });
    }));
  }
  for (const auto& [client, answer] : waiting) {
    INFO(answer->text());
    // There is nothing of these names.
    CHECK(answer->code() == (client == &by_path ? StatusCode::kNotFound : StatusCode::kOk));
  }
}

TEST_CASE("A disk of which nothing can be read leaves calls for others, by what was never asked") {
  if (!is_possible()) return;
  HungWorld world(false);
  INFO(world.served.node.directory().log());
  REQUIRE(world.client.unmount(world.ids[0], world.targets[0])->code() == StatusCode::kOk);
  world.hang_wholly();
  TestClient client(world.socket("volume", "v1"));
  std::vector<std::shared_ptr<Answer>> waiting;
  for (int i = 0; i < kCalls / 2; ++i) {
    const std::string id = "PARTUUID=" + std::to_string(i);
    waiting.push_back(
        client.start("v1.Volume/IsVolumeFormatted", WireWriter().text(1, id), with_timeout(5min)));
    waiting.push_back(client.start("v1.Volume/ListVolumesOnDisk",
                                   WireWriter().number(1, world.number(0)), with_timeout(5min)));
  }
  for (int i = 0; i < 10; ++i) {
    CHECK(world.client.is_formatted(world.ids[1])->code() == StatusCode::kOk);
  }
  REQUIRE(client.run_until([&] {
    return std::ranges::all_of(waiting, [](const auto& each) { return each->finished(); });
  }));
  for (const auto& each : waiting) {
    INFO(each->text());
    CHECK(each->code() == StatusCode::kUnavailable);
  }
}
