// Mount points on a Windows that is made up: what its suite does not ask, and races.
#include <catch2/catch.hpp>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/file_error.h"
#include "support/windows/reparse_point.h"
#include "tests/support/windows/fake_node.h"
#include "tests/support/windows/reparse_bytes.h"
#include "tests/unit/volume/suite_calls.h"

namespace longshore::volume {
namespace {

using support::windows_error;

struct Mounting {
  WindowsWorld world{Setup{.disks = 2}};
  Calls<WindowsWorld> calls{world};
  std::string target = world.at("target");
  std::vector<std::string> warnings;
  support::WarningLog log{[this](std::string_view text) { warnings.emplace_back(text); }};
};

TEST_CASE("ids are told as Windows writes them, and taken in any case") {
  Mounting mounting;
  const std::string id = mounting.calls.mounted(mounting.target);
  CHECK_THAT(id, Catch::StartsWith("\\\\?\\Volume{") && Catch::EndsWith("}\\"));
  std::string upper = id;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  CHECK(mounting.calls.mount(upper, mounting.target) == "OK");
  CHECK(*mounting.calls.service.disk_number_of(upper) == mounting.world.number());
  CHECK(mounting.calls.unmount(upper, mounting.target) == "OK");
}

TEST_CASE("a target without a drive, as kubelet sends it, is the one on the system's drive") {
  Mounting mounting;
  const std::string id = mounting.calls.formatted();
  mounting.world.put_directory(mounting.target);
  const std::string without_drive = mounting.target.substr(2);
  REQUIRE(without_drive.starts_with("\\var\\"));
  CHECK(mounting.calls.mount(id, without_drive) == "OK");
  CHECK(mounting.calls.mount(id, mounting.target) == "OK");
  CHECK(*mounting.calls.service.id_of_mount_point(without_drive) == id);
  CHECK(*mounting.calls.service.closest_id(without_drive) == id);
  CHECK(mounting.calls.mount(id, "\\outside") == "PERMISSION_DENIED");
  CHECK(mounting.calls.mount(id, "\\\\?\\" + mounting.target) == "INVALID_ARGUMENT");
  CHECK(mounting.calls.unmount(id, without_drive) == "OK");
  CHECK_FALSE(mounting.world.files().inspect(mounting.target)->point);
}

TEST_CASE("the mount point has the volume's name, as SetVolumeMountPoint writes it") {
  Mounting mounting;
  const std::string id = mounting.calls.mounted(mounting.target);
  const auto found = mounting.world.files().inspect(mounting.target);
  REQUIRE((found && found->point));
  CHECK(found->point->kind == support::ReparseKind::kVolumeMountPoint);
  CHECK(narrow(found->point->target) == id);
  // Two names, of which the one for people is empty.
  const std::wstring substitute = L"\\??\\" + wide(id.substr(4));
  CHECK(support::encode_mount_point(wide(id)) ==
        test::reparse_bytes({.tag = test::kMountPointTag, .name = substitute, .shown = L""}));
}

TEST_CASE("who mounts the same volume at the same time is not in the way") {
  Mounting mounting;
  const std::string id = mounting.calls.formatted();
  mounting.world.put_directory(mounting.target);
  bool is_second = true;
  mounting.world.files().before = [&](const std::string& call, const std::string&) {
    if (call != "attach_volume" || !std::exchange(is_second, false)) return std::error_code();
    mounting.world.files().mount(id, mounting.target);
    return windows_error(ERROR_DIR_NOT_EMPTY);
  };
  CHECK(mounting.calls.mount(id, mounting.target) == "OK");
}

TEST_CASE("who puts something there at the same time is") {
  Mounting mounting;
  const std::string id = mounting.calls.formatted();
  const std::string other = mounting.calls.formatted(1);
  mounting.world.put_directory(mounting.target);
  SECTION("another volume") {
    mounting.world.files().before = [&](const std::string& call, const std::string&) {
      if (call != "attach_volume") return std::error_code();
      mounting.world.files().mount(other, mounting.target);
      return windows_error(ERROR_DIR_NOT_EMPTY);
    };
  }
  SECTION("a file") {
    mounting.world.files().before = [&](const std::string& call, const std::string&) {
      return call == "attach_volume" ? windows_error(ERROR_DIR_NOT_EMPTY) : std::error_code();
    };
  }
  CHECK(mounting.calls.mount(id, mounting.target) == "FAILED_PRECONDITION");
}

TEST_CASE("a mount that Windows says it made and does not show is an error") {
  Mounting mounting;
  const std::string id = mounting.calls.formatted();
  mounting.world.put_directory(mounting.target);
  mounting.world.files().before = [&](const std::string& call, const std::string& path) {
    // The directory is another one by then.
    if (call == "attach_volume") {
      mounting.world.files().move(path, mounting.world.at("moved"));
      mounting.world.files().put_directory(mounting.target);
    }
    return std::error_code();
  };
  CHECK(mounting.calls.mount(id, mounting.target) == "INTERNAL");
}

TEST_CASE("what Windows refuses is told") {
  Mounting mounting;
  const std::string id = mounting.calls.mounted(mounting.target);
  const auto fail = [&](const std::string& which, DWORD code) {
    mounting.world.files().before = [=](const std::string& call, const std::string&) {
      return call == which ? windows_error(code) : std::error_code();
    };
  };
  fail("detach_volume", ERROR_ACCESS_DENIED);
  CHECK(mounting.calls.unmount(id, mounting.target) == "PERMISSION_DENIED");
  fail("read_reparse_data", ERROR_ACCESS_DENIED);
  CHECK(mounting.calls.unmount(id, mounting.target) == "PERMISSION_DENIED");
  mounting.world.files().before = nullptr;
  CHECK(mounting.calls.unmount(id, mounting.target) == "OK");
  fail("attach_volume", ERROR_NOT_SUPPORTED);
  CHECK(mounting.calls.mount(id, mounting.target) == "UNIMPLEMENTED");
  fail("list", ERROR_ACCESS_DENIED);
  CHECK(mounting.calls.mount(id, mounting.target) == "PERMISSION_DENIED");
}

TEST_CASE("what is unwritten is written before a mount point goes, as far as that is possible") {
  Mounting mounting;
  const std::string id = mounting.calls.mounted(mounting.target);
  test::NtfsFake& files = mounting.world.files();
  SECTION("once") {
    CHECK(mounting.calls.unmount(id, mounting.target) == "OK");
    CHECK(files.flushes(id) == 1);
    CHECK(mounting.calls.unmount(id, mounting.target) == "OK");  // nothing is there any more
    CHECK(files.flushes(id) == 1);
  }
  SECTION("a disk that takes nothing keeps no mount point") {
    files.before = [](const std::string& call, const std::string&) {
      return call == "flush_volume" ? windows_error(ERROR_IO_DEVICE) : std::error_code();
    };
    CHECK(outcome(mounting.calls.service.unmount(id, mounting.target, {}, "test", mounting.log)) ==
          "OK");
    CHECK_FALSE(files.inspect(mounting.target)->point);
    REQUIRE(mounting.warnings.size() == 1);
    CHECK_THAT(mounting.warnings.front(),
               Catch::Contains(id) && Catch::Contains("not all") && Catch::Contains("written"));
  }
  SECTION("of one that is read-only nothing is unwritten") {
    files.before = [](const std::string& call, const std::string&) {
      return call == "flush_volume" ? windows_error(ERROR_WRITE_PROTECT) : std::error_code();
    };
    CHECK(outcome(mounting.calls.service.unmount(id, mounting.target, {}, "test", mounting.log)) ==
          "OK");
    CHECK(mounting.warnings.empty());
  }
  SECTION("not where it does not go") {
    const std::string other = mounting.calls.formatted(1);
    CHECK(mounting.calls.unmount(other, mounting.target) == "FAILED_PRECONDITION");
    CHECK(files.flushes(id) == 0);
  }
}

TEST_CASE("a volume that is marked dirty is mounted, with a warning") {
  Mounting mounting;
  const std::string id = mounting.calls.formatted();
  mounting.world.put_directory(mounting.target);
  bool is_told = false;
  SECTION("dirty") {
    mounting.world.node().volume(mounting.world.number()).is_dirty = true;
    is_told = true;
  }
  SECTION("clean") {}
  SECTION("an answer that is cut short, or none") {
    mounting.world.node().volume(mounting.world.number()).is_dirty = true;
    const auto error = GENERATE(std::error_code(), test::windows_code(ERROR_INVALID_FUNCTION));
    mounting.world.node().answer_instead =
        [=](const std::wstring&, uint32_t code) -> std::optional<test::FakeNode::Answer> {
      if (code != FSCTL_IS_VOLUME_DIRTY) return std::nullopt;
      return test::FakeNode::Answer{error, "\1"};
    };
  }
  const auto mount = [&] {
    return outcome(mounting.calls.service.mount(id, mounting.target, {}, "test", mounting.log));
  };
  CHECK(mount() == "OK");
  REQUIRE(mounting.warnings.size() == (is_told ? 1 : 0));
  if (is_told) {
    CHECK_THAT(mounting.warnings.front(),
               Catch::Contains(id) && Catch::Contains("marked dirty") && Catch::Contains("chkdsk"));
  }
  // What is mounted there already was told then.
  CHECK(mount() == "OK");
  CHECK(mounting.warnings.size() == (is_told ? 1 : 0));
}

TEST_CASE("links and junctions are no mount points, whatever the bits of their tags") {
  Mounting mounting;
  const std::string id = mounting.calls.formatted();
  mounting.world.put_directory(mounting.world.at("plain"));
  mounting.world.files().put_symbolic_link(mounting.world.at("plain"), mounting.world.at("link"));
  mounting.world.files().put_junction(mounting.world.at("plain"), mounting.world.at("junction"));
  for (const char* name : {"link", "junction"}) {
    CAPTURE(name);
    const auto told = mounting.calls.service.id_of_mount_point(mounting.world.at(name));
    REQUIRE_FALSE(told);
    CHECK_THAT(told.error().message(), Catch::Contains("not a mounted folder"));
    CHECK(mounting.calls.unmount(id, mounting.world.at(name)) == "FAILED_PRECONDITION");
    CHECK(mounting.calls.mount(id, mounting.world.at(name)) == "FAILED_PRECONDITION");
  }
}

TEST_CASE("a circle of links and more links than can be followed end") {
  Mounting mounting;
  mounting.world.put_directory(mounting.world.at("end"));
  std::string before = mounting.world.at("end");
  const int links = GENERATE(256, 257);
  for (int i = 0; i < links; ++i) {
    const std::string link = mounting.world.at("link" + std::to_string(i));
    mounting.world.files().put_symbolic_link(before, link);
    before = link;
  }
  const auto told = mounting.calls.service.closest_id(before);
  CHECK(outcome(told) == (links == 256 ? "OK" : "FAILED_PRECONDITION"));
}

TEST_CASE("a path on the drive lies on the drive's volume") {
  Mounting mounting;
  mounting.world.put_directory(mounting.world.at("plain"));
  const std::string system = narrow(mounting.world.node().volume_name(WindowsWorld::kSystemDisk));
  CHECK(answer(mounting.calls.service.closest_id(mounting.world.at("plain"))) == system);
  // Its volume is not one to format.
  CHECK(mounting.calls.format(system) == "FAILED_PRECONDITION");
}

TEST_CASE("what only looks like a mount point leads nowhere") {
  Mounting mounting;
  const std::string id = mounting.calls.formatted();
  mounting.world.files().mount(id, "C:\\outside\\elsewhere");
  // Anybody may make a junction to a volume that is mounted out of the roots.
  mounting.world.files().put_mount_point(id, mounting.target);
  CHECK(answer(mounting.calls.service.closest_id(mounting.target)) == "PERMISSION_DENIED");
  CHECK(answer(mounting.calls.service.id_of_mount_point(mounting.target)) == "PERMISSION_DENIED");
}

TEST_CASE("a formatted volume is formatted again only as long as nobody can have used it") {
  Mounting mounting;
  const std::string id = mounting.calls.formatted();
  SECTION("another filesystem has been made since") {
    mounting.world.node().volume(mounting.world.number()).serial_number = 4711;
    CHECK(mounting.calls.format(id) == "FAILED_PRECONDITION");
  }
  SECTION("it is mounted on a directory") {
    mounting.world.node().volume(mounting.world.number()).paths = {L"C:\\elsewhere\\"};
    CHECK(mounting.calls.format(id) == "FAILED_PRECONDITION");
  }
  SECTION("it has a letter") {
    mounting.world.node().volume(mounting.world.number()).paths = {L"E:\\"};
    CHECK(mounting.calls.format(id) == "OK");
  }
}

TEST_CASE("a format that ended without its caller is found again") {
  Mounting mounting;
  const std::string id = mounting.calls.volume();
  mounting.world.node().method_instead = Error(StatusCode::kDeadlineExceeded, "format");
  CHECK(mounting.calls.format(id) == "DEADLINE_EXCEEDED");
  // It went on, and nobody was there to record its number.
  mounting.world.node().method_instead.reset();
  test::FakeVolume& volume = mounting.world.node().volume(mounting.world.number());
  volume.filesystem = "NTFS";
  volume.filesystem_bytes = 100 * kMebibyte;
  CHECK(mounting.calls.format(id) == "OK");
  CHECK(answer(mounting.calls.service.is_formatted(id)) == "true");
}

TEST_CASE("what WMI does not do is told") {
  Mounting mounting;
  const std::string id = mounting.calls.volume();
  mounting.world.node().method_instead = support::WmiObject{{"ReturnValue", int64_t{41002}}};
  const auto refused = mounting.calls.service.format(id, {}, "test");
  CHECK(outcome(refused) == "FAILED_PRECONDITION");
  CHECK_THAT(refused.error().message(),
             Catch::Contains("MSFT_Volume.Format returned 41002: the disk is read-only"));
  mounting.world.node().method_instead = support::WmiObject{{"ReturnValue", int64_t{0}}};
  CHECK(mounting.calls.format(id) == "INTERNAL");  // there is none
}

}  // namespace
}  // namespace longshore::volume
