// The smb group on a real kernel and a real file server, which listens on 127.0.0.1 with the share
// `share` (the directory /srv/share) for the user `smbu`. Linked with the suite that the fakes pass
// too. The guest names the program that runs the server (file_server.sh) by the variable
// LONGSHORE_GUEST_FILE_SERVER.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/guest/mounted_shares.h"
#include "tests/guest/smb_guest_node.h"
#include "tests/support/read_file.h"

namespace longshore::smb {

std::vector<MakeWorld> smb_worlds() {
  return {[] { return std::make_unique<GuestWorld>(); }};
}

namespace {

using test::mounted_shares;
using test::read_file;

}  // namespace

TEST_CASE("what is written through a link arrives at the server, and the other way round") {
  Node node;
  const std::string local = node.world.local("volume");
  REQUIRE(node.map(node.world.share(), local) == "OK");
  std::ofstream(local + "/from-node") << "hello";
  CHECK(read_file("/srv/share/from-node") == "hello");
  std::ofstream("/srv/share/from-server") << "world";
  CHECK(read_file(local + "/from-server") == "world");
  CHECK(node.unmap(node.world.share()) == "OK");
}

TEST_CASE("a share is mounted encrypted, without privileges, and no secret is to be seen") {
  Node node;
  REQUIRE(node.map(node.world.share(), "") == "OK");
  const auto mounts = mounted_shares();
  REQUIRE(mounts.size() == 1);
  CAPTURE(mounts[0]);
  for (const char* option : {"nosuid", "nodev", "nosymfollow", "seal", "soft", "echo_interval=5",
                             "file_mode=0777", "dir_mode=0777"}) {
    CAPTURE(option);
    CHECK(mounts[0].find(option) != std::string::npos);
  }
  CHECK(mounts[0].find(node.world.password()) == std::string::npos);
  CHECK(node.unmap(node.world.share()) == "OK");
  CHECK(mounted_shares().empty());
}

TEST_CASE("a server is found by its name") {
  Node node;
  REQUIRE(node.map("//localhost/share", node.world.local("volume")) == "OK");
  CHECK(node.world.leads_to(node.world.local("volume"), ""));
  CHECK(node.unmap("\\\\LOCALHOST\\share") == "OK");
  CHECK_FALSE(node.world.is_mapped());
}

TEST_CASE("errors of a real kernel are sentences with advice") {
  Node node;
  CHECK_THAT(node.map_as(node.world.user(), "wrong", node.world.share(), ""),
             Catch::Contains("refuses the user name or the password"));
  if (test::FileServer::is_samba()) {  // ksmbd does not say so
    CHECK_THAT(node.map("//127.0.0.1/none", ""), Catch::Contains("has no such share"));
  }
  CHECK_THAT(node.map("//no-such-host.invalid/share", ""),
             Catch::Contains("cannot find the address"));
  node.world.stop_server();
  CHECK_THAT(node.map(node.world.share(), ""), Catch::Contains("firewall"));
}

TEST_CASE("the same credentials leave the mount as it is, new ones replace it") {
  Node node;
  REQUIRE(node.map(node.world.share(), "") == "OK");
  const auto before = mounted_shares();
  REQUIRE(node.map(node.world.share(), "") == "OK");
  CHECK(mounted_shares() == before);
  node.world.set_password("N3w,one");
  REQUIRE(node.map(node.world.share(), "") == "OK");
  CHECK(mounted_shares() != before);
  CHECK(mounted_shares().size() == 1);
  CHECK(node.unmap(node.world.share()) == "OK");
}

TEST_CASE("who has a file open keeps it when the mapping is replaced and taken away") {
  Node node;
  const std::string local = node.world.local("volume");
  REQUIRE(node.map(node.world.share(), local) == "OK");
  std::ofstream file(local + "/kept");
  REQUIRE(file << "before ");
  node.world.set_password("N3w,one");
  REQUIRE(node.map(node.world.share(), local) == "OK");
  REQUIRE(node.unmap(node.world.share()) == "OK");
  file << "after";
  file.close();
  CHECK(read_file("/srv/share/kept") == "before after");
}

TEST_CASE("fifty mappings at once") {
  Node node;
  std::vector<std::string> remotes;
  for (int i = 1; i <= 50; ++i) remotes.push_back(node.world.share() + std::to_string(i));
  for (size_t i = 0; i < remotes.size(); ++i) {
    CAPTURE(remotes[i]);
    REQUIRE(node.map(remotes[i], node.world.local("volume" + std::to_string(i))) == "OK");
  }
  CHECK(mounted_shares().size() == 50);
  for (size_t i = 0; i < remotes.size(); ++i) {
    CAPTURE(remotes[i]);
    CHECK(std::filesystem::is_directory(node.world.local("volume" + std::to_string(i)) + "/."));
  }
  for (const std::string& remote : remotes) CHECK(node.unmap(remote) == "OK");
  CHECK(mounted_shares().empty());
  CHECK(std::filesystem::is_empty(node.world.root()));
}

}  // namespace longshore::smb
