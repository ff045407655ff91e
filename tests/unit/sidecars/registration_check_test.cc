// The kubelet's folder for registration sockets, as csi-sidecars --check looks at it.
#include "sidecars/registration_check.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>
#include <string>

#include "tests/support/temporary_directory.h"

namespace longshore::sidecars {
namespace {

config::Configuration registrar_at(const std::string& folder) {
  config::ModuleSettings module;
  module.name = "node-driver-registrar";
  module.settings = {{"csi_address", "/csi.sock"}, {"plugin_registration_path", folder}};
  config::Configuration configuration;
  configuration.modules = {module};
  return configuration;
}

std::string check(const config::Configuration& configuration,
                  const std::map<std::string, std::string>& drivers = {}) {
  std::ostringstream output;
  CheckReport report(output);
  check_registration(configuration, drivers, report);
  CHECK(report.has_wrong() == output.str().starts_with("wrong: "));
  return output.str();
}

TEST_CASE("the registration folder is looked at, and not made") {
  const longshore::test::TemporaryDirectory directory;
  const std::string folder = directory / "registration";
  const std::string end = "-reg.sock\": there is no folder " + folder +
                          "; see whether it is mounted, or give the socket another path\n";
  const std::string begin = "wrong: cannot listen on the socket \"" + folder;
  CHECK(check(registrar_at(folder), {{"/csi.sock", "d.example.com"}}) ==
        begin + "/d.example.com" + end);
  CHECK(check(registrar_at(folder + "//"), {{"/other.sock", "d"}}) == begin + "/{driver}" + end);
  CHECK_FALSE(std::filesystem::exists(folder));
  std::filesystem::create_directory(folder);
  CHECK(check(registrar_at(folder)) ==
        "ok: the folder of the registration socket \"" + folder + "\" is there\n");
}

TEST_CASE("a registration folder that nobody uses is not looked at") {
  config::Configuration configuration = registrar_at("/nowhere");
  SECTION("its controller is not enabled") { configuration.modules[0].enabled = false; }
  SECTION("its controller has none") {
    configuration.modules[0].settings.erase("plugin_registration_path");
  }
  SECTION("its controller refuses it") { configuration = registrar_at("registration"); }
  CHECK(check(configuration).empty());
}

}  // namespace
}  // namespace longshore::sidecars
