// Open-iscsi's database and its lock: what is read, written, taken over and cleaned up.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "iscsi/linux/database_lock.h"
#include "iscsi/linux/node_records.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"

namespace longshore::iscsi {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kTargetName = "iqn.2001-04.org.example:disks";
const Portal kPortal{"192.0.2.1", 3260};
constexpr const char* kPlain = "# BEGIN RECORD 2.1.8\nnode.startup = manual\n# END RECORD\n";

using test::read_file;

class Database {
 public:
  std::string path(const std::string& name) const { return directory_ / name; }
  std::string lock_folder() const { return directory_ / "lock"; }
  NodeRecords records() const { return {directory_.path(), lock_folder()}; }

  void add_portal(const std::string& name) const {
    fs::create_directories(directory_ / ("send_targets/" + name));
    test::write_file(directory_ / ("send_targets/" + name + "/st_config"), "");
  }
  std::string add_record(const std::string& portal, const std::string& text = kPlain) const {
    const std::string folder = directory_ / ("nodes/" + std::string(kTargetName) + "/" + portal);
    fs::create_directories(folder);
    test::write_file(folder + "/default", text);
    return folder + "/default";
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_CASE("known portals are those with a record, whatever else lies there") {
  const Database database;
  CHECK(database.records().portals().empty());
  for (const char* name : {"192.0.2.1,3260", "2001:db8::1,860", "storage.example,65535"}) {
    database.add_portal(name);
  }
  for (const char* name : {"192.0.2.9", "192.0.2.9,", "192.0.2.9,0", "192.0.2.9,65536",
                           "192.0.2.9,1,1", ",3260", "192.0.2.9,x"}) {
    database.add_portal(name);
  }
  fs::create_directories(database.path("send_targets/192.0.2.8,3260"));  // removed, links are left
  CHECK(database.records().portals() ==
        std::vector<Portal>{{"192.0.2.1", 3260}, {"2001:db8::1", 860}, {"storage.example", 65535}});
  CHECK(database.records().knows({"192.0.2.1", 3260}));
  CHECK_FALSE(database.records().knows({"192.0.2.1", 3261}));
  CHECK_FALSE(database.records().knows({"192.0.2.8", 3260}));
}

TEST_CASE("a target's record is found by one of the portal's addresses") {
  const Database database;
  const NodeRecords records = database.records();
  CHECK(records.find(kTargetName, {"192.0.2.1"}, 3260).empty());
  const std::string path = database.add_record("192.0.2.1,3260,12");
  const auto found = records.find(kTargetName, {"storage", "192.0.2.1"}, 3260);
  REQUIRE(found.size() == 1);
  CHECK(found[0].path == path);
  CHECK(found[0].portal == kPortal);
  CHECK(records.find(kTargetName, {"storage"}, 3260).empty());
  CHECK(records.find(kTargetName, {"192.0.2.1"}, 3261).empty());
  CHECK(records.find("iqn.2001-04.org.example:others", {"192.0.2.1"}, 3260).empty());
  database.add_record("192.0.2.2,3260,12");
  CHECK(records.find(kTargetName, {"192.0.2.1", "192.0.2.2"}, 3260).size() == 2);
  fs::remove(path);
  CHECK(records.find(kTargetName, {"192.0.2.1"}, 3260).empty());
}

TEST_CASE("records tell through which portal their targets were connected last") {
  const Database database;
  const NodeRecords records = database.records();
  const Portal name{"storage.example", 3260};
  const NodeRecord first{kPortal, database.add_record("192.0.2.1,3260,1")};
  const NodeRecord second{{"192.0.2.2", 3260}, database.add_record("192.0.2.2,3260,2")};
  using Addresses = std::vector<std::string>;
  CHECK(records.addresses_through(name, kTargetName).empty());
  REQUIRE(records.write(first, name, {}, false));
  CHECK(records.addresses_through(name, kTargetName) == Addresses{"192.0.2.1"});
  CHECK(records.addresses_through({"storage.example", 860}, kTargetName).empty());
  CHECK(records.addresses_through({"storage.example.org", 3260}, kTargetName).empty());
  CHECK(records.addresses_through(name, "iqn.2001-04.org.example:others").empty());
  REQUIRE(records.write(second, name, {}, true));
  CHECK(records.addresses_through(name, kTargetName).size() == 2);
  REQUIRE(records.write(first, kPortal, {}, false));
  CHECK(records.addresses_through(name, kTargetName) == Addresses{"192.0.2.2"});
  REQUIRE(records.forget_secrets(second, {}));
  CHECK(records.addresses_through(name, kTargetName) == Addresses{"192.0.2.2"});
}

TEST_CASE("a record with secrets is for root alone, and has none when they are forgotten") {
  const Database database;
  const NodeRecord record{kPortal, database.add_record("192.0.2.1,3260,1")};
  REQUIRE(::chmod(record.path.c_str(), 0644) == 0);
  const std::vector<RecordSetting> settings = {{"node.session.auth.password", "node-secret-1"},
                                               {"node.session.auth.password_in", "other-secret"},
                                               {"node.session.auth.username", "node"}};
  REQUIRE(database.records().write(record, kPortal, settings, true));
  CHECK_THAT(read_file(record.path), Catch::Contains("password = node-secret-1\n"));
  struct stat status {};
  REQUIRE(::stat(record.path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);

  REQUIRE(database.records().forget_secrets(record, {}));
  CHECK(read_file(record.path) ==
        "# Longshore: connected through 192.0.2.1:3260\n"
        "# BEGIN RECORD 2.1.8\nnode.startup = manual\n"
        "node.session.auth.username = node\n# END RECORD\n");
  REQUIRE(database.records().forget_secrets(record, {}));
  CHECK(fs::is_empty(database.lock_folder()) == false);
  CHECK_FALSE(fs::exists(database.lock_folder() + "/lock.write"));
}

TEST_CASE("secrets that are somebody else's stay") {
  const Database database;
  const std::string text = "node.session.auth.password = of-the-administrator\n";
  const NodeRecord record{kPortal, database.add_record("192.0.2.1,3260,1", text)};
  REQUIRE(database.records().forget_secrets(record, {}));
  REQUIRE(database.records().remove_leftovers());
  CHECK(read_file(record.path) == text);
}

TEST_CASE("a record that is gone has no secrets, and cannot be written") {
  const Database database;
  const NodeRecord record{kPortal, database.path("nodes/none/default")};
  CHECK(database.records().forget_secrets(record, {}));
  CHECK_FALSE(database.records().write(record, kPortal, {{"a", "1"}}, false));
  CHECK_FALSE(fs::exists(database.path(".longshore-record")));
}

TEST_CASE("records that are not whole are removed, at the addresses that are asked for") {
  const Database database;
  const std::string begin = "# BEGIN RECORD 2.1.8\nnode.name = " + std::string(kTargetName) + "\n";
  const std::string whole =
      database.add_record("192.0.2.1,3260,1", begin + "node.conn[0].address = 192.0.2.1\n");
  const std::string broken = database.add_record("192.0.2.2,3260,1", begin);
  const std::string elsewhere = database.add_record("192.0.2.3,3260,1", "");
  const NodeRecords records = database.records();
  REQUIRE(records.remove_broken(kTargetName, {"192.0.2.1"}, 3260));
  CHECK_FALSE(fs::exists(database.lock_folder()));
  REQUIRE(records.remove_broken(kTargetName, {"192.0.2.1", "192.0.2.2"}, 3260));
  CHECK(fs::exists(whole));
  CHECK_FALSE(fs::exists(broken));
  CHECK(fs::exists(elsewhere));
  CHECK_FALSE(fs::exists(database.lock_folder() + "/lock.write"));
  CHECK(records.remove_broken("iqn.2001-04.org.example:none", {"192.0.2.1"}, 3260));
}

TEST_CASE("a broken record is not removed while another holds the lock") {
  const Database database;
  const std::string broken = database.add_record("192.0.2.1,3260,1", "");
  const auto lock = DatabaseLock::take(database.lock_folder(), 0ms);
  REQUIRE(lock);
  const NodeRecords records(database.path(""), database.lock_folder(), 0ms);
  const Result<void> refused = records.remove_broken(kTargetName, {"192.0.2.1"}, 3260);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kUnavailable);
  CHECK(fs::exists(broken));
}

TEST_CASE("what a killed agent left is removed: secrets, half a record, the lock") {
  const Database database;
  const NodeRecord record{kPortal, database.add_record("192.0.2.1,3260,1")};
  REQUIRE(database.records().write(record, kPortal,
                                   {{"node.session.auth.password", "node-secret-1"}}, true));
  test::write_file(database.path(".longshore-record"), "node.session.auth.password = half-a");
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = DatabaseLock::take(database.lock_folder(), 0ms);
    ::_exit(lock ? 0 : 1);  // as a kill ends it: no destructor
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  REQUIRE(fs::exists(database.lock_folder() + "/lock.write"));

  REQUIRE(database.records().remove_leftovers());
  CHECK(read_file(record.path) ==
        "# Longshore: connected through 192.0.2.1:3260\n" + std::string(kPlain));
  CHECK_FALSE(fs::exists(database.path(".longshore-record")));
  CHECK_FALSE(fs::exists(database.lock_folder() + "/lock.write"));
}

TEST_CASE("where there is no database nothing is made to clean it") {
  const Database database;
  CHECK(database.records().remove_leftovers());
  CHECK_FALSE(fs::exists(database.lock_folder()));
}

TEST_CASE("where nothing is left, another's lock is neither waited for nor touched") {
  const Database database;
  database.add_record("192.0.2.1,3260,1");
  fs::create_directories(database.lock_folder());
  test::write_file(database.lock_folder() + "/lock.write", "");
  const NodeRecords records(database.path(""), database.lock_folder(), 0ms);
  REQUIRE(records.remove_leftovers());
  CHECK(fs::exists(database.lock_folder() + "/lock.write"));
  REQUIRE(records.free_lock());
  CHECK_FALSE(fs::exists(database.lock_folder() + "/lock.write"));
}

TEST_CASE("the database is where records are, whatever folders there are besides") {
  const Database database;
  const std::vector<std::string> places = {database.path("first"), database.path("second")};
  const auto place = [&] { return NodeRecords::place_of_database(places); };
  CHECK(place() == places[1]);
  fs::create_directory(places[0]);
  CHECK(place() == places[0]);
  fs::create_directories(places[1] + "/send_targets");
  CHECK(place() == places[1]);
  fs::create_directories(places[0] + "/nodes");
  CHECK(place() == places[0]);
}

TEST_CASE("a portal is known by whatever spelling of its address others have used") {
  const Database database;
  database.add_portal("2001:DB8:0::1,3260");
  const std::vector<Portal> once = {{"2001:db8::1", 3260}};
  CHECK(database.records().portals() == once);
  CHECK(database.records().knows(once[0]));
  database.add_portal("2001:db8::1,3260");
  CHECK(database.records().portals() == once);
}

}  // namespace
}  // namespace longshore::iscsi
