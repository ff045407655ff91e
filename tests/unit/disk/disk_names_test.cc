// The module's settings on Linux.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/build_tree.h"
#include "tests/support/loaded_module.h"

namespace longshore::disk {
namespace {

using test::LoadedModule;

module::v1::Settings settings_with(const LoadedModule& module,
                                   const std::vector<std::string>& disk_names) {
  auto settings = module.default_settings();
  auto* names = (*settings.mutable_values())["disk_names"].mutable_strings_value();
  names->clear_values();
  for (const std::string& name : disk_names) names->add_values(name);
  return settings;
}

TEST_CASE("the module does not start without usable disk names") {
  LoadedModule module(test::built_module("disk"));
  const auto refusal = [&](const std::vector<std::string>& disk_names) {
    const Result<void> started = module.start(settings_with(module, disk_names));
    REQUIRE_FALSE(started);
    CHECK(started.error().code() == StatusCode::kInvalidArgument);
    return started.error().message();
  };
  SECTION("none") { CHECK_THAT(refusal({}), Catch::Contains("the option disk_names is empty")); }
  SECTION("an empty one") { CHECK_THAT(refusal({""}), Catch::Contains("no disk can have such")); }
  SECTION("a path") {
    CHECK_THAT(refusal({"sd*", "/dev/sda"}),
               Catch::Contains("\"/dev/sda\"") && Catch::Contains("without /dev/"));
  }
}

TEST_CASE("the options are those of Linux, and what is risky is off") {
  const LoadedModule module(test::built_module("disk"));
  const auto settings = module.default_settings();
  REQUIRE(settings.values().size() == 4);
  for (const char* name : {"overwrite_unknown_data", "offline_in_kernel", "clear_read_only"}) {
    CAPTURE(name);
    CHECK_FALSE(settings.values().at(name).bool_value());
  }
  const auto& names = settings.values().at("disk_names").strings_value().values();
  CHECK(std::vector<std::string>(names.begin(), names.end()) ==
        std::vector<std::string>{"sd*", "hd*", "vd*", "xvd*", "nvme*", "mmcblk*", "dasd*", "pmem*",
                                 "dm-*", "md*"});
}

}  // namespace
}  // namespace longshore::disk
