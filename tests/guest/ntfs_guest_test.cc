// NTFS by the kernel's ntfs3, which Debian's kernels have from 6.12 on. Elsewhere every case shows
// that the volume stays as it is.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "disk/v1.pb.h"
#include "support/linux/command.h"
#include "tests/guest/growing_disk.h"
#include "tests/guest/guest_agent.h"
#include "tests/guest/guest_volume.h"
#include "tests/guest/scsi_disk.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::test;

namespace {

// Nobody loads ntfs3 for it. False: the answer says what is missing, and nothing was done.
bool becomes_ntfs(GuestVolume& volume) {
  const auto formatted = volume.try_to_format();
  CAPTURE(formatted->text());
  if (formatted->code() == StatusCode::kOk) return true;
  const bool has_no_program = formatted->code() == StatusCode::kUnimplemented;
  CHECK((has_no_program || formatted->code() == StatusCode::kFailedPrecondition));
  CHECK_THAT(formatted->text(), Catch::Contains(has_no_program ? "/mkfs.ntfs" : "no ntfs3"));
  CHECK_FALSE(volume.is_formatted());
  return false;
}

void run(const std::string& command) {
  const auto end = support::run_command({"/bin/bash", "-c", command}, {.output_limit = 4096});
  REQUIRE(end);
  INFO(command << ": " << end->output << end->complaint);
  REQUIRE(end->exit_code == 0);
}

}  // namespace

TEST_CASE("A volume becomes NTFS where the kernel has ntfs3, and stays as it is elsewhere",
          "[thorough]") {
  GuestAgent agent({.filesystem = "ntfs"});
  const ScsiDisk disk;
  GuestVolume volume(agent, disk.number());
  if (!becomes_ntfs(volume)) return;
  CHECK(volume.is_formatted());
  CHECK(volume.try_to_format()->code() == StatusCode::kOk);
  CHECK(is_around(volume.total_bytes(), 64 * kMebibyte));

  const std::string target = make_target(agent, "volume");
  for (int time = 0; time < 2; ++time) {
    const auto mounted = volume.mount(target);
    INFO(mounted->text());
    REQUIRE(mounted->code() == StatusCode::kOk);
  }
  CHECK(volume.id_at(target) == volume.id());
  const auto empty = volume.stats();
  CHECK(is_around(empty.total_bytes(), 64 * kMebibyte));
  CHECK(empty.used_bytes() < 20 * kMebibyte);
  const std::string content(5 * kMebibyte, 'n');
  write_file(target + "/kept", content);
  CHECK(volume.flush()->code() == StatusCode::kOk);
  CHECK(volume.stats().used_bytes() >= empty.used_bytes() + 5 * kMebibyte);

  CHECK(volume.unmount(target)->code() == StatusCode::kOk);
  CHECK_FALSE(std::filesystem::exists(target + "/kept"));
  CHECK(volume.try_to_format()->code() == StatusCode::kFailedPrecondition);
  REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
  CHECK(read_file(target + "/kept") == content);
  CHECK(volume.unmount(target)->code() == StatusCode::kOk);
}

TEST_CASE("An NTFS volume grows as ResizeVolume's answer says, and by no call", "[thorough]") {
  GuestAgent agent({.filesystem = "ntfs"});
  GrowingDisk disk(128 * kMebibyte);
  GuestVolume volume(agent, disk.number());
  if (!becomes_ntfs(volume)) return;
  const std::string target = make_target(agent, "volume");
  REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
  write_file(target + "/kept", "what was written");
  CHECK(volume.resize(volume.total_bytes())->code() == StatusCode::kOk);
  CHECK(volume.resize(0)->code() == StatusCode::kOk);

  disk.grow(512 * kMebibyte);
  agent.get<v1::RescanResponse>("disk", "v1.Disk/Rescan", v1::RescanRequest());
  for (const int64_t mebibytes : {0, 256}) {
    const auto refused = volume.resize(mebibytes * kMebibyte);
    CHECK(refused->code() == StatusCode::kUnimplemented);
    CHECK_THAT(refused->text(), Catch::Contains("ntfsresize"));
  }
  CHECK(is_around(volume.total_bytes(), 128 * kMebibyte));

  // What that answer says.
  REQUIRE(volume.unmount(target)->code() == StatusCode::kOk);
  const std::string node = "/dev/" + disk.name();
  run("echo ', +' | sfdisk -N 1 " + node);
  run("udevadm settle; ntfsresize --force " + node + "1");
  const auto dirty = volume.mount(target);
  CHECK(dirty->code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(dirty->text(), Catch::Contains("ntfsfix --clear-dirty"));
  run("ntfsfix --clear-dirty " + node + "1");
  const auto mounted = volume.mount(target);
  INFO(mounted->text());
  REQUIRE(mounted->code() == StatusCode::kOk);
  CHECK(read_file(target + "/kept") == "what was written");
  CHECK(is_around(volume.total_bytes(), 512 * kMebibyte));
  CHECK(volume.resize(512 * kMebibyte)->code() == StatusCode::kOk);
  CHECK(volume.resize(0)->code() == StatusCode::kOk);
  CHECK(volume.unmount(target)->code() == StatusCode::kOk);
}
