// The module's settings on Linux.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/build_tree.h"
#include "tests/support/loaded_module.h"

namespace longshore::volume {
namespace {

using test::LoadedModule;

void put(module::v1::Settings& settings, const std::string& option,
         const std::vector<std::string>& texts) {
  auto* values = (*settings.mutable_values())[option].mutable_strings_value();
  values->clear_values();
  for (const std::string& text : texts) values->add_values(text);
}

TEST_CASE("the module does not start with settings that it cannot use") {
  LoadedModule module(test::built_module("volume"));
  auto settings = module.default_settings();
  put(settings, "disk_names", {"no-such-disk"});
  const auto refusal = [&] {
    const Result<void> started = module.start(settings);
    REQUIRE_FALSE(started);
    CHECK(started.error().code() == StatusCode::kInvalidArgument);
    return started.error().message();
  };
  SECTION("no disk name") {
    put(settings, "disk_names", {});
    CHECK_THAT(refusal(), Catch::Contains("the option disk_names is empty"));
  }
  SECTION("no root") {
    put(settings, "allowed_roots", {});
    CHECK_THAT(refusal(), Catch::Contains("allowed_roots") && Catch::Contains("no directory"));
  }
  SECTION("a relative root") {
    put(settings, "allowed_roots", {"var/lib/kubelet"});
    CHECK_THAT(refusal(), Catch::Contains("use as an allowed root \"var/lib/kubelet\""));
  }
  SECTION("a relative directory of mkfs") {
    (*settings.mutable_values())["mkfs_directory"].set_string_value("sbin");
    CHECK_THAT(refusal(), Catch::Contains("use as mkfs_directory \"sbin\""));
  }
  SECTION("what is no type of a filesystem") {
    put(settings, "allowed_filesystems", {"ext4", "*"});
    CHECK_THAT(refusal(), Catch::Contains("use in allowed_filesystems \"*\""));
  }
}

TEST_CASE("the options have defaults, and the agent knows every filesystem that there is") {
  const LoadedModule module(test::built_module("volume"));
  const auto settings = module.default_settings();
  REQUIRE(settings.values().size() == 8);
  const auto& values = settings.values();
  CHECK(values.at("allowed_roots").strings_value().values(0) == "/var/lib/kubelet");
  CHECK(values.at("disk_names").strings_value().values(0) == "sd*");
  CHECK(values.at("filesystem").string_value() == "ext4");
  const auto& allowed = values.at("allowed_filesystems").strings_value().values();
  CHECK(std::vector<std::string>(allowed.begin(), allowed.end()) ==
        std::vector<std::string>{"ext4", "xfs", "btrfs", "ntfs"});
  CHECK(values.at("mkfs_directory").string_value() == "/usr/sbin");
  CHECK_FALSE(values.at("mount_read_only_disks").bool_value());
  CHECK_FALSE(values.at("skip_journal_replay").bool_value());
  CHECK_FALSE(values.at("overwrite_unknown_data").bool_value());
  // Whatever else is configured the agent refuses with this list, before the module starts.
  for (const auto& option : module.description().options()) {
    const std::vector<std::string> one_of(option.one_of().begin(), option.one_of().end());
    CAPTURE(option.name());
    CHECK(one_of == (option.name() == "filesystem"
                         ? std::vector<std::string>{"ext4", "xfs", "btrfs", "ntfs"}
                         : std::vector<std::string>{}));
  }
}

}  // namespace
}  // namespace longshore::volume
