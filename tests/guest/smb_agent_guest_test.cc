// The smb group as its clients use it, in every version. "csi-proxy 14" is the case with that
// number in csi-proxy's integration tests.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "filesystem/v1.pb.h"
#include "smb/v1.pb.h"
#include "support/linux/mount_table.h"
#include "tests/guest/file_server.h"
#include "tests/guest/guest_agent.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

bool is_mapped() {
  const auto mounts = support::read_mounts();
  REQUIRE(mounts);
  for (const support::Mount& mount : *mounts) {
    if (mount.type == "cifs") return true;
  }
  return false;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

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
    CHECK(is_mapped());
    write_file(local + "/file", version);
    CHECK(text_of(std::string(FileServer::kDirectory) + "/file") == version);

    v1::IsSymlinkRequest asked;
    asked.set_path(local);
    CHECK(agent.get<v1::IsSymlinkResponse>("filesystem", "v1.Filesystem/IsSymlink", asked)
              .is_symlink());

    // As csi-driver-smb ends it: first the link, then the mapping.
    v1::RmdirRequest link;
    link.set_path(local);
    agent.get<v1::RmdirResponse>("filesystem", "v1.Filesystem/Rmdir", link);
    CHECK(agent.call("smb", version + ".Smb/RemoveSmbGlobalMapping", removal())->code() ==
          StatusCode::kOk);
    CHECK_FALSE(is_mapped());
    CHECK_FALSE(fs::exists(local));
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
