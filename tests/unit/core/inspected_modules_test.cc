// Modules as a configuration names them: found, and trusted only as far as it says.
#include "core/inspected_modules.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>

#include "tests/support/build_tree.h"
#include "tests/support/temporary_directory.h"

namespace longshore::core {
namespace {

namespace fs = std::filesystem;

// Three folders, of which modules are looked up in two, and one that comes before them.
struct ModuleFolders {
  ModuleFolders() {
    for (const char* name : {"first", "second", "extra"}) fs::create_directory(folder / name);
    agent.module_dirs = {folder / "first", folder / "second"};
    settings.name = "echo";
    settings.library = "longshore-echo";
  }

  std::string install(const std::string& where,
                      const std::string& module = test::built_module("echo")) const {
    const std::string file = folder / (where + "/longshore-echo.so");
    fs::copy_file(module, file, fs::copy_options::overwrite_existing);
    fs::permissions(file, fs::perms(0644));
    return file;
  }

  // The path of the file that would be loaded, or why none would.
  std::string found() {
    InspectedModules modules({folder / "extra"});
    auto inspection = modules.take(settings, agent);
    return inspection ? inspection->facts->path : inspection.error().message();
  }

  test::TemporaryDirectory folder;
  config::AgentSettings agent;
  config::ModuleSettings settings;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A name is looked up in the folders in their order, a path is what it is") {
  ModuleFolders world;
  CHECK(has(world.found(), "there is no " + (world.folder / "extra/longshore-echo.so") + ", " +
                               (world.folder / "first/longshore-echo.so")));
  const std::string second = world.install("second");
  CHECK(world.found() == second);
  const std::string first = world.install("first");
  CHECK(world.found() == first);
  const std::string extra = world.install("extra");
  CHECK(world.found() == extra);
  world.settings.library = second;
  CHECK(world.found() == second);
  world.settings.library = "second/longshore-echo";
  CHECK(has(world.found(), "it is neither a plain name nor an absolute path"));
  world.settings.library = "..";
  CHECK(has(world.found(), "it is neither a plain name nor an absolute path"));
}

TEST_CASE("A file, or a folder above it, that others can change is not loaded") {
  ModuleFolders world;
  const std::string file = world.install("first");
  CHECK(world.found() == file);
  fs::permissions(world.folder / "first", fs::perms(0775));
  CHECK(has(world.found(), "its group or others may write to it"));
  fs::permissions(world.folder / "first", fs::perms(0755));
  fs::permissions(file, fs::perms(0646));
  CHECK(has(world.found(), "its group or others may write to it"));
}

TEST_CASE("Another owner of a module must be named in trusted_owners") {
  if (geteuid() != 0) {
    std::cout << "SKIPPED: only root can give files away\n";
    return;
  }
  ModuleFolders world;
  const std::string file = world.install("first");
  REQUIRE(chown(file.c_str(), 65534, 65534) == 0);
  CHECK(has(world.found(), "it belongs to user 65534"));
  world.agent.trusted_owners = {"daemon"};
  CHECK(has(world.found(), "it belongs to user 65534"));
  world.agent.trusted_owners = {"daemon", "nobody"};
  CHECK(world.found() == file);
  world.agent.trusted_owners = {"65534"};
  CHECK(world.found() == file);
  REQUIRE(chown((world.folder / "first").c_str(), 1, 1) == 0);
  CHECK(has(world.found(), "it belongs to user 1"));
  world.agent.trusted_owners = {"no-such-user-here"};
  CHECK(has(world.found(), "no-such-user-here"));
}

TEST_CASE("What the configuration asks of pins and signatures is asked of the file") {
  ModuleFolders world;
  const std::string file = world.install("first");
  world.agent.signatures = {world.folder / "keys", true};
  CHECK(has(world.found(), world.folder / "keys"));
  fs::create_directory(world.folder / "keys");
  CHECK(has(world.found(), "it has no signature " + file + ".sig"));
  world.agent.signatures.required = false;
  CHECK(world.found() == file);
  world.settings.sha256 = std::string(64, '0');
  CHECK(has(world.found(), "the configuration pins"));
}

TEST_CASE("What was described is what is taken, whatever becomes of the file") {
  ModuleFolders world;
  const std::string file = world.install("first");
  InspectedModules modules({});
  const auto schema = modules.describe(world.settings, world.agent);
  REQUIRE(schema);
  CHECK(schema->services == std::vector<std::string>{"longshore.echo.v1.Echo"});
  test::write_file(file, "no module any more");
  const auto taken = modules.take(world.settings, world.agent);
  REQUIRE(taken);
  CHECK(taken->facts->name == "longshore-echo");
  CHECK_FALSE(modules.take(world.settings, world.agent));
}

TEST_CASE("What could not be described is not taken, though its file is there by then") {
  ModuleFolders world;
  InspectedModules modules({});
  CHECK_FALSE(modules.describe(world.settings, world.agent));
  world.install("first");
  const auto taken = modules.take(world.settings, world.agent);
  REQUIRE_FALSE(taken);  // nobody has read its settings
  CHECK(has(taken.error().message(), "there is no "));
  CHECK(modules.take(world.settings, world.agent));
}

}  // namespace longshore::core
