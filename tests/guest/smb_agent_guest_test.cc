// The smb group as its clients use it, in every version. "csi-proxy 14" is the case with that
// number in csi-proxy's integration tests.
#include <catch2/catch.hpp>
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
