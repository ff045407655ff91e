// The flags of the real livenessprobe, and an agent's view of the configuration that they make.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/load.h"
#include "core/inspected_modules.h"
#include "main/described_services.h"
#include "sidecars/command_line.h"
#include "tests/support/build_tree.h"

namespace longshore::sidecars {
namespace {

TEST_CASE("livenessprobe's flags make a configuration that an agent takes") {
  const std::string folder = longshore::test::built_modules();
  const InstalledControllers installed = read_installed_controllers({folder});
  REQUIRE(installed.described.contains("livenessprobe"));
  const auto line = parse_command_line(
      {"--controllers=livenessprobe", "--module-dir", folder, "--csi-address=/csi/csi.sock",
       "--probe-timeout=1m30s", "--http-endpoint=:9809", "--metrics-address=", "-v=5"},
      installed);
  INFO((line ? "" : line.error().message()));
  REQUIRE(line);
  auto services = described_services();
  REQUIRE(services);
  core::InspectedModules modules({}, services->all);
  const auto loaded = config::load_text(line->configuration, "the flags", modules);
  INFO((loaded ? "" : loaded.error().message()));
  REQUIRE(loaded);
  CHECK_FALSE(loaded->csi_proxy.enabled);
  CHECK(loaded->agent.log.level == "debug");
  CHECK(loaded->agent.http.address == "[::]:9809");
  REQUIRE(loaded->modules.size() == 1);
  const config::ModuleSettings& probe = loaded->modules.front();
  CHECK(probe.is_controller);
  CHECK(probe.may_call == std::vector<std::string>{"longshore.host.v1.Csi/CallIdentity",
                                                   "longshore.host.v1.Http/Serve",
                                                   "longshore.host.v1.Http/Respond"});
  const auto setting = [&](const char* name) { return probe.settings.at(name); };
  CHECK(setting("csi_address") == config::OptionValue(std::string("/csi/csi.sock")));
  CHECK(setting("http_endpoint") == config::OptionValue(std::string(":9809")));
  CHECK(setting("health_port") == config::OptionValue(int64_t{9808}));
  CHECK(setting("probe_timeout") == config::OptionValue(int64_t{90'000'000'000}));
}

TEST_CASE("livenessprobe has the sidecar's own defaults") {
  const auto described =
      read_installed_controllers({longshore::test::built_modules()}).described.at("livenessprobe");
  const auto default_of = [&](const char* name) {
    const auto found = std::ranges::find(described.options, name, &config::OptionSchema::name);
    REQUIRE(found != described.options.end());
    return *found->default_value;
  };
  CHECK(default_of("csi_address") == config::OptionValue(std::string("/run/csi/socket")));
  CHECK(default_of("probe_timeout") == config::OptionValue(int64_t{3'000'000'000}));
  CHECK(default_of("health_port") == config::OptionValue(int64_t{9808}));
}

TEST_CASE("folders without modules, or that are not there, have no controllers") {
  const InstalledControllers none = read_installed_controllers({"/no/such/folder", "/proc"});
  CHECK(none.described.empty());
  const auto chosen = chosen_controllers("livenessprobe", none);
  REQUIRE_FALSE(chosen);
  CHECK_THAT(chosen.error().message(),
             Catch::EndsWith("; installed are: none in \"/no/such/folder\", which is no folder, "
                             "\"/proc\"; name their folder with --module-dir"));
}

TEST_CASE("a folder that is named and not there is told where a controller is not found") {
  InstalledControllers installed =
      read_installed_controllers({"/no", longshore::test::built_modules()});
  const auto error = [&] { return chosen_controllers("nonesuch", installed).error().message(); };
  CHECK_THAT(error(), Catch::Contains("; they are looked for in \"/no\", which is no folder, \""));
  // The usual one need not be there.
  std::swap(installed.folders.front(), installed.folders.back());
  CHECK_THAT(error(), !Catch::Contains("which is no folder"));
}

}  // namespace
}  // namespace longshore::sidecars
