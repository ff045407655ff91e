// The kernel's sessions, read from a sysfs of files.
#include "iscsi/linux/iscsi_sessions.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/temporary_directory.h"

namespace longshore::iscsi {
namespace {

namespace fs = std::filesystem;

class Sysfs {
 public:
  IscsiSessions sessions() const { return IscsiSessions(directory_.path()); }

  void write(const std::string& name, const std::string& text) const {
    const fs::path path = directory_.path() / name;
    fs::create_directories(path.parent_path());
    test::write_file(path, text);
  }
  void make(const std::string& name) const { fs::create_directories(directory_.path() / name); }

  void add(int number, const std::string& address, const std::string& port,
           const std::string& state = "LOGGED_IN") const {
    const std::string text = std::to_string(number);
    const std::string session = "class/iscsi_session/session" + text + "/";
    const std::string connection = "class/iscsi_connection/connection" + text + ":0/";
    write(session + "targetname", "iqn.2001-04.org.example:disks\n");
    write(session + "state", state + "\n");
    write(connection + "persistent_address", address + "\n");
    write(connection + "persistent_port", port + "\n");
  }
  // A unit of the session, and the disk that was made of it, if any.
  void add_unit(int number, const std::string& unit, const std::string& type,
                const std::string& disk = {}) const {
    const std::string path = "class/iscsi_session/session" + std::to_string(number) +
                             "/device/target0:0:0/" + unit + "/";
    write(path + "type", type + "\n");
    if (disk.empty()) return;
    make(path + "block/" + disk);
    fs::create_symlink("../bdi/8:0", directory_.path() / (path + "block/" + disk + "/bdi"));
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_CASE("sessions have their target, their portal and their state") {
  const Sysfs sysfs;
  CHECK(sysfs.sessions().all().empty());
  sysfs.add(10, "192.0.2.1", "3260");
  sysfs.add(9, "2001:0db8::0001", "860", "FAILED");
  const std::vector<Session> all = sysfs.sessions().all();
  REQUIRE(all.size() == 2);
  CHECK(all[0].number == 9);
  CHECK(all[0].portal == Portal{"2001:db8::1", 860});
  CHECK_FALSE(all[0].is_logged_in);
  CHECK(all[1].number == 10);
  CHECK(all[1].portal == Portal{"192.0.2.1", 3260});
  CHECK(all[1].target == "iqn.2001-04.org.example:disks");
  CHECK(all[1].is_logged_in);
}

TEST_CASE("sessions of which nothing can be read are left out") {
  const Sysfs sysfs;
  sysfs.make("class/iscsi_session/session1");
  sysfs.make("class/iscsi_session/sessions");
  sysfs.make("class/iscsi_session/session-1");
  sysfs.write("class/iscsi_session/session2/targetname", "iqn.2001-04.org.example:disks\n");
  for (const auto& [number, port] : {std::pair{3, ""}, {4, "0"}, {5, "65536"}, {6, "x"}}) {
    sysfs.add(number, "192.0.2.1", port);
  }
  sysfs.add(7, "192.0.2.1", "3260");
  sysfs.write("class/iscsi_session/session7/targetname", "\n");
  CHECK(sysfs.sessions().all().empty());
}

TEST_CASE("a session's disks are those of its units that are disks") {
  const Sysfs sysfs;
  sysfs.add(1, "192.0.2.1", "3260");
  sysfs.add(2, "192.0.2.1", "3260");
  sysfs.add_unit(1, "0:0:0:0", "0", "sda");
  sysfs.add_unit(1, "0:0:0:1", "20", "sdb");
  sysfs.add_unit(1, "0:0:0:2", "5", "sr0");
  sysfs.add_unit(1, "0:0:0:3", "12");  // an enclosure
  sysfs.add_unit(2, "0:0:0:0", "0", "sdc");
  const std::vector<Session> all = sysfs.sessions().all();
  REQUIRE(all.size() == 2);
  const SessionUnits units = sysfs.sessions().units_of(all[0]);
  CHECK(units.disks == std::vector<std::string>{"sda", "sdb"});
  CHECK_FALSE(units.has_unmade_disks);
  sysfs.add_unit(1, "0:0:0:4", "0");
  CHECK(sysfs.sessions().units_of(all[0]).has_unmade_disks);
}

TEST_CASE("a disk that cannot be opened yet is unmade") {
  const Sysfs sysfs;
  sysfs.add(1, "192.0.2.1", "3260");
  sysfs.add_unit(1, "0:0:0:0", "0", "sda");
  sysfs.add_unit(1, "0:0:0:1", "0");
  sysfs.make("class/iscsi_session/session1/device/target0:0:0/0:0:0:1/block/sdb");
  const SessionUnits units = sysfs.sessions().units_of(sysfs.sessions().all().at(0));
  CHECK(units.disks == std::vector<std::string>{"sda"});
  CHECK(units.has_unmade_disks);
}

TEST_CASE("the kernel's transport is seen") {
  const Sysfs sysfs;
  CHECK_FALSE(sysfs.sessions().has_tcp());
  sysfs.make("class/iscsi_transport/tcp");
  CHECK(sysfs.sessions().has_tcp());
}

}  // namespace
}  // namespace longshore::iscsi
