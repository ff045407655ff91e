// What only the backend for Windows has: mappings that are stale, what Windows answers, records of
// links, links that are not ours.
#include <windows.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "support/windows/file_error.h"
#include "tests/support/outcome.h"
#include "tests/unit/smb/windows/windows_world.h"

namespace longshore::smb {
namespace {

using test::outcome;
using Done = std::vector<std::string>;

constexpr const char* kRoot = "\\\\files\\share";

struct WindowsNode {
  explicit WindowsNode(SmbBackendWindows::Options options = WindowsWorld::default_options())
      : world(std::move(options)) {}

  Result<void> map(const std::string& local = {}, const std::string& below = {},
                   const Deadline& deadline = {}) {
    std::string user = world.user();
    std::string password = world.password();
    return service.new_mapping("\\\\FILES\\Share" + below, local, user, password, deadline, "r");
  }
  Result<void> unmap(const std::string& below = {}) {
    return service.remove_mapping("\\\\files\\share" + below, {}, "r");
  }

  WindowsWorld world;
  SmbService service{*support::AllowedRoots::from({"C:\\allowed"}), world.backend()};
};

TEST_CASE("what is mapped is host and share in small letters, encrypted unless told otherwise") {
  WindowsNode node;
  node.world.make_remote_directory("Some/Dir");
  REQUIRE(node.map("C:\\allowed\\link", "\\Some\\Dir"));
  REQUIRE(node.world.mappings().mappings.size() == 1);
  CHECK(node.world.mappings().mappings.at(kRoot).is_private);
  CHECK(node.world.text_of_link("C:\\allowed\\link") == "\\\\files\\share\\Some\\Dir\\");

  auto options = WindowsWorld::default_options();
  options.require_privacy = false;
  WindowsNode open(options);
  REQUIRE(open.map());
  CHECK_FALSE(open.world.mappings().mappings.at(kRoot).is_private);
}

TEST_CASE("a mapping whose status is not OK is taken away and made again") {
  const auto status =
      GENERATE(MappingStatus::kPaused, MappingStatus::kDisconnected, MappingStatus::kNetworkError,
               MappingStatus::kConnecting, MappingStatus::kReconnecting,
               MappingStatus::kUnavailable, static_cast<MappingStatus>(7));
  WindowsNode node;
  node.world.mappings().mappings[kRoot] = {status, "smbu", "P@ss,w0rd"};
  CHECK(outcome(node.map("C:\\allowed\\link")) == "OK");
  CHECK(node.world.mappings().done == Done{"remove", "create"});
  CHECK(node.world.mappings().mappings.at(kRoot).status == MappingStatus::kOk);
}

TEST_CASE("a mapping that is OK and answers is used as it is") {
  WindowsNode node;
  REQUIRE(node.map());
  node.world.mappings().done.clear();
  CHECK(outcome(node.map("C:\\allowed\\link")) == "OK");
  CHECK(node.world.mappings().done.empty());
}

TEST_CASE("a mapping with a password that the server no longer takes is made anew") {
  WindowsNode node;
  REQUIRE(node.map());
  node.world.set_password("r0tated");
  node.world.mappings().done.clear();
  CHECK(outcome(node.map()) == "OK");
  CHECK(node.world.mappings().done == Done{"remove", "create"});
}

TEST_CASE("a mapping whose server is away is left to Windows") {
  WindowsNode node;
  REQUIRE(node.map());
  node.world.mappings().done.clear();
  node.world.stop_server();
  const Result<void> mapped = node.map();
  REQUIRE(outcome(mapped) == "UNAVAILABLE");
  CHECK_THAT(mapped.error().message(), Catch::Contains("not found or does not answer"));
  CHECK(node.world.mappings().done.empty());
  CHECK(node.world.is_mapped());
}

TEST_CASE("a mapping that Windows did not tell of is taken away, once") {
  WindowsNode node;
  node.world.mappings().create_code = ERROR_SESSION_CREDENTIAL_CONFLICT;
  CHECK(outcome(node.map()) == "OK");
  CHECK(node.world.mappings().done == Done{"create", "remove", "create"});

  WindowsNode other;  // the connection is of somebody else's
  other.world.mappings().create_code = ERROR_SESSION_CREDENTIAL_CONFLICT;
  other.world.mappings().remove_code = ERROR_NOT_CONNECTED;
  other.world.mappings().mappings.clear();
  CHECK(outcome(other.map()) == "OK");
}

TEST_CASE("a mapping that cannot be taken away is an error") {
  WindowsNode node;
  node.world.mappings().mappings[kRoot] = {MappingStatus::kDisconnected};
  node.world.mappings().remove_code = ERROR_ACCESS_DENIED;
  const Result<void> mapped = node.map("C:\\allowed\\link");
  REQUIRE(outcome(mapped) == "PERMISSION_DENIED");
  CHECK_THAT(mapped.error().message(), Catch::Contains("Windows' error 5"));
  CHECK(node.world.is_absent("C:\\allowed\\link"));
}

TEST_CASE("Windows' codes become gRPC's, with the reason") {
  const auto [code, answer, reason] = GENERATE(table<WindowsCode, std::string, std::string>({
      {ERROR_ACCESS_DENIED, "PERMISSION_DENIED", "may not use the share"},
      {ERROR_BAD_NETPATH, "UNAVAILABLE", "names of the cluster's services"},
      {ERROR_BAD_NET_NAME, "NOT_FOUND", "no such share"},
      {ERROR_NETWORK_ACCESS_DENIED, "FAILED_PRECONDITION", "require_privacy"},
      {ERROR_INVALID_PASSWORD, "PERMISSION_DENIED", "password"},
      {ERROR_INVALID_PARAMETER, "PERMISSION_DENIED", "domain\\user"},
      {ERROR_LOGON_FAILURE, "PERMISSION_DENIED", "user name or the password"},
      {ERROR_PASSWORD_EXPIRED, "PERMISSION_DENIED", "expired"},
      {ERROR_ACCOUNT_LOCKED_OUT, "PERMISSION_DENIED", "locked"},
      {ERROR_TOO_MANY_SESS, "RESOURCE_EXHAUSTED", "no room"},
      {2138, "FAILED_PRECONDITION", "LanmanWorkstation"},
      {ERROR_GEN_FAILURE, "INTERNAL", "Windows' error 31"},
      {0xffffffff, "INTERNAL", "Windows' error 4294967295"},
  }));
  CAPTURE(code);
  WindowsNode node;
  node.world.mappings().create_code = code;
  const Result<void> mapped = node.map("C:\\allowed\\link");
  REQUIRE(outcome(mapped) == answer);
  CHECK_THAT(mapped.error().message(), Catch::Contains(reason));
  CHECK_THAT(mapped.error().message(), !Catch::Contains("P@ss") && !Catch::Contains("smbu"));
  CHECK_FALSE(node.world.is_mapped());
  CHECK(node.world.is_absent("C:\\allowed\\link"));
}

TEST_CASE("an SMB client that cannot be asked is an error of both calls") {
  WindowsNode node;
  node.world.mappings().error = Error(StatusCode::kUnimplemented, "ask WMI");
  CHECK(outcome(node.map()) == "UNIMPLEMENTED");
  CHECK(outcome(node.unmap()) == "UNIMPLEMENTED");
  CHECK(node.world.mappings().done.empty());
}

TEST_CASE("what is no link to a share is not replaced and not removed") {
  WindowsNode node;
  test::NtfsFake& files = node.world.node();
  const std::string path = "C:\\allowed\\taken";
  SECTION("a file") { files.put_file(path); }
  SECTION("a junction") { files.put_junction("C:\\allowed\\other", path); }
  SECTION("a relative link") { files.put_symbolic_link("other", path); }
  SECTION("a link to another share") { files.put_symbolic_link("\\\\files\\other\\", path); }
  SECTION("a volume") { files.mount(7, path); }
  SECTION("damaged reparse data") {
    files.put_reparse_point(std::vector<std::byte>(8, std::byte{0x0c}), path);
  }
  CHECK(outcome(node.map(path)) == "ALREADY_EXISTS");
  CHECK_FALSE(node.world.is_mapped());
  CHECK(outcome(node.unmap()) == "OK");
  CHECK_FALSE(node.world.is_absent(path));
}

TEST_CASE("a link's place that leads out of the roots is refused before anything is mapped") {
  WindowsNode node;
  node.world.node().put_directory("C:\\elsewhere");
  node.world.node().put_junction("C:\\elsewhere", "C:\\allowed\\way");
  CHECK(outcome(node.map("C:\\allowed\\way\\link")) == "PERMISSION_DENIED");
  CHECK(outcome(node.map("C:\\allowed")) == "ALREADY_EXISTS");
  CHECK(node.world.mappings().done.empty());
}

TEST_CASE("what takes the link's place while the share is mapped is left, and nothing is mapped") {
  WindowsNode node;
  node.world.node().before = [&](const std::string&, const std::string&) {
    if (node.world.is_mapped() && node.world.is_absent("C:\\allowed\\link")) {
      node.world.node().put_file("C:\\allowed\\link");
    }
    return std::error_code();
  };
  CHECK(outcome(node.map("C:\\allowed\\link")) == "ALREADY_EXISTS");
  CHECK_FALSE(node.world.is_mapped());
}

TEST_CASE("a link that another program put in the place of ours keeps the mapping it leads to") {
  WindowsNode node;
  node.world.make_remote_directory("a");
  REQUIRE(node.map("C:\\allowed\\link"));
  node.world.node().remove("C:\\allowed\\link");
  node.world.node().put_symbolic_link("\\\\?\\UNC\\files\\share\\a\\", "C:\\allowed\\link");
  CHECK(outcome(node.unmap()) == "OK");
  CHECK(node.world.is_mapped());
  CHECK_FALSE(node.world.is_absent("C:\\allowed\\link"));
}

TEST_CASE("a link that cannot be looked at keeps everything as it is") {
  WindowsNode node;
  REQUIRE(node.map("C:\\allowed\\link"));
  node.world.node().before = [](const std::string& call, const std::string& path) {
    return call == "open" && path.ends_with("link")
               ? support::windows_error(ERROR_SHARING_VIOLATION)
               : std::error_code();
  };
  CHECK(outcome(node.unmap()) == "FAILED_PRECONDITION");
  node.world.node().before = {};
  CHECK(node.world.is_mapped());
  CHECK(node.world.leads_to("C:\\allowed\\link", ""));
  CHECK(outcome(node.unmap()) == "OK");
}

TEST_CASE("a mapping that nobody made here is taken away too") {
  WindowsNode node;
  node.world.mappings().mappings[kRoot] = {MappingStatus::kDisconnected};
  CHECK(outcome(node.unmap()) == "OK");
  CHECK_FALSE(node.world.is_mapped());
}

TEST_CASE("a call that is over before it begins maps nothing") {
  WindowsNode node;
  REQUIRE(node.map());
  Deadline over;
  over.time = Deadline::Clock::now();
  CHECK(outcome(node.map("C:\\allowed\\link", "", over)) == "DEADLINE_EXCEEDED");
  CHECK(node.world.is_absent("C:\\allowed\\link"));
}

}  // namespace
}  // namespace longshore::smb
