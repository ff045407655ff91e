// What each method says that it would hang on, and that it touches nothing when it is refused.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "tests/support/build_tree.h"
#include "tests/support/outcome.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tmpfs_mount.h"
#include "tests/support/wire_writer.h"

namespace longshore::filesystem {
namespace {

using test::outcome;
using test::WireWriter;

struct Hosted {
  Hosted() {
    std::filesystem::create_directory(directory / "volume");
    REQUIRE(
        host.start({.settings = {{"allowed_roots", std::vector<std::string>{directory.path()}}}}));
  }

  // Of every version, all methods, each for this path. How they end.
  std::vector<std::string> call_all(const std::string& path,
                                    const testing::CallOptions& options = {}) {
    const std::string alone = WireWriter().text(1, path);
    const std::string link = WireWriter().text(1, directory / "source").text(2, path);
    std::vector<std::string> outcomes;
    const auto call = [&](const std::string& method, const std::string& request) {
      outcomes.push_back(outcome(host.begin_bytes(method, request, options).wait_for_all_bytes()));
    };
    for (const std::string version : {"v1alpha1", "v1beta1", "v1beta2", "v1", "v2alpha1"}) {
      const bool is_old = version == "v1alpha1" || version == "v1beta1";
      const std::string service = version + ".Filesystem/";
      call(service + "PathExists", alone);
      call(service + "Mkdir", alone);
      if (version == "v2alpha1") call(service + "RmdirContents", alone);
      call(service + (is_old ? "IsMountPoint" : "IsSymlink"), alone);
      call(service + "Rmdir", alone);
      call(service + (is_old ? "LinkPath" : "CreateSymlink"), link);
      call(service + "Rmdir", alone);
    }
    return outcomes;
  }

  const test::TemporaryDirectory directory;
  const testing::ModuleFile file{test::built_module("filesystem")};
  testing::FakeHost host{file.entry()};
};

TEST_CASE("every method hangs on the filesystem that is mounted above its path") {
  Hosted hosted;
  const test::TmpfsMount volume(hosted.directory / "volume");
  const auto outcomes = hosted.call_all(hosted.directory / "volume/x");
  CHECK(outcomes == std::vector<std::string>(outcomes.size(), "OK"));
  CHECK(hosted.host.bulkheads() == std::vector<std::string>(outcomes.size(), volume.bulkhead()));
}

TEST_CASE("too many hang there: nothing is touched") {
  Hosted hosted;
  const test::TmpfsMount volume(hosted.directory / "volume");
  hosted.host.fill_bulkhead(volume.bulkhead());
  const auto outcomes = hosted.call_all(hosted.directory / "volume/x");
  CHECK(outcomes == std::vector<std::string>(outcomes.size(), "UNAVAILABLE"));
  CHECK(std::filesystem::is_empty(hosted.directory / "volume"));
  // And elsewhere all is well.
  const auto elsewhere = hosted.call_all(hosted.directory / "x");
  CHECK(elsewhere == std::vector<std::string>(elsewhere.size(), "OK"));
}

TEST_CASE("no method goes on along links when its time is over") {
  Hosted hosted;
  std::filesystem::create_directory_symlink(hosted.directory / "volume", hosted.directory / "link");
  const auto outcomes =
      hosted.call_all(hosted.directory / "link/x", {.timeout = std::chrono::nanoseconds(0)});
  CHECK(outcomes == std::vector<std::string>(outcomes.size(), "DEADLINE_EXCEEDED"));
}

TEST_CASE("where no more is known than the path nothing is said, nor of what is refused anyway") {
  Hosted hosted;
  hosted.call_all(hosted.directory / "volume/x");
  hosted.call_all("/etc/x");
  hosted.call_all("relative");
  CHECK(hosted.host.bulkheads().empty());
}

}  // namespace
}  // namespace longshore::filesystem
