// The module as its DLL: settings, and each version's methods called with bytes. Links are left
// out, since Wine makes none.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "tests/support/build_tree.h"
#include "tests/support/outcome.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wire_writer.h"

namespace longshore::filesystem {
namespace {

using test::outcome;
using test::WireWriter;

// What the wire says of one version: csi-proxy's names and field numbers.
struct WindowsVersion {
  std::string name, link_question;
  uint32_t force, exists;
};
const WindowsVersion kWindowsVersions[] = {
    {"v1alpha1", "IsMountPoint", 3, 2}, {"v1beta1", "IsMountPoint", 3, 2},
    {"v1beta2", "IsSymlink", 2, 1},     {"v1", "IsSymlink", 2, 1},
    {"v2alpha1", "IsSymlink", 2, 1},
};

struct HostedModule {
  // The answer's bytes, or the code's name.
  std::string call(const std::string& method, const std::string& request) {
    const auto answers = host.begin_bytes(method, request).wait_for_all_bytes();
    if (!answers) return status_code_name(answers.error().code());
    return answers->empty() ? "no answer" : answers->front();
  }

  const test::TemporaryDirectory directory;
  const testing::ModuleFile file{test::built_module("filesystem")};
  testing::FakeHost host{file.entry()};
};

TEST_CASE("each version of the DLL takes a tree through its life") {
  HostedModule module;
  REQUIRE(module.host.start(
      {.settings = {
           {"allowed_roots", std::vector<std::string>{module.directory.path().string()}}}}));
  for (const WindowsVersion& version : kWindowsVersions) {
    CAPTURE(version.name);
    const std::string service = version.name + ".Filesystem/";
    const auto path = [&](const std::string& name) {
      return WireWriter().text(1, module.directory / name);
    };
    const std::string yes = WireWriter().number(version.exists, 1);
    CHECK(module.call(service + "PathExists", path("stage\\a")) == "");
    CHECK(module.call(service + "Mkdir", path("stage\\a")) == "");
    CHECK(module.call(service + "Mkdir", path("stage\\a")) == "");
    CHECK(module.call(service + "PathExists", path("stage\\a")) == yes);
    CHECK(module.call(service + version.link_question, path("stage\\a")) == "");
    CHECK(module.call(service + "Rmdir", path("stage")) == "FAILED_PRECONDITION");
    CHECK(module.call(service + "Rmdir", path("stage").number(version.force, 1)) == "");
    CHECK(module.call(service + "Rmdir", path("stage")) == "NOT_FOUND");
    CHECK(module.call(service + "Rmdir", path("stage").number(version.force, 1)) == "");
    CHECK(module.call(service + version.link_question, path("stage")) == "NOT_FOUND");
    CHECK(module.call(service + "PathExists", WireWriter().text(1, "C:\\windows")) ==
          "PERMISSION_DENIED");
    CHECK(module.call(service + "PathExists", WireWriter().text(1, "/var/lib/kubelet")) ==
          "INVALID_ARGUMENT");
  }
}

TEST_CASE("RmdirContents of the DLL keeps the directory") {
  HostedModule module;
  REQUIRE(module.host.start(
      {.settings = {
           {"allowed_roots", std::vector<std::string>{module.directory.path().string()}}}}));
  std::filesystem::create_directories(module.directory / "top\\a\\b");
  const std::string request = WireWriter().text(1, module.directory / "top");
  CHECK(module.call("v1.Filesystem/RmdirContents", request) == "UNIMPLEMENTED");
  CHECK(module.call("v2alpha1.Filesystem/RmdirContents", request) == "");
  CHECK(std::filesystem::is_empty(module.directory / "top"));
}

TEST_CASE("the DLL's working directory is csi-proxy's unless the settings say otherwise") {
  HostedModule module;
  REQUIRE(module.host.start());
  CHECK(module.call("v1.Filesystem/PathExists",
                    WireWriter().text(1, "c:\\VAR\\lib\\kubelet\\pods")) == "");
  CHECK(module.call("v1.Filesystem/PathExists", WireWriter().text(1, "C:\\var\\lib\\kubeletX")) ==
        "PERMISSION_DENIED");
}

TEST_CASE("settings that the DLL cannot use keep it from starting") {
  const std::vector<std::string> roots = GENERATE(values<std::vector<std::string>>(
      {{}, {"/var/lib/kubelet"}, {"relative"}, {"\\\\server\\share"}, {"C:\\ok", "C:\\..\\x"}}));
  HostedModule module;
  CHECK(outcome(module.host.start({.settings = {{"allowed_roots", roots}}})) == "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace longshore::filesystem
