// Rmdir of a directory that a volume is mounted on: what is asked of the volume group, and what
// comes of its answers. tests/integration/rmdir_of_volumes_test.cc does it with real volumes.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/outcome.h"
#include "tests/unit/filesystem/worlds.h"

namespace longshore::filesystem {
namespace {

using support::PosixPath;
using test::outcome;

constexpr const char* kId = "PARTUUID=1";
constexpr const char* kPath = "/var/lib/kubelet/stage";

// A volume group that answers as it is told to, by default well.
class ScriptedVolumes final : public VolumeGroup {
 public:
  explicit ScriptedVolumes(FakeWorld& world) : world_(world) {}

  Result<std::string> id_of_mount_point(const PosixPath& path) override {
    asked.push_back("id of " + path.text());
    return id;
  }
  Result<void> unmount(const std::string& volume, const PosixPath& path) override {
    asked.push_back("unmount " + volume + " from " + path.text());
    if (unmounted) world_.fake().unmount_volume(path.text());
    if (meanwhile) meanwhile();
    return unmounted;
  }

  Result<std::string> id = std::string(kId);
  Result<void> unmounted;
  std::function<void()> meanwhile;  // before the answer
  std::vector<std::string> asked;

 private:
  FakeWorld& world_;
};

// A volume that is mounted on kPath, and an Rmdir of that.
struct Staged {
  Staged() { world.fake().mount_volume(kPath, kId); }

  Result<void> remove(bool force) {
    return world.service().remove_directory(kPath, force, {}, {}, &volumes);
  }
  bool is_mounted() const { return world.inspect(kPath) == EntryKind::kMountPoint; }

  FakeWorld world;
  ScriptedVolumes volumes{world};
};

Error answer(StatusCode code, const std::string& text) { return Error::of_text(code, text); }

}  // namespace

TEST_CASE("Rmdir of a volume's directory has it unmounted and removes the directory") {
  const bool force = GENERATE(false, true);
  Staged staged;
  CHECK(outcome(staged.remove(force)) == "OK");
  CHECK(staged.world.inspect(kPath) == EntryKind::kAbsent);
  CHECK(staged.volumes.asked ==
        std::vector<std::string>{"id of " + std::string(kPath),
                                 "unmount PARTUUID=1 from " + std::string(kPath)});
  // Again, as after an answer that was lost.
  CHECK(outcome(staged.remove(force)) == (force ? "OK" : "NOT_FOUND"));
  CHECK(staged.volumes.asked.size() == 2);
}

TEST_CASE("Rmdir that was cut short after the unmounting is ended by the next") {
  const bool force = GENERATE(false, true);
  Staged staged;
  staged.world.fake().unmount_volume(kPath);
  CHECK(outcome(staged.remove(force)) == "OK");
  CHECK(staged.world.inspect(kPath) == EntryKind::kAbsent);
  CHECK(staged.volumes.asked.empty());
}

TEST_CASE("what a volume had hidden stays, and the error says that the volume was unmounted") {
  const bool force = GENERATE(false, true);
  Staged staged;
  staged.volumes.meanwhile = [&] { staged.world.put_file(std::string(kPath) + "/hidden"); };
  const Result<void> removed = staged.remove(force);
  CHECK(outcome(removed) == "FAILED_PRECONDITION");
  CHECK_THAT(removed.error().message(), Catch::Contains("not empty") &&
                                            Catch::Contains("the volume was unmounted") &&
                                            !Catch::Contains("set force"));
  CHECK(staged.world.inspect(kPath) == EntryKind::kDirectory);
  CHECK(staged.world.inspect(std::string(kPath) + "/hidden") == EntryKind::kFile);
}

TEST_CASE("the volume group is asked about nothing but volumes at the very path") {
  Staged staged;
  FakeWorld& world = staged.world;
  const bool force = GENERATE(false, true);
  const auto service = world.service();
  const auto removed = [&](const std::string& path) {
    return outcome(service.remove_directory(path, force, {}, {}, &staged.volumes));
  };
  world.put_directory(world.at("top"));
  world.fake().mount_volume(world.at("top/point"), kId);
  CHECK(removed(world.at("top")) == "FAILED_PRECONDITION");
  world.fake().put(world.at("other"), EntryKind::kMountPoint);  // a tmpfs, or a part of a volume
  CHECK(removed(world.at("other")) == "FAILED_PRECONDITION");
  world.fake().mount_volume(world.root(), kId);
  CHECK(removed(world.root()) == "PERMISSION_DENIED");
  world.fake().unmount_volume(world.root());
  CHECK(removed("/etc") == "PERMISSION_DENIED");
  world.put_link(kPath, world.at("link"));
  CHECK(removed(world.at("link")) == "OK");
  CHECK(staged.volumes.asked.empty());
  CHECK(staged.is_mounted());
}

TEST_CASE("without a volume group to ask a mount point stays, and the error says what is missing") {
  const bool force = GENERATE(false, true);
  Staged staged;
  SECTION("may_call does not name it") {
    staged.volumes.id = answer(StatusCode::kPermissionDenied, "its may_call does not name it");
  }
  SECTION("may_call names the question alone") {
    staged.volumes.unmounted = answer(StatusCode::kPermissionDenied, "may_call does not name it");
  }
  SECTION("nobody serves it") {
    staged.volumes.id = answer(StatusCode::kUnimplemented, "no enabled module serves the method");
  }
  const Result<void> removed = staged.remove(force);
  CHECK(outcome(removed) == "FAILED_PRECONDITION");
  CHECK_THAT(
      removed.error().message(),
      Catch::StartsWith("cannot remove \"" + std::string(kPath) + "\": it is a mount point") &&
          Catch::Contains("unmount it first") &&
          Catch::Contains("may_call = [\"v1.Volume/GetVolumeIDFromTargetPath\", "
                          "\"v1.Volume/UnmountVolume\"]"));
  CHECK(staged.is_mounted());
}

TEST_CASE("a refusal of the volume group is told, with its code") {
  const bool force = GENERATE(false, true);
  Staged staged;
  const StatusCode code =
      GENERATE(StatusCode::kFailedPrecondition, StatusCode::kAborted, StatusCode::kUnavailable,
               StatusCode::kDeadlineExceeded, StatusCode::kCancelled);
  CAPTURE(status_code_name(code));
  SECTION("to unmount") { staged.volumes.unmounted = answer(code, "somebody works in it"); }
  SECTION("to tell the volume") { staged.volumes.id = answer(code, "somebody works in it"); }
  const Result<void> removed = staged.remove(force);
  CHECK(outcome(removed) == status_code_name(code));
  CHECK_THAT(removed.error().message(),
             Catch::Contains("it is a mount point: somebody works in it"));
  CHECK(staged.is_mounted());
}

TEST_CASE("what was mounted meanwhile stays") {
  const bool force = GENERATE(false, true);
  Staged staged;
  staged.volumes.meanwhile = [&] { staged.world.fake().mount_volume(kPath, "PARTUUID=2"); };
  CHECK(outcome(staged.remove(force)) == "FAILED_PRECONDITION");
  CHECK(staged.is_mounted());
  CHECK(staged.volumes.asked.size() == 2);
}

TEST_CASE("what lay beneath a volume, or came there meanwhile, is not removed with it") {
  const bool force = GENERATE(false, true);
  Staged staged;
  staged.volumes.meanwhile = [&] { staged.world.put_file(std::string(kPath) + "/file"); };
  CHECK(outcome(staged.remove(force)) == "FAILED_PRECONDITION");
  CHECK(staged.world.inspect(std::string(kPath) + "/file") == EntryKind::kFile);
}

TEST_CASE("of two that remove a volume's directory neither fails because of the other") {
  const bool force = GENERATE(false, true);
  Staged staged;
  SECTION("the other has unmounted it") {
    staged.volumes.unmounted = answer(StatusCode::kFailedPrecondition, "it is not mounted");
    staged.volumes.meanwhile = [&] { staged.world.fake().unmount_volume(kPath); };
    CHECK(outcome(staged.remove(force)) == "OK");
    CHECK(staged.world.inspect(kPath) == EntryKind::kAbsent);
  }
  SECTION("the other has removed it") {
    staged.volumes.meanwhile = [&] {
      static_cast<void>(staged.world.service().remove_directory(kPath, true, {}));
    };
    CHECK(outcome(staged.remove(true)) == "OK");
  }
}

}  // namespace longshore::filesystem
