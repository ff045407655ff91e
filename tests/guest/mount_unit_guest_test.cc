// Mounts that systemd takes away again, since it has a unit for their path; also by the service,
// with what its unit and its AppArmor profile leave it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/guest/guest_agent.h"
#include "tests/guest/guest_volume.h"
#include "tests/guest/scsi_disk.h"
#include "tests/guest/service_world.h"
#include "tests/guest/systemctl.h"
#include "tests/support/eventually.h"
#include "tests/support/program_run.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

// A unit for what is mounted on a path, as a line of /etc/fstab makes one.
class MountUnit {
 public:
  // `lines`: more of it, from its part [Mount] on.
  MountUnit(const std::string& point, const std::string& what, const std::string& lines = "")
      : name_(name_for(point)) {
    write_file(path(), "[Mount]\nWhat=" + what + "\nWhere=" + point + "\n" + lines);
    REQUIRE(systemctl({"daemon-reload"}).exit_code == 0);
  }
  MountUnit(const MountUnit&) = delete;
  MountUnit& operator=(const MountUnit&) = delete;
  // No other unit has its path.
  ~MountUnit() {
    std::error_code ignored;
    fs::remove(path(), ignored);
  }

  const std::string& name() const { return name_; }
  std::string path() const { return "/run/systemd/system/" + name_; }
  void remove() const {
    std::error_code ignored;
    fs::remove(path(), ignored);
    systemctl({"daemon-reload"});
    systemctl({"reset-failed", name_});
  }

 private:
  static std::string name_for(const std::string& point) {
    std::string name =
        run_program({"/usr/bin/systemd-escape", "--path", "--suffix=mount", point}).output;
    REQUIRE(name.ends_with(".mount\n"));
    name.pop_back();
    return name;
  }

  const std::string name_;
};

}  // namespace

TEST_CASE("A volume that systemd unmounts for a unit of its path is an error that names the unit",
          "[thorough]") {
  InstalledAgent agent;
  const ScsiDisk disk;
  GuestVolume volume(agent, disk.number());
  volume.format();
  const std::string target = InstalledAgent::in_root("volume-1");
  fs::create_directories(target);
  const MountUnit unit(target, "/dev/gone", "[Unit]\nBindsTo=dev-gone.device\n");

  const auto mounted = volume.mount(target);
  CAPTURE(mounted->text());
  CHECK(mounted->code() == StatusCode::kFailedPrecondition);
  CHECK(mounted->text().find(unit.name()) != std::string::npos);
  CHECK(mounted->text().find("daemon-reload") != std::string::npos);

  unit.remove();
  REQUIRE(volume.mount(target)->code() == StatusCode::kOk);
  CHECK(volume.id_at(target) == volume.id());
  CHECK(volume.unmount(target)->code() == StatusCode::kOk);
}

TEST_CASE("A volume stays mounted where systemd's unit of its path is of this very volume") {
  GuestAgent agent;
  const ScsiDisk disk;
  GuestVolume volume(agent, disk.number());
  volume.format();
  const std::string target = make_target(agent, "volume");
  const MountUnit unit(target, disk.node() + "1");
  const auto mounted = volume.mount(target);
  CAPTURE(mounted->text());
  CHECK(mounted->code() == StatusCode::kOk);
  CHECK(eventually([&] { return unit_property(unit.name(), "ActiveState") == "active"; }));
  CHECK(volume.id_at(target) == volume.id());
  CHECK(volume.unmount(target)->code() == StatusCode::kOk);
}
