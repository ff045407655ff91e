// Which mount the Linux backend takes: the one that it has, or another, and over which connection.
#include <catch2/catch.hpp>
#include <cerrno>

#include "smb/linux/mount_failure.h"
#include "tests/unit/smb/linux_node.h"

namespace longshore::smb {
namespace {

std::error_code system_error(int number) { return {number, std::generic_category()}; }

TEST_CASE("a mapping that does not answer is not asked for over its old connection") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  node.kernel.probe_answer = system_error(ETIMEDOUT);
  const dev_t before = node.kernel.mounted().begin()->second;
  const size_t asked = node.kernel.asked_addresses().size();
  REQUIRE(node.map("", node.local));
  CHECK(node.kernel.asked_addresses().size() == asked + 1);
  CHECK(node.kernel.mounted().begin()->second != before);
}

TEST_CASE("a share is mapped over a fresh connection when the kernel's old one is broken") {
  const int error = GENERATE(EAGAIN, EIO, EHOSTDOWN, EDEADLK, ENOTCONN);
  CAPTURE(error);
  const bool is_mapped = GENERATE(false, true);
  CAPTURE(is_mapped);
  LinuxNode node;
  if (is_mapped) REQUIRE(node.map("", node.local));
  node.kernel.shared_answer = system_error(error);
  CHECK(outcome(node.map("", node.local)) == "OK");
  CHECK(node.kernel.mounted().size() == 1);
  CHECK(node.world.leads_to(node.local, ""));
}

TEST_CASE("no fresh connection is made when it is not the old one's fault") {
  const int error = GENERATE(EACCES, ENOENT, ENODEV, EINVAL);
  CAPTURE(error);
  LinuxNode node;
  node.kernel.shared_answer = system_error(error);
  CHECK(outcome(node.map("", node.local)) != "OK");
  CHECK(node.kernel.asked_addresses().size() == 1);
  CHECK(node.left_nothing());
}

TEST_CASE("who is refused over a session that may be older than his rights is tried once more") {
  const bool is_right = GENERATE(true, false);
  CAPTURE(is_right);
  LinuxNode node;
  // Somebody's mount of another share, at one of the server's addresses.
  node.kernel.put_mount("/mnt/elsewhere", "192.0.2.2");
  node.kernel.addresses = {{"192.0.2.1", is_right ? 0 : EACCES}, {"192.0.2.2", 0}};
  node.kernel.shared_answer = system_error(EACCES);
  CHECK(outcome(node.map("", node.local)) == (is_right ? "OK" : "PERMISSION_DENIED"));
  CHECK(node.kernel.asked_addresses().size() == 2);
  CHECK(node.kernel.mounted().size() == (is_right ? 2 : 1));
}

TEST_CASE("who is refused without an older session at the server is not tried again") {
  LinuxNode node;
  node.kernel.put_mount("/mnt/elsewhere", "192.0.2.2");
  node.kernel.shared_answer = system_error(EACCES);
  CHECK(outcome(node.map("", node.local)) == "PERMISSION_DENIED");
  CHECK(node.kernel.asked_addresses().size() == 1);
}

TEST_CASE("a mount that does not answer replaces none that does") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  const auto before = node.kernel.mounted();
  node.world.set_password("another");
  node.kernel.ask_answer = system_error(EHOSTDOWN);
  CHECK(outcome(node.map("", node.local)) == "UNAVAILABLE");
  CHECK(node.kernel.mounted() == before);
  CHECK(node.world.leads_to(node.local, ""));
}

TEST_CASE("a mount that does not answer is no mapping") {
  LinuxNode node;
  node.kernel.ask_answer = system_error(ETIMEDOUT);
  CHECK(outcome(node.map("", node.local)) == "UNAVAILABLE");
  CHECK(node.left_nothing());
}

TEST_CASE("the order of a server's addresses does not replace a mount") {
  LinuxNode node;
  node.kernel.addresses = {{"192.0.2.1", 0}, {"192.0.2.2", 0}};
  REQUIRE(node.map("", node.local));
  const auto before = node.kernel.mounted();
  node.kernel.addresses = {{"192.0.2.3", 0}, {"192.0.2.2", 0}, {"192.0.2.1", 0}};
  REQUIRE(node.map("", node.local));
  CHECK(node.kernel.mounted() == before);
  // An address that the server has no more is not asked.
  node.kernel.addresses = {{"192.0.2.2", 0}};
  REQUIRE(node.map("", node.local));
  CHECK(node.kernel.asked_addresses().back() == "192.0.2.2");
  CHECK(node.kernel.mounted().size() == 1);
}

TEST_CASE("the server's name is resolved once in a call") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  CHECK(node.kernel.resolved() == 1);
  node.kernel.probe_answer = system_error(EIO);
  REQUIRE(node.map("", node.local));
  CHECK(node.kernel.resolved() == 2);
}

TEST_CASE("what is mounted in the share is left alone, but goes with it") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  const std::string inside = node.mapping_directory() + "/1/dfs";
  node.kernel.put_mount(inside);
  REQUIRE(node.map("", node.local));
  CHECK(node.kernel.mounted().contains(inside));
  CHECK(outcome(node.unmap("")) == "OK");
  CHECK(node.left_nothing());
}

TEST_CASE("a directory that cannot be opened because of the server is UNAVAILABLE") {
  const auto [error, code] = GENERATE(table<int, std::string>({
      {EHOSTDOWN, "UNAVAILABLE"},
      {EIO, "UNAVAILABLE"},
      {ESTALE, "UNAVAILABLE"},
      {ENOTCONN, "UNAVAILABLE"},
      {ETIMEDOUT, "UNAVAILABLE"},
      {ENOENT, "NOT_FOUND"},
      {EACCES, "PERMISSION_DENIED"},
      {ELOOP, "FAILED_PRECONDITION"},
  }));
  const Error failure =
      failure_below(*RemotePath::parse("//files/share/a", "map"), system_error(error));
  CHECK(status_code_name(failure.code()) == code);
  CHECK_THAT(failure.message(), Catch::Contains("//files/share"));
}

}  // namespace
}  // namespace longshore::smb
