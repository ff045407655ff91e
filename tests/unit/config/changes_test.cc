#include "config/changes.h"

#include <catch2/catch.hpp>

#include "config/load.h"
#include "fake_catalog.h"

namespace longshore::config::test {
namespace {

using Texts = std::vector<std::string>;

Changes changes(std::string_view old_text, std::string_view new_text) {
  FakeCatalog catalog;
  const auto old_one = load_text(old_text, "old", catalog);
  const auto new_one = load_text(new_text, "new", catalog);
  REQUIRE(old_one.ok());
  REQUIRE(new_one.ok());
  return changes_between(old_one.value(), new_one.value());
}

}  // namespace

TEST_CASE("a controller is named as one") {
  CHECK(changes("", "[controllers.beat]\n").sentences == Texts{"the controller \"beat\" is added"});
  CHECK(changes("[controllers.beat]\n", "[controllers.beat]\nmax_stuck_calls = 3\n").sentences ==
        Texts{"controllers.beat.max_stuck_calls is changed from 4 to 3"});
}

TEST_CASE("the same settings under another file name are no change") {
  const Changes none = changes("", "[agent]\nstop_timeout = \"30s\"\n");
  CHECK(none.sentences.empty());
  CHECK(none.need_restart.empty());
}

TEST_CASE("keys that the running agent cannot change are named") {
  const Changes found = changes("", R"(
[agent]
run_dir = "/a"
control_dir = "/b"
state_dir = "/c"
stop_timeout = "1s"
[agent.log]
level = "debug"
format = "json"
[agent.limits]
max_images = 1
)");
  CHECK(found.need_restart == Texts{"agent.control_dir", "agent.limits.max_images",
                                    "agent.log.format", "agent.run_dir", "agent.state_dir"});
  CHECK(found.sentences.size() == 7);
}

TEST_CASE("a changed key is told with its old and its new value") {
  const Changes found = changes("[modules.disk]\n",
                                "[agent]\nstop_timeout = \"1m\"\n[endpoints.csi_proxy_access]\n"
                                "mode = \"0660\"\n[modules.disk]\ndeny_methods = "
                                "[\"v1.Disk/FormatDisk\"]\n");
  CHECK(found.need_restart.empty());
  CHECK(found.sentences ==
        Texts{"agent.stop_timeout is changed from \"30s\" to \"1m\"",
              "endpoints.csi_proxy_access.mode is changed from \"0600\" to \"0660\"",
              "modules.disk.deny_methods is changed from [] to [\"v1.Disk/FormatDisk\"]"});
}

TEST_CASE("modules and endpoints that come and go have one sentence each") {
  const Changes found = changes(
      "[modules.disk]\n[modules.disk-2]\nenabled = false\n",
      "[modules.disk]\n[modules.volume]\nmethods.\"v1.Volume/MountVolume\".timeout = \"1s\"\n"
      "[endpoints.all]\naddress = \"unix:///x\"\nservices = [\"v1.Disk\"]\n");
  CHECK(found.sentences == Texts{"the endpoint \"all\" is added",
                                 "the module \"disk-2\" is removed",
                                 "the module \"volume\" is added"});
  CHECK(found.need_restart.empty());
}

TEST_CASE("limits of single methods come and go as keys") {
  const std::string with = "[modules.disk]\nmethods.\"v1.Disk/ListDisks\".timeout = \"1s\"\n";
  CHECK(changes("[modules.disk]\n", with).sentences ==
        Texts{"modules.disk.methods.\"v1.Disk/ListDisks\".timeout is set to \"1s\""});
  CHECK(changes(with, "[modules.disk]\n").sentences ==
        Texts{"modules.disk.methods.\"v1.Disk/ListDisks\".timeout is removed"});
}

TEST_CASE("values of a module's own settings stay out of the sentences") {
  const Changes found = changes("[modules.volume.settings]\npassword = \"old\"\nretries = 1\n",
                                "[modules.volume.settings]\npassword = \"new\"\nretries = 2\n");
  CHECK(found.sentences == Texts{"modules.volume.settings.password is changed",
                                 "modules.volume.settings.retries is changed"});
}

TEST_CASE("a module that is switched off loses its settings and is told of by that key") {
  const Changes found = changes("[modules.disk]\n", "[modules.disk]\nenabled = false\n");
  CHECK(found.sentences == Texts{"modules.disk.enabled is changed from true to false"});
}

}  // namespace longshore::config::test
