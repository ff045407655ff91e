#include "config/sample.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "config/show.h"
#include "fake_catalog.h"

namespace longshore::config::test {
namespace {

std::string sample_of_all() {
  FakeCatalog catalog;
  return sample({{"disk", catalog.schemas.at("longshore-disk")},
                 {"beat", catalog.schemas.at("longshore-beat")},
                 {"guarded", catalog.schemas.at("longshore-guarded")},
                 {"volume", catalog.schemas.at("longshore-volume")}});
}

// Takes the # away from every "#key = value" and "#[table]".
std::string switched_on(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const bool off = line.size() > 1 && line[0] == '#' && line[1] != ' ';
    result += (off ? line.substr(1) : line) + '\n';
  }
  return result;
}

Loaded loaded_sample(const std::string& text) {
  FakeCatalog catalog;
  auto read = load_text_with_origins(text, "sample.toml", catalog);
  if (!read) FAIL(read.error().message());
  return *std::move(read);
}

}  // namespace

TEST_CASE("a sample loads as it is and means the defaults") {
  const Loaded read = loaded_sample(sample_of_all());
  CHECK(diff(loaded_sample(
                 "[modules.disk]\n[modules.volume]\n[modules.guarded]\nsettings.roots = []\n"
                 "[controllers.beat]\n"),
             read)
            .empty());
}

TEST_CASE("every line of a sample that is switched off loads too, and is the default") {
  const Loaded read = loaded_sample(switched_on(sample_of_all()));
  REQUIRE(read.configuration.endpoints.size() == 1);
  CHECK(read.configuration.endpoints[0].services ==
        std::vector<std::string>{"v1.Disk", "v1.Guarded", "v1.Volume"});
  for (const std::string& line : diff(loaded_sample(sample_of_all()), read)) {
    CAPTURE(line);
    const bool is_example = line.starts_with("+ endpoints.all.") ||
                            line.find(".methods.") != std::string::npos ||
                            line.find(".permissions.readers.") != std::string::npos;
    CHECK(is_example);
  }
}

TEST_CASE("a sample has every key that is shown") {
  const Loaded read = loaded_sample(switched_on(sample_of_all()));
  const std::string shown = show(read, true);
  CHECK(shown.find("# default") == std::string::npos);
}

TEST_CASE("a sample says what keys mean, their values, ranges and when a restart is needed") {
  const std::string text = sample_of_all();
  CHECK(
      text.find("# How long running calls and the modules together get when the agent stops. From "
                "\"1ms\" to \"1h\".\n#stop_timeout = \"30s\"\n") != std::string::npos);
  CHECK(text.find("# Folder of what the agent must remember over restarts. A change needs a "
                  "restart.\n") != std::string::npos);
  CHECK(text.find("# What volumes are made with. One of \"ext4\", \"xfs\".\n"
                  "#filesystem = \"ext4\"\n") != std::string::npos);
  CHECK(text.find("# Folders that may be used. Required.\nroots = []\n") != std::string::npos);
  CHECK(text.find("# Volumes on disks.\n[modules.volume]\n") != std::string::npos);
}

TEST_CASE("a sample allows a module what it says that it calls") {
  FakeCatalog catalog;
  catalog.schemas["longshore-disk"].calls = {"v1.Volume/MountVolume"};
  const std::string text = sample({{"beat", catalog.schemas.at("longshore-beat")},
                                   {"disk", catalog.schemas.at("longshore-disk")}});
  CHECK_THAT(text, Catch::Contains("\n# Methods, or whole services, of other modules that this "
                                   "module may call.\nmay_call = [\"v1.Volume/MountVolume\"]\n"));
  const auto read = load_text_with_origins(text, "sample.toml", catalog);
  REQUIRE(read);
  CHECK(read->configuration.modules.at(1).may_call ==
        std::vector<std::string>{"v1.Volume/MountVolume"});
}

TEST_CASE("texts of a module stay in the comment, however they are written") {
  ModuleSchema schema;
  schema.summary = "One\n[agent]\r\nrun_dir = 3";
  OptionSchema& option = schema.options.emplace_back();
  option.name = "odd key";
  option.type = OptionType::kBool;
  option.default_value = true;
  option.doc = std::string(300, 'w') + "\n[endpoints]\n\x1b[2J";
  const std::string text = sample({{"disk", schema}});
  CHECK(text.find("\n# One [agent] run_dir = 3\n[modules.disk]\n") != std::string::npos);
  CHECK(text.find("\n#\"odd key\" = true\n") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("lines of a sample fit a hundred columns") {
  std::istringstream lines(sample_of_all());
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("a sample without modules is the agent's own keys") {
  const std::string text = sample({});
  Configuration expected;
  expected.files = {"sample.toml"};
  CHECK(loaded_sample(text).configuration == expected);
  CHECK(text.find("modules.") == std::string::npos);
}

}  // namespace longshore::config::test
