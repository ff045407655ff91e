// What is denied in one version of a method and served in another.
#include <catch2/catch.hpp>

#include "config/loaded.h"
#include "fake_catalog.h"

namespace longshore::config::test {
namespace {

using Lines = std::vector<std::string>;

// Of a module that serves the service Disk in three versions, and other things.
Lines warnings_of(const std::string& text, bool has_csi_proxy_sockets = true) {
  FakeCatalog catalog;
  ModuleSchema& schema = catalog.schemas["longshore-disk"];
  schema.services = {"v1beta3.Disk", "v1.Disk", "v2alpha1.Disk", "acme.v1.Disk", "v1.Tape"};
  schema.methods.clear();
  for (const std::string& service : schema.services) {
    schema.methods.push_back(service + "/ListDisks");
    schema.methods.push_back(service + "/FormatDisk");
  }
  schema.csi_proxy_sockets.clear();
  if (has_csi_proxy_sockets) schema.csi_proxy_sockets = {"disk-v1"};
  const auto loaded = load_text_with_origins("[modules.disk]\n" + text, "agent.toml", catalog);
  if (!loaded) FAIL(loaded.error().message());
  return loaded->warnings;
}

}  // namespace

TEST_CASE("a method that is denied in one version and open in others is warned of at its place") {
  CHECK(warnings_of("deny_methods = [\"v1.Tape/ListDisks\",\n  \"v1.Disk/FormatDisk\"]\n") ==
        Lines{"agent.toml:3:3: \"modules.disk.deny_methods\" denies \"v1.Disk/FormatDisk\" and "
              "leaves the same method of other versions open: \"v1beta3.Disk/FormatDisk\", "
              "\"v2alpha1.Disk/FormatDisk\"; deny these too, or do not serve their versions"});
}

TEST_CASE("each method that is denied too is named no more, and none is when all are") {
  const Lines two =
      warnings_of("deny_methods = [\"v1.Disk/FormatDisk\", \"v1beta3.Disk/FormatDisk\"]\n");
  REQUIRE(two.size() == 2);
  for (const std::string& line : two) {
    CHECK(line.find("open: \"v2alpha1.Disk/FormatDisk\";") != std::string::npos);
  }
  CHECK(warnings_of("deny_methods = [\"v1.Disk/FormatDisk\", \"v1beta3.Disk/FormatDisk\", "
                    "\"v2alpha1.Disk/FormatDisk\"]\n")
            .empty());
  CHECK(warnings_of("deny_methods = [\"acme.v1.Disk/FormatDisk\"]\n").empty());
  CHECK(warnings_of("").empty());
}

TEST_CASE("versions that nobody can reach are no reason to warn") {
  const std::string denied = "deny_methods = [\"v1.Disk/FormatDisk\"]\n";
  const std::string closed = denied + "[endpoints]\ncsi_proxy = false\n";
  CHECK(warnings_of(closed).empty());
  CHECK(warnings_of(denied, false).empty());
  const std::string endpoint = "[endpoints.all]\naddress = \"unix:///run/x.sock\"\nservices = ";
  CHECK(warnings_of(closed + endpoint + "[\"v1.Disk\"]\n").empty());
  CHECK(warnings_of(closed + endpoint + "[\"v1.Disk\", \"v1beta3.Disk\"]\n").size() == 1);
  CHECK(warnings_of(closed + "[modules.volume]\nmay_call = [\"v2alpha1.Disk/FormatDisk\"]\n")
            .size() == 1);
}

}  // namespace longshore::config::test
