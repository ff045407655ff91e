// Paths of a configuration below the root of a HostProcess container.
#include <windows.h>

#include <catch2/catch.hpp>
#include <string>

#include "config/load.h"
#include "tests/unit/config/fake_catalog.h"

namespace longshore::config::test {
namespace {

constexpr const wchar_t* kContainerRoot = L"CONTAINER_SANDBOX_MOUNT_POINT";

// What containerd sets for the processes of the container.
struct InContainer {
  explicit InContainer(const wchar_t* root) { SetEnvironmentVariableW(kContainerRoot, root); }
  ~InContainer() { SetEnvironmentVariableW(kContainerRoot, nullptr); }
};

Result<Configuration> load_in_container(const std::string& text) {
  FakeCatalog catalog;
  return load_text(text, "agent.toml", catalog);
}

std::string finding_in_container(const std::string& text) {
  const auto configuration = load_in_container(text);
  return configuration ? std::string("none") : configuration.error().message();
}

}  // namespace

TEST_CASE("paths that begin with the variable lie below the container's root, others on the node") {
  // With a root of its own (containerd 1.7), and with one by the container's id (1.6).
  const auto root =
      GENERATE(std::pair(L"C:\\hpc\\", "C:\\hpc"), std::pair(L"C:\\C\\5f0c", "C:\\C\\5f0c"));
  const InContainer container(root.first);
  const auto read = load_in_container(
      "[agent]\nmodule_dirs = ['%CONTAINER_SANDBOX_MOUNT_POINT%\\longshore\\modules',\n"
      "               'C:\\%CONTAINER_SANDBOX_MOUNT_POINT%\\modules']\n"
      "[agent.log]\nfile = '%CONTAINER_SANDBOX_MOUNT_POINT%/log'\n"
      "[modules.disk]\nlibrary = '%CONTAINER_SANDBOX_MOUNT_POINT%\\acme\\disk.dll'\n");
  REQUIRE(read);
  CHECK(read->agent.module_dirs ==
        std::vector<std::string>{std::string(root.second) + "\\longshore\\modules",
                                 "C:\\%CONTAINER_SANDBOX_MOUNT_POINT%\\modules"});
  CHECK(read->agent.log.file == std::string(root.second) + "/log");
  CHECK(read->modules.at(0).library == std::string(root.second) + "\\acme\\disk.dll");
}

TEST_CASE("the variable is no path outside of such a container, nor with a relative root") {
  const std::string text = "[agent]\nstate_dir = '%CONTAINER_SANDBOX_MOUNT_POINT%\\state'\n";
  CHECK(finding_in_container(text) ==
        "agent.toml:2:13: \"agent.state_dir\" must be an absolute path, not "
        "\"%CONTAINER_SANDBOX_MOUNT_POINT%\\\\state\"");
  const InContainer container(L"hpc");
  CHECK(finding_in_container(text) ==
        "agent.toml:2:13: \"agent.state_dir\" must be an absolute path, not \"hpc\\\\state\"");
}

TEST_CASE("what only begins like the variable is not replaced") {
  const InContainer container(L"C:\\hpc\\");
  CHECK(
      finding_in_container("[agent]\nmodule_dirs = ['%CONTAINER_SANDBOX_MOUNT_POINT%2\\modules']\n")
          .find("not \"%CONTAINER_SANDBOX_MOUNT_POINT%2") != std::string::npos);
}

TEST_CASE("two ways of writing one folder are the same folder twice") {
  const InContainer container(L"C:\\hpc\\");
  CHECK(finding_in_container(
            "[agent]\nmodule_dirs = ['%CONTAINER_SANDBOX_MOUNT_POINT%\\m', 'C:\\hpc\\m']\n")
            .find("twice") != std::string::npos);
}

}  // namespace longshore::config::test
