// A call that asks a server says that it would hang on it, however the share is written, and
// touches nothing when it is refused. RemoveSmbGlobalMapping asks none: csi-driver-smb can never
// unstage a volume for which that failed once, so a server that is silent must not refuse it.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "tests/support/build_tree.h"
#include "tests/support/outcome.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wire_writer.h"

namespace longshore::smb {
namespace {

using test::WireWriter;

TEST_CASE("to map hangs on the server, to take away on nothing") {
  const test::TemporaryDirectory directory;
  const testing::ModuleFile file(test::built_module("smb"));
  testing::FakeHost host(file.entry());
  REQUIRE(host.start({.settings = {{"allowed_roots", std::vector<std::string>{directory.path()}},
                                   {"mappings_directory", directory / "mappings"}}}));
  const auto call = [&](const std::string& method, const std::string& request) {
    return test::outcome(host.begin_bytes(method, request).wait_for_all_bytes());
  };
  // There is no directory for the link, which is found out before a server is asked.
  const auto map = [&](const std::string& version, const std::string& share) {
    return call(version + ".Smb/NewSmbGlobalMapping", WireWriter()
                                                          .text(1, share)
                                                          .text(2, directory / "missing/link")
                                                          .text(3, "user")
                                                          .text(4, "password"));
  };
  const auto unmap = [&](const std::string& version, const std::string& share) {
    return call(version + ".Smb/RemoveSmbGlobalMapping", WireWriter().text(1, share));
  };

  CHECK(map("v1", "//files") == "INVALID_ARGUMENT");
  CHECK(unmap("v1", "//files") == "INVALID_ARGUMENT");
  CHECK(host.bulkheads().empty());

  const std::string versions[] = {"v1alpha1", "v1beta1", "v1beta2", "v1"};
  for (const std::string& version : versions) {
    CHECK(map(version, "\\\\FILES.invalid\\one") == "NOT_FOUND");
    CHECK(unmap(version, "//files.Invalid/two/below") == "OK");
  }
  CHECK(host.bulkheads() == std::vector<std::string>(4, "files.invalid"));

  host.fill_bulkhead("files.invalid");
  for (const std::string& version : versions) {
    CHECK(map(version, "//files.invalid/one") == "UNAVAILABLE");
    CHECK(unmap(version, "//files.invalid/three") == "OK");
    CHECK(unmap(version, "//other.invalid/one") == "OK");
  }
}

}  // namespace
}  // namespace longshore::smb
