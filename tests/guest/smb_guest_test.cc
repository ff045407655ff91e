// The smb group on a real kernel and a real file server, which listens on 127.0.0.1 with the share
// `share` (the directory /srv/share) for the user `smbu`. Linked with the suite that the fakes pass
// too. What the server is, the guest says by these variables:
//
//   LONGSHORE_GUEST_SMB_START, LONGSHORE_GUEST_SMB_STOP  programs without arguments
//   LONGSHORE_GUEST_SMB_PASSWORD_PROGRAM                 <program> <user>, the password on stdin
//   LONGSHORE_GUEST_SMB_SHARES                           "50": there are share1 to share50, too
#include <signal.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/guest/smb_guest_world.h"

namespace longshore::smb {

std::vector<MakeWorld> smb_worlds() {
  return {[] { return std::make_unique<GuestWorld>(); }};
}

namespace {

std::string outcome(const Result<void>& result) {
  return result ? "OK" : status_code_name(result.error().code()) + " " + result.error().message();
}

// What a node does with the share of the world.
struct Node {
  std::string map(const std::string& remote, const std::string& local) {
    std::string user = world.user();
    std::string password = world.password();
    return outcome(service.new_mapping(remote, local, user, password, {}, "request"));
  }
  std::string unmap(const std::string& remote) {
    return outcome(service.remove_mapping(remote, {}, "request"));
  }

  GuestWorld world;
  SmbService service{*support::AllowedRoots::from({world.root()}), world.backend()};
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The lines of the list of mounts that are of shares.
std::string mounts_of_shares() {
  std::ifstream table("/proc/self/mountinfo");
  std::string lines;
  for (std::string line; std::getline(table, line);) {
    if (line.find(" - cifs ") != std::string::npos) lines += line + "\n";
  }
  return lines;
}

}  // namespace

TEST_CASE("what is written through a link arrives at the server, and the other way round") {
  Node node;
  const std::string local = node.world.local("volume");
  REQUIRE(node.map(node.world.share(), local) == "OK");
  std::ofstream(local + "/from-node") << "hello";
  CHECK(text_of("/srv/share/from-node") == "hello");
  std::ofstream("/srv/share/from-server") << "world";
  CHECK(text_of(local + "/from-server") == "world");
  CHECK(node.unmap(node.world.share()) == "OK");
}

TEST_CASE("a share is mounted encrypted, without privileges, and no secret is to be seen") {
  Node node;
  REQUIRE(node.map(node.world.share(), "") == "OK");
  const std::string mounts = mounts_of_shares();
  CAPTURE(mounts);
  for (const char* option : {"nosuid", "nodev", "nosymfollow", "seal", "soft", "echo_interval=5",
                             "file_mode=0777", "dir_mode=0777"}) {
    CAPTURE(option);
    CHECK(mounts.find(option) != std::string::npos);
  }
  CHECK(mounts.find(node.world.password()) == std::string::npos);
  CHECK(node.unmap(node.world.share()) == "OK");
  CHECK(mounts_of_shares().empty());
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
  std::string user = node.world.user();
  std::string password = "wrong";
  CHECK_THAT(outcome(node.service.new_mapping(node.world.share(), "", user, password, {}, "r")),
             Catch::Contains("refuses the user name or the password"));
  CHECK_THAT(node.map("//127.0.0.1/none", ""), Catch::Contains("has no such share"));
  CHECK_THAT(node.map("//no-such-host.invalid/share", ""),
             Catch::Contains("cannot find the address"));
  node.world.stop_server();
  CHECK_THAT(node.map(node.world.share(), ""), Catch::Contains("firewall"));
}

TEST_CASE("the same credentials leave the mount as it is, new ones replace it") {
  Node node;
  REQUIRE(node.map(node.world.share(), "") == "OK");
  const std::string before = mounts_of_shares();
  REQUIRE(node.map(node.world.share(), "") == "OK");
  CHECK(mounts_of_shares() == before);
  node.world.set_password("N3w,one");
  REQUIRE(node.map(node.world.share(), "") == "OK");
  CHECK(mounts_of_shares() != before);
  CHECK(std::ranges::count(mounts_of_shares(), '\n') == 1);
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
  CHECK(text_of("/srv/share/kept") == "before after");
}

TEST_CASE("fifty mappings at once") {
  Node node;
  const char* shares = std::getenv("LONGSHORE_GUEST_SMB_SHARES");
  const bool has_shares = shares != nullptr && std::string(shares) == "50";
  std::vector<std::string> remotes;
  for (int i = 1; i <= 50; ++i) {
    const std::string number = std::to_string(i);
    if (!has_shares) node.world.make_remote_directory("directory" + number);
    remotes.push_back(has_shares ? node.world.share() + number
                                 : node.world.share() + "/directory" + number);
  }
  for (size_t i = 0; i < remotes.size(); ++i) {
    CAPTURE(remotes[i]);
    REQUIRE(node.map(remotes[i], node.world.local("volume" + std::to_string(i))) == "OK");
  }
  CHECK(std::ranges::count(mounts_of_shares(), '\n') == (has_shares ? 50 : 1));
  for (size_t i = 0; i < remotes.size(); ++i) {
    CAPTURE(remotes[i]);
    CHECK(std::filesystem::is_directory(node.world.local("volume" + std::to_string(i)) + "/."));
  }
  for (const std::string& remote : remotes) CHECK(node.unmap(remote) == "OK");
  CHECK(mounts_of_shares().empty());
  CHECK(std::filesystem::is_empty(node.world.root()));
}

TEST_CASE(
    "after kill -9 in the middle, a repeated call reaches its goal and leaves nothing behind") {
  Node node;
  node.world.make_remote_directory("a");
  const std::string share = node.world.share();
  const std::string local = node.world.local("volume");
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) {
        static_cast<void>(node.map(share + "/a", local));
        static_cast<void>(node.unmap(share + "/a"));
      }
    }
    REQUIRE(child > 0);
    // Not a wait for anything: the moment of the kill is what varies.
    std::this_thread::sleep_for(std::chrono::milliseconds(7 * round + 3));
    REQUIRE(::kill(child, SIGKILL) == 0);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    CHECK(node.map(share + "/a", local) == "OK");
    CHECK(node.world.leads_to(local, "a"));
    CHECK(std::ranges::count(mounts_of_shares(), '\n') == 1);
    CHECK(node.unmap(share + "/a") == "OK");
    CHECK(mounts_of_shares().empty());
    CHECK(std::filesystem::is_empty(node.world.root()));
    CHECK_FALSE(std::filesystem::exists(node.world.mappings() + "/127.0.0.1"));
  }
}

}  // namespace longshore::smb
