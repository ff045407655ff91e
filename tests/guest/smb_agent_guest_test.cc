// The smb group as its clients use it, in every version. "csi-proxy 14" is the case with that
// number in csi-proxy's integration tests.
#include <sys/klog.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>

#include "filesystem/v1.pb.h"
#include "smb/v1.pb.h"
#include "tests/guest/file_server.h"
#include "tests/guest/guest_agent.h"
#include "tests/guest/mounted_shares.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

v1::NewSmbGlobalMappingRequest mapping(const std::string& local, const std::string& password) {
  v1::NewSmbGlobalMappingRequest request;
  request.set_remote_path("\\\\127.0.0.1\\share");
  request.set_local_path(local);
  request.set_username(FileServer::kUser);
  request.set_password(password);
  return request;
}

v1::RemoveSmbGlobalMappingRequest removal() {
  v1::RemoveSmbGlobalMappingRequest request;
  request.set_remote_path("\\\\127.0.0.1\\share");
  return request;
}

bool is_link(GuestAgent& agent, const std::string& path) {
  v1::IsSymlinkRequest request;
  request.set_path(path);
  return agent.get<v1::IsSymlinkResponse>("filesystem", "v1.Filesystem/IsSymlink", request)
      .is_symlink();
}

// How often the kernel has given up a connection that was in use, and makes it anew.
size_t broken_connections() {
  constexpr int kReadAll = 3;
  std::string log(size_t{1} << 20, ' ');
  const int size = ::klogctl(kReadAll, log.data(), static_cast<int>(log.size()));
  REQUIRE(size >= 0);
  log.resize(static_cast<size_t>(size));
  size_t count = 0;
  for (size_t at = log.find(" has not responded in "); at != std::string::npos;
       at = log.find(" has not responded in ", at + 1)) {
    ++count;
  }
  return count;
}

bool can_freeze() {
  if (FileServer::is_samba()) return true;
  WARN("SKIPPED: ksmbd is in the kernel and cannot be frozen");
  return false;
}

}  // namespace

TEST_CASE("csi-proxy 14: a share is mapped, written to and taken away, in every version") {
  const FileServer server;
  GuestAgent agent;
  for (const std::string version : {"v1alpha1", "v1beta1", "v1beta2", "v1"}) {
    CAPTURE(version);
    const std::string local = agent.root() + "/" + version;
    // The requests of all versions are the same on the wire.
    const auto mapped = agent.call("smb", version + ".Smb/NewSmbGlobalMapping",
                                   mapping(local, FileServer::kFirstPassword));
    INFO(mapped->text());
    REQUIRE(mapped->code() == StatusCode::kOk);
    CHECK(mounted_shares().size() == 1);
    write_file(local + "/file", version);
    CHECK(read_file(std::string(FileServer::kDirectory) + "/file") == version);

    CHECK(is_link(agent, local));
    // A link of the driver's own keeps no share mapped.
    const std::string own = local + "-own";
    fs::copy_symlink(local, own);
    CHECK(is_link(agent, own));

    // As csi-driver-smb ends it: first the link, then the mapping.
    v1::RmdirRequest link;
    link.set_path(local);
    agent.get<v1::RmdirResponse>("filesystem", "v1.Filesystem/Rmdir", link);
    CHECK(agent.call("smb", version + ".Smb/RemoveSmbGlobalMapping", removal())->code() ==
          StatusCode::kOk);
    CHECK(mounted_shares().empty());
    CHECK_FALSE(fs::exists(local));
    CHECK_FALSE(is_link(agent, own));
    fs::remove(own);
  }
}

TEST_CASE("A wrong password is told from a server that is away, and neither gets into the log") {
  FileServer server;
  GuestAgent agent;
  const std::string method = "v1.Smb/NewSmbGlobalMapping";
  const auto wrong = agent.call("smb", method, mapping(agent.root() + "/one", "Wr0ng-one"));
  CAPTURE(wrong->text());
  CHECK(wrong->code() == StatusCode::kPermissionDenied);
  server.stop();
  const auto away =
      agent.call("smb", method, mapping(agent.root() + "/one", FileServer::kFirstPassword));
  CAPTURE(away->text());
  CHECK(away->code() == StatusCode::kUnavailable);
  server.start();
  CHECK(agent.log().find("Wr0ng-one") == std::string::npos);
  CHECK(agent.log().find(FileServer::kFirstPassword) == std::string::npos);
}

TEST_CASE("A call that its client gives up keeps no share, though the server says nothing",
          "[thorough]") {
  if (!can_freeze()) return;
  FileServer server;
  GuestAgent agent;
  server.freeze();
  const auto request = mapping(agent.root() + "/one", FileServer::kFirstPassword);
  TestClient client(agent.socket("smb", "v1"));
  const auto given_up = client.start("v1.Smb/NewSmbGlobalMapping", request.SerializeAsString());
  // Until it has the share's turn.
  REQUIRE(eventually([&] {
    client.run_until([] { return false; }, std::chrono::milliseconds(100));
    return agent.call("smb", "v1.Smb/RemoveSmbGlobalMapping", removal())->code() ==
           StatusCode::kAborted;
  }));
  given_up->call->cancel();
  REQUIRE(client.run_until([&] { return given_up->finished(); }));
  const auto begin = std::chrono::steady_clock::now();
  const auto next = agent.call("smb", "v1.Smb/NewSmbGlobalMapping", request);
  CAPTURE(next->text());
  CHECK(next->code() == StatusCode::kUnavailable);
  CHECK_THAT(next->text(), Catch::Contains("an earlier call, which was given up"));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
  server.thaw();
  CHECK(eventually([&] {
    return agent.call("smb", "v1.Smb/NewSmbGlobalMapping", request)->code() == StatusCode::kOk;
  }));
  CHECK(agent.call("smb", "v1.Smb/RemoveSmbGlobalMapping", removal())->code() == StatusCode::kOk);
}

TEST_CASE("An agent ends in time though a mount hangs", "[thorough]") {
  if (!can_freeze()) return;
  FileServer server;
  {
    GuestAgent agent;
    server.freeze();
    const auto mapped = agent.call("smb", "v1.Smb/NewSmbGlobalMapping",
                                   mapping(agent.root() + "/one", FileServer::kFirstPassword),
                                   with_timeout(std::chrono::seconds(2)));
    CHECK(mapped->code() == StatusCode::kDeadlineExceeded);
    // The share's turn ended with the call, though the kernel still waits.
    const auto removed = agent.call("smb", "v1.Smb/RemoveSmbGlobalMapping", removal());
    CAPTURE(removed->text());
    CHECK(removed->code() == StatusCode::kOk);
    const auto begin = std::chrono::steady_clock::now();
    CHECK(agent.end_in_order() == 0);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
    CAPTURE(agent.log());
    CHECK(agent.log().find("the system has not ended 1 of this module's calls") !=
          std::string::npos);
  }
  server.thaw();
  GuestAgent agent;
  CHECK(agent
            .call("smb", "v1.Smb/NewSmbGlobalMapping",
                  mapping(agent.root() + "/one", FileServer::kFirstPassword))
            ->code() == StatusCode::kOk);
  CHECK(agent.call("smb", "v1.Smb/RemoveSmbGlobalMapping", removal())->code() == StatusCode::kOk);
}

TEST_CASE("An agent ends and starts again though its module's process cannot end", "[thorough]") {
  if (!can_freeze()) return;
  FileServer server;
  GuestAgent agent({.smb = "isolation = \"process\"\n"});
  const auto map = [&](std::chrono::seconds timeout) {
    return agent
        .call("smb", "v1.Smb/NewSmbGlobalMapping",
              mapping(agent.root() + "/one", FileServer::kFirstPassword), with_timeout(timeout))
        ->code();
  };
  REQUIRE(map(std::chrono::seconds(30)) == StatusCode::kOk);
  const size_t before = broken_connections();
  server.freeze();
  // From here on the kernel holds, while it waits, what threads wait for that no signal ends.
  REQUIRE(eventually([&] { return broken_connections() > before; }));
  CHECK(map(std::chrono::seconds(2)) == StatusCode::kDeadlineExceeded);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(agent.end_in_order() == 0);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  agent.start_again();
  server.thaw();
  CHECK(map(std::chrono::seconds(60)) == StatusCode::kOk);
  CHECK(agent.call("smb", "v1.Smb/RemoveSmbGlobalMapping", removal())->code() == StatusCode::kOk);
}
