// What servers do to the nodes that have mapped their shares: stand still, start anew, change
// passwords, take shares away, want encryption, let guests in. See smb_guest_test.cc.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <iostream>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/guest/mounted_shares.h"
#include "tests/guest/smb_guest_node.h"
#include "tests/support/eventually.h"
#include "tests/support/program_run.h"
#include "tests/support/read_file.h"

namespace longshore::smb {
namespace {

using namespace std::chrono_literals;
using Catch::Contains;
using Catch::StartsWith;
using test::eventually;
using test::FileServer;
using test::mounted_shares;
using test::read_file;

// Short, for a server that stands still.
const GuestBackend kImpatient{.times = {.probe = 1s, .mount = 3s}};

bool is_skipped_without_samba(const char* why) {
  if (FileServer::is_samba()) return false;
  std::cout << "SKIPPED: " << why << '\n';
  return true;
}

// What the call answers, and that it takes no longer.
template <typename Call>
std::string within(std::chrono::seconds time, const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  std::string answer = call();
  const auto taken = std::chrono::steady_clock::now() - start;
  CHECK(std::chrono::duration_cast<std::chrono::milliseconds>(taken).count() <=
        std::chrono::milliseconds(time).count());
  return answer;
}

void start_anew(FileServer& server, const FileServer::Settings& settings = {}) {
  server.stop();
  server.start(settings);
}

}  // namespace

TEST_CASE("a server that stands still holds no call for long, and is used again when it goes on") {
  if (is_skipped_without_samba("ksmbd is the kernel's own and cannot stand still")) return;
  Node node(kImpatient);
  const std::string share = node.world.share();
  const std::string local = node.world.local("volume");
  REQUIRE(node.map(share, local) == "OK");
  node.world.server().freeze();
  CHECK_THAT(within(8s, [&] { return node.map(share, local); }), StartsWith("UNAVAILABLE"));
  // What the first has begun still hangs, and nobody waits for it again.
  CHECK_THAT(within(2s, [&] { return node.map(share, local); }), StartsWith("UNAVAILABLE"));
  // Another share, on the same connection.
  CHECK_THAT(within(6s, [&] { return node.map(share + "1", ""); }), StartsWith("UNAVAILABLE"));
  CHECK(mounted_shares().size() == 1);
  node.world.server().thaw();
  CHECK(eventually([&] { return node.map(share, local) == "OK"; }));
  CHECK(node.world.leads_to(local, ""));
  CHECK(eventually([&] { return node.map(share + "1", "") == "OK"; }));
  CHECK(mounted_shares().size() == 2);
  CHECK(node.unmap(share) == "OK");
  CHECK(node.unmap(share + "1") == "OK");
  CHECK(mounted_shares().empty());
}

TEST_CASE("what is mapped can be taken away while the server stands still") {
  if (is_skipped_without_samba("ksmbd is the kernel's own and cannot stand still")) return;
  Node node(kImpatient);
  const std::string local = node.world.local("volume");
  REQUIRE(node.map(node.world.share(), local) == "OK");
  node.world.server().freeze();
  CHECK(within(8s, [&] { return node.unmap(node.world.share()); }) == "OK");
  CHECK(node.world.is_absent(local));
  CHECK(mounted_shares().empty());
  node.world.server().thaw();
  CHECK(eventually([&] { return node.map(node.world.share(), local) == "OK"; }));
  CHECK(node.unmap(node.world.share()) == "OK");
}

TEST_CASE("who waits for a server that stands still can be killed") {
  if (is_skipped_without_samba("ksmbd is the kernel's own and cannot stand still")) return;
  Node node(kImpatient);
  const std::string local = node.world.local("volume");
  REQUIRE(node.map(node.world.share(), local) == "OK");
  node.world.server().freeze();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(std::filesystem::exists(local + "/never-asked-for") ? 0 : 1);
  REQUIRE(child > 0);
  CHECK_THAT(node.map(node.world.share(), local), StartsWith("UNAVAILABLE"));
  int status = 0;
  CHECK(::waitpid(child, &status, WNOHANG) == 0);
  REQUIRE(::kill(child, SIGKILL) == 0);
  CHECK(eventually([&] { return ::waitpid(child, &status, WNOHANG) == child; }));
  CHECK(WIFSIGNALED(status));
  node.world.server().thaw();
  CHECK(eventually([&] { return node.map(node.world.share(), local) == "OK"; }));
  CHECK(node.unmap(node.world.share()) == "OK");
}

TEST_CASE("a password that is changed at the server counts from the next connection on") {
  Node node;
  const std::string share = node.world.share();
  const std::string local = node.world.local("volume");
  REQUIRE(node.map(share, local) == "OK");
  node.world.set_password("N3w,one");
  CHECK(node.world.leads_to(local, ""));
  start_anew(node.world.server());
  CHECK_THAT(node.map_as(FileServer::kUser, FileServer::kFirstPassword, share, local),
             StartsWith("PERMISSION_DENIED"));
  CHECK(mounted_shares().size() == 1);
  CHECK(node.map(share, local) == "OK");
  CHECK(node.world.leads_to(local, ""));
  CHECK(mounted_shares().size() == 1);
  CHECK(node.unmap(share) == "OK");
  CHECK(mounted_shares().empty());
}

TEST_CASE("a share that the user may use since his first mapping only is mapped") {
  if (is_skipped_without_samba("ksmbd asks for no groups")) return;
  const std::string user = FileServer::kUser;
  REQUIRE(test::run_program({"/usr/sbin/groupadd", "--force", "late"}).exit_code == 0);
  test::run_program({"/usr/sbin/usermod", "--groups", "", user});
  std::filesystem::create_directories("/srv/late");
  std::filesystem::permissions("/srv/late", std::filesystem::perms::all);
  Node node;
  start_anew(node.world.server(), {.lines = {"[late]", "path = /srv/late", "valid users = @late"}});
  const std::string late = "//127.0.0.1/late";
  const std::string local = node.world.local("volume");
  REQUIRE(node.map(node.world.share(), "") == "OK");
  CHECK_THAT(node.map(late, local), StartsWith("PERMISSION_DENIED"));
  CHECK(mounted_shares().size() == 1);
  REQUIRE(test::run_program({"/usr/sbin/usermod", "--groups", "late", user}).exit_code == 0);
  for (int round = 0; round < 2; ++round) {
    CAPTURE(round);
    CHECK(node.map(late, local) == "OK");
    CHECK(std::filesystem::is_directory(local));
    CHECK(mounted_shares().size() == 2);
  }
  CHECK(node.unmap(late) == "OK");
  CHECK(node.unmap(node.world.share()) == "OK");
  CHECK(mounted_shares().empty());
}

TEST_CASE("who has a file open goes on with it when the server is started anew") {
  Node node;
  const std::string local = node.world.local("volume");
  REQUIRE(node.map(node.world.share(), local) == "OK");
  const FileDescriptor file(::open((local + "/kept").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  REQUIRE(::pwrite(file.get(), "before ", 7, 0) == 7);
  REQUIRE(::fsync(file.get()) == 0);
  start_anew(node.world.server());
  CHECK(node.map(node.world.share(), local) == "OK");
  // The first ones may still be told of the lost connection.
  CHECK(eventually(
      [&] { return ::pwrite(file.get(), "after", 5, 7) == 5 && ::fsync(file.get()) == 0; }));
  CHECK(read_file("/srv/share/kept") == "before after");
  CHECK(node.unmap(node.world.share()) == "OK");
}

TEST_CASE("a share that the server takes away while it is mapped is not found, until it is back") {
  if (is_skipped_without_samba("ksmbd says of no share that it is not there")) return;
  Node node;
  const std::string share = node.world.share() + "1";
  const std::string local = node.world.local("volume");
  REQUIRE(node.map(share, local) == "OK");
  start_anew(node.world.server(), {.without = "share1"});
  CHECK_THAT(node.map(share, local), StartsWith("NOT_FOUND"));
  CHECK(node.map(node.world.share(), "") == "OK");
  start_anew(node.world.server());
  CHECK(node.map(share, local) == "OK");
  start_anew(node.world.server(), {.without = "share1"});
  CHECK(node.unmap(share) == "OK");
  CHECK(node.world.is_absent(local));
  CHECK(node.unmap(node.world.share()) == "OK");
  CHECK(mounted_shares().empty());
}

TEST_CASE("a server that wants encryption gets it, whether the node wants it or not") {
  if (is_skipped_without_samba("ksmbd has no such setting for a part of its clients")) return;
  const std::string setting = GENERATE("server smb encrypt = required",
                                       "[share]\npath = /srv/share\nsmb encrypt = required");
  CAPTURE(setting);
  FileServer server;
  start_anew(server, {.lines = {setting}});
  for (const bool require_privacy : {true, false}) {
    CAPTURE(require_privacy);
    Node node({.require_privacy = require_privacy});
    const std::string local = node.world.local("volume");
    CHECK(node.map(node.world.share(), local) == "OK");
    CHECK(node.world.leads_to(local, ""));
    CHECK(node.unmap(node.world.share()) == "OK");
  }
}

TEST_CASE("a version of SMB without encryption is refused by a server that wants encryption") {
  if (is_skipped_without_samba("ksmbd has no such setting for a part of its clients")) return;
  Node node({.require_privacy = false, .mount_options = {"vers=2.1"}});
  REQUIRE(node.map(node.world.share(), "") == "OK");
  REQUIRE(node.unmap(node.world.share()) == "OK");
  start_anew(node.world.server(), {.lines = {"server smb encrypt = required"}});
  CHECK_THAT(node.map(node.world.share(), ""), StartsWith("PERMISSION_DENIED"));
  CHECK(mounted_shares().empty());
}

TEST_CASE("a server without encryption is refused by a node that wants it") {
  if (is_skipped_without_samba("ksmbd has no such setting for a part of its clients")) return;
  FileServer server;
  start_anew(server, {.lines = {"server smb encrypt = off"}});
  {
    Node node;
    CHECK_THAT(node.map(node.world.share(), ""),
               StartsWith("FAILED_PRECONDITION") && Contains("encryption"));
    CHECK(mounted_shares().empty());
  }
  Node node({.require_privacy = false});
  CHECK(node.map(node.world.share(), "") == "OK");
  CHECK(node.unmap(node.world.share()) == "OK");
}

TEST_CASE("a guest is refused, and who asks without a name is told so") {
  if (is_skipped_without_samba("ksmbd ends the connection of a client without a name")) return;
  Node node({.require_privacy = false});
  CHECK_THAT(node.map_as("", "", node.world.share(), ""),
             StartsWith("PERMISSION_DENIED") && Contains("without a user name"));
  CHECK(mounted_shares().empty());
}

TEST_CASE("nobody is made a guest who wants encryption") {
  if (is_skipped_without_samba("ksmbd's guests are not Samba's")) return;
  Node node;
  std::filesystem::create_directory("/srv/open");
  start_anew(node.world.server(), {.lines = {"map to guest = bad user", "[open]",
                                             "path = /srv/open", "guest ok = yes"}});
  // What this kernel makes of it says no more than that the server ends the connection.
  CHECK_THAT(node.map_as("nobody-of-that-name", "secret", "//127.0.0.1/open", ""),
             !StartsWith("OK") && Contains("the user"));
  CHECK(mounted_shares().empty());
  CHECK(node.map(node.world.share(), "") == "OK");
  CHECK(node.unmap(node.world.share()) == "OK");
}

}  // namespace longshore::smb
