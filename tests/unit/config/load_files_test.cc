// Files and conf.d: order, merging, origins, and files that cannot be read.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "config/loaded.h"
#include "fake_catalog.h"
#include "tests/support/temporary_directory.h"

namespace longshore::config::test {

namespace fs = std::filesystem;
using longshore::test::TemporaryDirectory;
using longshore::test::write_file;

namespace {

// A folder with agent.toml and conf.d.
class Folder {
 public:
  Folder() { fs::create_directory(directory_ / "conf.d"); }

  std::string file() const { return directory_ / "agent.toml"; }
  std::string part(const std::string& name) const { return directory_ / ("conf.d/" + name); }

  Result<Loaded> load(const LoadOptions& options = {}) {
    FakeCatalog catalog;
    return load_files_with_origins(file(), catalog, options);
  }
  Configuration configuration() {
    auto loaded = load();
    if (!loaded) FAIL(loaded.error().message());
    return std::move(loaded->configuration);
  }
  std::string message(const LoadOptions& options = {}) {
    const auto loaded = load(options);
    return loaded.ok() ? "loaded" : loaded.error().message();
  }

 private:
  const TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("files of conf.d follow the main file in the order of their names") {
  Folder folder;
  write_file(folder.file(),
             "[agent]\nrun_dir = \"/0\"\nstate_dir = \"/0\"\ncontrol_dir = \"/0\"\n");
  write_file(folder.part("20-b.toml"), "[agent]\nrun_dir = \"/20\"\n");
  write_file(folder.part("10-a.toml"), "[agent]\nrun_dir = \"/10\"\nstate_dir = \"/10\"\n");
  const Configuration read = folder.configuration();
  CHECK(read.agent.run_dir == "/20");
  CHECK(read.agent.state_dir == "/10");
  CHECK(read.agent.control_dir == "/0");
  CHECK(read.files == std::vector<std::string>{folder.file(), folder.part("10-a.toml"),
                                               folder.part("20-b.toml")});
}

TEST_CASE("only files named *.toml that are not hidden are read from conf.d") {
  Folder folder;
  write_file(folder.file(), "");
  for (const auto* name : {"a.toml~", "a.toml.rpmsave", ".a.toml", "README", "toml"}) {
    write_file(folder.part(name), "this is no TOML");
  }
  CHECK(folder.configuration().files == std::vector<std::string>{folder.file()});
}

TEST_CASE("a configuration without conf.d is the main file alone") {
  Folder folder;
  fs::remove(folder.part(""));
  write_file(folder.file(), "");
  Configuration expected;
  expected.files = {folder.file()};
  CHECK(folder.configuration() == expected);
}

TEST_CASE("later files replace arrays as a whole and merge tables") {
  Folder folder;
  write_file(folder.file(), R"(
[agent]
module_dirs = ["/a", "/b"]
[modules.volume]
max_queued_calls = 5
methods."v1.Volume/FormatVolume".timeout = "1m"
settings.hints = ["one", "two"]
settings.retries = 1
)");
  write_file(folder.part("a.toml"), R"(
[agent]
module_dirs = ["/c"]
[modules.volume]
max_concurrent_calls = 6
methods."v1.Volume/MountVolume".timeout = "2m"
settings.hints = []
[modules.disk]
)");
  const Configuration read = folder.configuration();
  CHECK(read.agent.module_dirs == std::vector<std::string>{"/c"});
  REQUIRE(read.modules.size() == 2);
  const ModuleSettings& volume = read.modules[1];
  CHECK(volume.max_queued_calls == 5);
  CHECK(volume.max_concurrent_calls == 6);
  CHECK(volume.method_timeouts.size() == 2);
  CHECK(volume.settings.at("hints") == OptionValue(std::vector<std::string>()));
  CHECK(volume.settings.at("retries") == OptionValue(int64_t{1}));
}

TEST_CASE("a later file can switch off what an earlier one has") {
  Folder folder;
  write_file(folder.file(), "[modules.tape]\n[modules.disk]\n");
  write_file(folder.part("local.toml"), "modules.tape.enabled = false\n");
  CHECK_FALSE(folder.configuration().modules.at(1).enabled);
}

TEST_CASE("a duplicate inside one file is an error though it is none over two") {
  Folder folder;
  write_file(folder.file(), "[agent]\nrun_dir = \"/a\"\n");
  write_file(folder.part("a.toml"), "[agent]\nrun_dir = \"/b\"\nrun_dir = \"/c\"\n");
  CHECK(folder.message() == folder.part("a.toml") +
                                ":3:11: this is not valid TOML: Error while parsing key-value "
                                "pair: cannot redefine existing string 'run_dir'");
}

TEST_CASE("findings of all files are reported, in the order of merging") {
  Folder folder;
  write_file(folder.file(), "[agent]\nrundir = \"/a\"\n");
  write_file(folder.part("b.toml"), "[modules.disk]\nenabled = 1\n");
  write_file(folder.part("a.toml"), "\n\n[agent.log]\nlevel = \"loud\"\n");
  CHECK(folder.message() ==
        folder.file() + ":2:1: unknown key \"agent.rundir\"; did you mean \"run_dir\"?\n" +
            folder.part("a.toml") +
            ":4:9: \"agent.log.level\" must be one of \"debug\", \"info\", \"warning\", "
            "\"error\", not \"loud\"\n" +
            folder.part("b.toml") +
            ":2:11: \"modules.disk.enabled\" must be true or false, not an integer");
}

TEST_CASE("a mistake in an early file is reported though a later file replaces the value") {
  Folder folder;
  write_file(folder.file(), "[agent]\nrun_dir = 3\n");
  write_file(folder.part("a.toml"), "[agent]\nrun_dir = \"/b\"\n");
  CHECK(folder.message() == folder.file() +
                                ":2:11: \"agent.run_dir\" must be a string, not an "
                                "integer");
}

TEST_CASE("a mistake in a later file does not hide what the earlier value leads to") {
  Folder folder;
  write_file(folder.file(),
             "[modules.disk]\n[endpoints.all]\naddress = \"unix:///a\"\n"
             "services = [\"v1.Disk\", \"v1.Tape\"]\n");
  write_file(folder.part("a.toml"), "endpoints.all.services = [7]\n");
  CHECK(
      folder.message() ==
      folder.file() +
          ":4:24: \"endpoints.all.services\" names \"v1.Tape\", which no enabled module serves\n" +
          folder.part("a.toml") +
          ":1:27: \"endpoints.all.services\" must have only strings, not "
          "an integer");
}

TEST_CASE("an unreadable part is reported with the mistakes of the other files") {
  Folder folder;
  write_file(folder.file(), "[agent]\nrundir = \"/a\"\n[endpoints.all]\n");
  write_file(folder.part("a.toml"), "[agent\n");
  const std::string message = folder.message();
  CHECK(message.find("did you mean \"run_dir\"?") != std::string::npos);
  CHECK(message.find(folder.part("a.toml") + ":1:7: this is not valid TOML") != std::string::npos);
  // What the broken file says of the endpoint is unknown.
  CHECK(message.find("no address") == std::string::npos);
}

TEST_CASE("every value keeps the file, line and column that it came from") {
  Folder folder;
  write_file(folder.file(), "[agent]\nrun_dir = \"/a\"\nstate_dir = \"/a\"\n[modules.volume]\n");
  write_file(folder.part("a.toml"),
             "[agent]\nmodule_dirs = [\"/a\",\n  \"/b\"]\n  run_dir = \"/b\"\n"
             "[modules.volume.settings]\nretries = 4\n");
  const auto loaded = folder.load();
  REQUIRE(loaded.ok());
  const Origins& origins = loaded.value().origins;
  CHECK(origins.at("agent.run_dir").place == Place{1, 4, 13});
  CHECK(origins.at("agent.state_dir").place == Place{0, 3, 13});
  CHECK(origins.at("agent.module_dirs").items == std::vector<Place>{{1, 2, 16}, {1, 3, 3}});
  CHECK(origins.at("modules.volume.settings.retries").place == Place{1, 6, 11});
  CHECK(origins.at("modules.volume").place == Place{0, 4, 1});
  CHECK(origins.find("agent.control_dir") == origins.end());
}

TEST_CASE("a missing main file says what to do") {
  Folder folder;
  write_file(folder.part("a.toml"), "[agent]\n");
  const auto loaded = folder.load();
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().code() == StatusCode::kNotFound);
  CHECK(loaded.error().message() ==
        "cannot read the configuration \"" + folder.file() +
            "\": No such file or directory; write one (\"longshorectl config sample\" prints all "
            "keys), or name another file with --config");
}

TEST_CASE("what is no regular file is refused without opening it") {
  Folder folder;
  SECTION("a folder as the main file") {
    fs::create_directory(folder.file());
    CHECK(folder.message() == folder.file() + ":1:1: this is not a regular file");
  }
  SECTION("a pipe in conf.d, which would hold the reader for ever") {
    write_file(folder.file(), "");
    REQUIRE(::mkfifo(folder.part("a.toml").c_str(), 0600) == 0);
    CHECK(folder.message() == folder.part("a.toml") + ":1:1: this is not a regular file");
  }
  SECTION("a link that leads nowhere") {
    write_file(folder.file(), "");
    fs::create_symlink("nowhere", folder.part("a.toml"));
    CHECK(folder.message().find("No such file or directory") != std::string::npos);
  }
}

TEST_CASE("files that untrusted users could change are not read") {
  Folder folder;
  const LoadOptions options{.owners = {::getuid()}};
  write_file(folder.file(), "");
  fs::permissions(folder.file(), fs::perms(0644));
  CHECK(folder.message(options) == "loaded");
  write_file(folder.part("a.toml"), "no TOML at all");
  SECTION("when others may write to the file") {
    fs::permissions(folder.part("a.toml"), fs::perms(0666));
    CHECK(folder.message(options) ==
          folder.part("a.toml") + ":1:1: cannot trust \"" + folder.part("a.toml") +
              "\": its group or others may write to it; chmod go-w closes it");
  }
  SECTION("when others may write to the folder") {
    fs::permissions(folder.part("a.toml"), fs::perms(0644));
    fs::permissions(folder.part(""), fs::perms(0777));
    CHECK(folder.message(options).find("its group or others may write to it") != std::string::npos);
  }
}

}  // namespace longshore::config::test
