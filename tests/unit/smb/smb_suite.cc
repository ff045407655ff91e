// What the smb group promises, the same in every world.
#include <catch2/catch.hpp>

#include "tests/support/outcome.h"
#include "tests/unit/smb/smb_world.h"

namespace longshore::smb {
namespace {

using test::outcome;

// A service in a world of its own.
struct Node {
  explicit Node(const MakeWorld& make) : world(make()) {}

  std::string map_as(const std::string& user, const std::string& password, const std::string& below,
                     const std::string& local) {
    std::string user_copy = user;
    std::string password_copy = password;
    const std::string answer = outcome(service.new_mapping(world->share() + below, local, user_copy,
                                                           password_copy, {}, "request"));
    CHECK(user_copy.empty());
    CHECK(password_copy.empty());
    return answer;
  }
  std::string map(const std::string& below, const std::string& local) {
    return map_as(world->user(), world->password(), below, local);
  }
  std::string unmap(const std::string& below) {
    return outcome(service.remove_mapping(world->share() + below, {}, "request"));
  }

  std::unique_ptr<SmbWorld> world;
  SmbService service{*support::AllowedRoots::from({world->root()}), world->backend()};
};

Node make_node() { return Node(GENERATE(from_range(smb_worlds()))); }

TEST_CASE("a share is mapped, linked to and taken away again") {
  Node node = make_node();
  const std::string local = node.world->local("volume");
  CHECK(node.map("", local) == "OK");
  CHECK(node.world->is_mapped());
  CHECK(node.world->leads_to(local, ""));
  CHECK(node.unmap("") == "OK");
  CHECK_FALSE(node.world->is_mapped());
  CHECK(node.world->is_absent(local));
}

TEST_CASE("both calls can be repeated") {
  Node node = make_node();
  const std::string local = node.world->local("volume");
  CHECK(node.map("", local) == "OK");
  CHECK(node.map("", local) == "OK");
  CHECK(node.world->leads_to(local, ""));
  CHECK(node.unmap("") == "OK");
  CHECK(node.unmap("") == "OK");
  CHECK_FALSE(node.world->is_mapped());
}

TEST_CASE("a share is mapped without a link") {
  Node node = make_node();
  CHECK(node.map("", "") == "OK");
  CHECK(node.map("", "") == "OK");
  CHECK(node.world->is_mapped());
  CHECK(node.unmap("") == "OK");
  CHECK_FALSE(node.world->is_mapped());
}

TEST_CASE("the spelling of server and share does not matter") {
  Node node = make_node();
  const std::string share = node.world->share();  // "//host/share"
  std::string other = "\\\\" + share.substr(2);
  for (char& c : other) c = c == '/' ? '\\' : static_cast<char>(std::toupper(c));
  std::string user = node.world->user();
  std::string password = node.world->password();
  CHECK(outcome(node.service.new_mapping(other + "\\", "", user, password, {}, "r")) == "OK");
  CHECK(node.world->is_mapped());
  CHECK(node.unmap("") == "OK");
  CHECK_FALSE(node.world->is_mapped());
}

TEST_CASE("directories of one share have one mapping, which goes with the last of them") {
  Node node = make_node();
  node.world->make_remote_directory("a");
  node.world->make_remote_directory("a/Deep one");
  const std::string first = node.world->local("first");
  const std::string second = node.world->local("second");
  CHECK(node.map("/a", first) == "OK");
  CHECK(node.map("/a/Deep one", second) == "OK");
  CHECK(node.world->leads_to(first, "a"));
  CHECK(node.world->leads_to(second, "a/Deep one"));
  CHECK(node.unmap("/a") == "OK");
  CHECK(node.world->is_absent(first));
  CHECK(node.world->leads_to(second, "a/Deep one"));
  CHECK(node.unmap("/a/Deep one") == "OK");
  CHECK(node.world->is_absent(second));
  CHECK_FALSE(node.world->is_mapped());
}

TEST_CASE("links that clients removed themselves do not count") {
  Node node = make_node();
  node.world->make_remote_directory("a");
  node.world->make_remote_directory("b");
  CHECK(node.map("/a", node.world->local("first")) == "OK");
  CHECK(node.map("/b", node.world->local("second")) == "OK");
  node.world->remove_link(node.world->local("first"));
  CHECK(node.unmap("/b") == "OK");
  CHECK_FALSE(node.world->is_mapped());
}

TEST_CASE("all links to one remote path go together") {
  Node node = make_node();
  const std::string first = node.world->local("first");
  const std::string second = node.world->local("second");
  CHECK(node.map("", first) == "OK");
  CHECK(node.map("", second) == "OK");
  CHECK(node.unmap("") == "OK");
  CHECK(node.world->is_absent(first));
  CHECK(node.world->is_absent(second));
  CHECK_FALSE(node.world->is_mapped());
}

TEST_CASE("wrong credentials map nothing") {
  Node node = make_node();
  const std::string local = node.world->local("volume");
  CHECK(node.map_as(node.world->user(), "wrong", "", local) == "PERMISSION_DENIED");
  CHECK(node.map_as("nobody-of-that-name", node.world->password(), "", local) ==
        "PERMISSION_DENIED");
  CHECK_FALSE(node.world->is_mapped());
  CHECK(node.world->is_absent(local));
}

TEST_CASE("wrong credentials leave a mapping as it is") {
  Node node = make_node();
  const std::string local = node.world->local("volume");
  CHECK(node.map("", local) == "OK");
  CHECK(node.map_as(node.world->user(), "wrong", "", local) ==
        (node.world->tries_credentials() ? "PERMISSION_DENIED" : "OK"));
  CHECK(node.world->is_mapped());
  CHECK(node.world->leads_to(local, ""));
  CHECK(node.unmap("") == "OK");
}

TEST_CASE("a new password is taken over") {
  Node node = make_node();
  const std::string local = node.world->local("volume");
  CHECK(node.map("", local) == "OK");
  node.world->set_password("N3w,one");
  CHECK(node.map("", local) == "OK");
  CHECK(node.world->leads_to(local, ""));
  CHECK(node.unmap("") == "OK");
  CHECK_FALSE(node.world->is_mapped());
}

TEST_CASE("what is not there is not found") {
  Node node = make_node();
  const std::string local = node.world->local("volume");
  CHECK(node.map("-of-which-there-is-none", local) == "NOT_FOUND");
  CHECK(node.map("/no-such-directory", local) == "NOT_FOUND");
  CHECK_FALSE(node.world->is_mapped());
  CHECK(node.world->is_absent(local));
}

TEST_CASE("a directory that is not there leaves a mapping as it is") {
  Node node = make_node();
  CHECK(node.map("", node.world->local("volume")) == "OK");
  CHECK(node.map("/no-such-directory", node.world->local("other")) == "NOT_FOUND");
  CHECK(node.world->leads_to(node.world->local("volume"), ""));
  CHECK(node.unmap("") == "OK");
}

TEST_CASE("the local path is looked at before anything is mapped") {
  Node node = make_node();
  const std::string taken = node.world->local("taken");
  node.world->occupy(taken);
  CHECK(node.map("", taken) == "ALREADY_EXISTS");
  CHECK(node.map("", node.world->local_without_directory()) == "NOT_FOUND");
  CHECK(node.map("", test::node_path("/etc/longshore-test")) == "PERMISSION_DENIED");
  CHECK(node.map("", node.world->local("../x")) == "INVALID_ARGUMENT");
  CHECK(node.map("", test::foreign_path()) == "INVALID_ARGUMENT");
  CHECK(node.map("/..", node.world->local("volume")) == "INVALID_ARGUMENT");
  CHECK_FALSE(node.world->is_mapped());
}

TEST_CASE("a link to another place is not replaced") {
  Node node = make_node();
  node.world->make_remote_directory("a");
  const std::string local = node.world->local("volume");
  CHECK(node.map("", local) == "OK");
  CHECK(node.map("/a", local) == "ALREADY_EXISTS");
  CHECK(node.world->leads_to(local, ""));
  CHECK(node.unmap("") == "OK");
}

TEST_CASE("a server that is away is UNAVAILABLE until it is back") {
  Node node = make_node();
  const std::string local = node.world->local("volume");
  node.world->stop_server();
  CHECK(node.map("", local) == "UNAVAILABLE");
  CHECK_FALSE(node.world->is_mapped());
  node.world->start_server();
  CHECK(node.map("", local) == "OK");
  CHECK(node.world->leads_to(local, ""));
  CHECK(node.unmap("") == "OK");
}

TEST_CASE("a mapping outlives a restart of the server") {
  Node node = make_node();
  const std::string local = node.world->local("volume");
  CHECK(node.map("", local) == "OK");
  node.world->stop_server();
  CHECK(node.map("", local) == "UNAVAILABLE");
  node.world->start_server();
  CHECK(node.map("", local) == "OK");
  CHECK(node.world->leads_to(local, ""));
  CHECK(node.unmap("") == "OK");
}

TEST_CASE("what is mapped can be taken away while the server is away") {
  Node node = make_node();
  const std::string local = node.world->local("volume");
  CHECK(node.map("", local) == "OK");
  node.world->stop_server();
  CHECK(node.unmap("") == "OK");
  CHECK_FALSE(node.world->is_mapped());
  CHECK(node.world->is_absent(local));
  node.world->start_server();
}

TEST_CASE("what is mapped can be taken away by another service, as after a restart") {
  Node node = make_node();
  node.world->make_remote_directory("a");
  CHECK(node.map("", node.world->local("volume")) == "OK");
  CHECK(node.map("/a", node.world->local("other")) == "OK");
  SmbService next(*support::AllowedRoots::from({node.world->root()}), node.world->backend());
  CHECK(outcome(next.remove_mapping(node.world->share(), {}, "r")) == "OK");
  CHECK(node.world->is_mapped());
  CHECK(outcome(next.remove_mapping(node.world->share() + "/a", {}, "r")) == "OK");
  CHECK_FALSE(node.world->is_mapped());
}

// csi-driver-smb, with --remove-smb-mapping-during-unmount: NodeUnstage reads the link, removes the
// mapping by that text as long as no other volume of the share is staged, and then the link.
TEST_CASE("csi-driver-smb takes a mapping away by what the link says") {
  Node node = make_node();
  node.world->make_remote_directory("Some/Dir");
  const std::string below = GENERATE("", "/Some/Dir");
  const std::string staging = node.world->local("staging");
  REQUIRE(node.map(below, staging) == "OK");
  const std::string text = node.world->text_of_link(staging);
  CAPTURE(text);
  CHECK(outcome(node.service.remove_mapping(text, {}, "request")) == "OK");
  CHECK_FALSE(node.world->is_mapped());
  CHECK(node.world->is_absent(staging));
  // Again, as after a restart of the node, when the links are still there.
  CHECK(outcome(node.service.remove_mapping(text, {}, "request")) == "OK");
}

TEST_CASE("csi-driver-smb removes the mapping of the last volume after the links of others") {
  Node node = make_node();
  node.world->make_remote_directory("a");
  node.world->make_remote_directory("b");
  const std::string first = node.world->local("first");
  const std::string second = node.world->local("second");
  REQUIRE(node.map("/a", first) == "OK");
  REQUIRE(node.map("/b", second) == "OK");
  node.world->remove_link(first);  // unstaged while the second was there: no mapping is removed
  CHECK(outcome(node.service.remove_mapping(node.world->text_of_link(second), {}, "r")) == "OK");
  CHECK_FALSE(node.world->is_mapped());
}

TEST_CASE("of a text that is a path of the node and no link of the group nothing is removed") {
  Node node = make_node();
  REQUIRE(node.map("", node.world->local("volume")) == "OK");
  const std::string text = node.world->text_of_link(node.world->local("volume"));
  for (const std::string& other : {text + "/../../other", text + "/.."}) {
    CHECK(outcome(node.service.remove_mapping(other, {}, "r")) == "INVALID_ARGUMENT");
  }
  CHECK(outcome(node.service.remove_mapping(text + "x", {}, "r")) == "OK");
  CHECK(node.world->leads_to(node.world->local("volume"), ""));
}

// azurefile removes no mapping ever, so each NodeStage after the first meets one, with the same key
// or with another.
TEST_CASE("azurefile maps what is mapped already, after it removed its link itself") {
  Node node = make_node();
  const std::string staging = node.world->local("staging");
  REQUIRE(node.map("", staging) == "OK");
  const bool is_rotated = GENERATE(false, true);
  if (is_rotated) node.world->set_password("r0tated");
  node.world->remove_link(staging);
  CHECK(node.world->is_mapped());
  CHECK(node.map("", staging) == "OK");
  CHECK(node.world->leads_to(staging, ""));
}

}  // namespace
}  // namespace longshore::smb
