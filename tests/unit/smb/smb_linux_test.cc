// What the Linux backend makes of the kernel's answers, and of changes behind its back.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/unit/smb/linux_node.h"

namespace longshore::smb {
namespace {

namespace fs = std::filesystem;

TEST_CASE("what is made for mounts is the agent's alone") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  for (const std::string& path : {node.world.mappings(), node.world.mappings() + "/files",
                                  node.mapping_directory(), node.mapping_directory() + "/1"}) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0700);
  }
}

TEST_CASE("a mappings directory that others may change is refused") {
  LinuxNode node;
  fs::create_directory(node.world.mappings());
  REQUIRE(::chmod(node.world.mappings().c_str(), 0777) == 0);
  CHECK(outcome(node.map("", node.local)) == "FAILED_PRECONDITION");
  CHECK(node.kernel.mounted().empty());
}

TEST_CASE("the kernel's answers have codes and advice") {
  const auto [error, code, words] = GENERATE(table<int, std::string, std::string>({
      {EACCES, "PERMISSION_DENIED", "domain\\user"},
      {EKEYEXPIRED, "PERMISSION_DENIED", "expired"},
      {ENOENT, "NOT_FOUND", "no such share"},
      {ECONNREFUSED, "UNAVAILABLE", "445"},
      {EHOSTUNREACH, "UNAVAILABLE", "no route"},
      {ENETUNREACH, "UNAVAILABLE", "no route"},
      {EHOSTDOWN, "UNAVAILABLE", "does not answer"},
      {ETIMEDOUT, "UNAVAILABLE", "does not answer"},
      {EOPNOTSUPP, "FAILED_PRECONDITION", "require_privacy = false"},
      {EOPNOTSUPP, "FAILED_PRECONDITION", "DFS"},
      {EREMOTE, "FAILED_PRECONDITION", "DFS"},
      {ENODEV, "FAILED_PRECONDITION", "load cifs"},
      {EPERM, "FAILED_PRECONDITION", "CAP_SYS_ADMIN"},
      {EINVAL, "FAILED_PRECONDITION", "mount_options"},
      {ENOKEY, "FAILED_PRECONDITION", "Kerberos"},
      {ENOMEM, "RESOURCE_EXHAUSTED", "memory"},
      {EXDEV, "FAILED_PRECONDITION", "map the share"},
  }));
  LinuxNode node;
  node.kernel.addresses = {{"192.0.2.1", error}};
  const Result<void> result = node.map("", node.local);
  CHECK(outcome(result) == code);
  CHECK_THAT(result.error().message(), Catch::Contains(words) && Catch::Contains("//files/share"));
  CHECK(node.left_nothing());
  CHECK(node.world.is_absent(node.local));
}

TEST_CASE("a mapping for nobody cannot be encrypted") {
  LinuxNode node;
  const auto remote = RemotePath::parse(node.world.share(), "map");
  const Result<void> result = node.world.backend().map(*remote, Credentials(), nullptr, {});
  CHECK(outcome(result) == "FAILED_PRECONDITION");
  CHECK_THAT(result.error().message(), Catch::Contains("require_privacy"));
  CHECK(node.kernel.asked_addresses().empty());
}

TEST_CASE("each address is tried until one is reached") {
  LinuxNode node;
  node.kernel.addresses = {{"fe80::1", ENETUNREACH}, {"192.0.2.1", ECONNREFUSED}, {"192.0.2.2", 0}};
  CHECK(outcome(node.map("", node.local)) == "OK");
  CHECK(node.kernel.asked_addresses().size() == 3);
}

TEST_CASE("a server that is reached at none of its addresses is UNAVAILABLE") {
  const int error = GENERATE(EADDRNOTAVAIL, EAFNOSUPPORT, ECONNREFUSED, ECONNRESET, ECONNABORTED,
                             EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ETIMEDOUT, EINPROGRESS, EAGAIN);
  CAPTURE(error);
  LinuxNode node;
  node.kernel.addresses = {{"192.0.2.1", ECONNREFUSED}, {"fe80::1", error}};
  CHECK(outcome(node.map("", node.local)) == "UNAVAILABLE");
}

TEST_CASE("a server that was reached is not asked again elsewhere") {
  LinuxNode node;
  node.kernel.addresses = {{"192.0.2.1", EACCES}, {"192.0.2.2", 0}};
  CHECK(outcome(node.map("", node.local)) == "PERMISSION_DENIED");
  CHECK(node.kernel.asked_addresses() == std::vector<std::string>{"192.0.2.1"});
}

TEST_CASE("no further address is tried when the time is over") {
  LinuxNode node;
  node.kernel.addresses = {{"192.0.2.1", EHOSTUNREACH}, {"192.0.2.2", 0}};
  std::string user = node.world.user();
  std::string password = node.world.password();
  const auto remote = RemotePath::parse(node.world.share(), "map");
  int asked = 0;
  const Deadline deadline{.cancelled = [&] { return ++asked > 1; }};
  const auto credentials = Credentials::take(user, password);
  CHECK(outcome(node.world.backend().map(*remote, *credentials, nullptr, deadline)) == "CANCELLED");
  CHECK(node.kernel.asked_addresses().size() == 1);
  CHECK(node.left_nothing());
}

TEST_CASE("the same credentials leave the mount as it is, others replace it in one step") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  const auto before = node.kernel.mounted();
  REQUIRE(node.map("", node.local));
  CHECK(node.kernel.mounted() == before);

  node.world.set_password("another");
  node.kernel.moment = [&](const std::string& moment) {
    CAPTURE(moment);
    CHECK(node.world.leads_to(node.local, ""));
  };
  REQUIRE(node.map("", node.local));
  CHECK(node.kernel.mounted().size() == 1);
  CHECK(node.kernel.mounted() != before);
  CHECK(node.world.leads_to(node.local, ""));
}

TEST_CASE("a mapping that does not answer is replaced over a fresh connection") {
  const int error = GENERATE(ETIMEDOUT, EHOSTDOWN, ESTALE, EIO, ENODEV);
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  const auto before = node.kernel.mounted();
  node.kernel.probe_answer = std::error_code(error, std::generic_category());
  REQUIRE(node.map("", node.local));
  CHECK(node.kernel.mounted().size() == 1);
  CHECK(node.kernel.mounted() != before);
  CHECK(node.world.leads_to(node.local, ""));
}

TEST_CASE("a mapping whose server is away stays for the time when it is back") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  const auto before = node.kernel.mounted();
  node.world.stop_server();
  CHECK(outcome(node.map("", node.local)) == "UNAVAILABLE");
  CHECK(node.kernel.mounted() == before);
  CHECK(fs::is_symlink(node.local));
}

TEST_CASE("a mount that somebody took away is made again") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  const std::string place = node.kernel.mounted().begin()->first;
  node.kernel.take_mount(place);
  REQUIRE(node.map("", node.local));
  CHECK(node.world.leads_to(node.local, ""));
  CHECK(outcome(node.unmap("")) == "OK");
  CHECK(node.left_nothing());
}

TEST_CASE("nothing of a share is followed out of it") {
  LinuxNode node;
  node.world.make_remote_directory("a");
  REQUIRE(node.map("", node.local));
  const std::string place = node.kernel.mounted().begin()->first;
  fs::create_directory_symlink("/etc", place + "/evil");
  fs::create_directory_symlink("a", place + "/inside");
  test::write_file(place + "/file", "");
  CHECK(outcome(node.map("/evil", node.world.local("x"))) == "FAILED_PRECONDITION");
  CHECK(outcome(node.map("/inside", node.world.local("x"))) == "FAILED_PRECONDITION");
  CHECK(outcome(node.map("/evil/ssl", node.world.local("x"))) == "FAILED_PRECONDITION");
  CHECK(outcome(node.map("/file", node.world.local("x"))) == "FAILED_PRECONDITION");
  CHECK(node.world.is_absent(node.world.local("x")));
}

TEST_CASE("a local path that leads out of the allowed roots maps nothing") {
  LinuxNode node;
  fs::create_directory_symlink("/etc", node.world.local("out"));
  CHECK(outcome(node.map("", node.world.local("out/volume"))) == "PERMISSION_DENIED");
  CHECK(node.left_nothing());
}

TEST_CASE("a local path below a link that leads nowhere names that link") {
  LinuxNode node;
  const std::string dangling = node.world.local("dangling");
  fs::create_directory_symlink("nowhere", dangling);
  const Result<void> result = node.map("", dangling + "/volume");
  CHECK(outcome(result) == "NOT_FOUND");
  CHECK_THAT(
      result.error().message(),
      Catch::Contains("the link \"" + dangling + "\" leads to \"nowhere\", where nothing is"));
  CHECK(node.left_nothing());
  // Where no link is, none is named.
  CHECK_THAT(node.map("", node.world.local("nothing/volume")).error().message(),
             !Catch::Contains("leads to"));
}

TEST_CASE("a link below one that leads nowhere by now keeps no mapping") {
  LinuxNode node;
  const std::string folder = node.world.local("folder");
  fs::create_directory(folder);
  REQUIRE(node.map("", folder + "/volume"));
  fs::remove_all(folder);
  fs::create_directory_symlink("nowhere", folder);
  CHECK(outcome(node.unmap("")) == "OK");
  CHECK(node.left_nothing());
}

TEST_CASE("what a client put at the place of its link is not removed") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  fs::remove(node.local);
  test::write_file(node.local, "mine");
  CHECK(outcome(node.unmap("")) == "OK");
  CHECK(fs::is_regular_file(node.local));
  CHECK(node.left_nothing());
}

TEST_CASE("other shares and hosts are left alone") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  node.kernel.server.mapping = "//files/share2";
  std::string user = node.world.user();
  std::string password = node.world.password();
  const auto other = RemotePath::parse("//files/share2", "map");
  const auto credentials = Credentials::take(user, password);
  REQUIRE(node.world.backend().map(*other, *credentials, nullptr, {}));
  CHECK(node.kernel.mounted().size() == 2);
  REQUIRE(node.world.backend().unmap(*other, {}));
  CHECK(node.kernel.mounted().size() == 1);
  CHECK(fs::exists(node.mapping_directory()));
}

TEST_CASE("a record whose link was never made counts for nothing") {
  LinuxNode node;
  node.world.make_remote_directory("a");
  REQUIRE(node.map("/a", node.local));
  const MappingDirectory directory(*support::PosixPath::parse(node.world.mappings(), "use"),
                                   *RemotePath::parse(node.world.share(), "map"));
  REQUIRE(directory.record_link(node.world.local("never-made")));
  CHECK(directory.recorded_links()->size() == 2);
  CHECK(outcome(node.unmap("/a")) == "OK");
  CHECK(node.left_nothing());
}

}  // namespace
}  // namespace longshore::smb
