// The demonstration: starts the agent in a folder of its own, takes directories, a disk and a
// service through their life, shows each step, and leaves nothing behind.
#include <stdlib.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tests/demo/demo_agent.h"
#include "tests/demo/demo_directory.h"
#include "tests/demo/demo_disk.h"
#include "tests/demo/disk_steps.h"
#include "tests/demo/steps.h"
#include "tests/support/private_bus.h"
#include "tests/support/systemd_stand_in.h"

namespace longshore::demo {
namespace {

namespace fs = std::filesystem;

constexpr int kFailed = 1;
constexpr int kInterrupted = 130;

struct CommandLine {
  std::string config;
  std::string agent;
  std::string module_dir;
};

// A bus with a stand-in for systemd that has one service. Nothing, where there is no dbus-daemon.
struct ServiceBus {
  ServiceBus() {
    try {
      bus.emplace();
      systemd.emplace(bus->address());
      systemd->put("iscsid.service", {.description = "Open-iSCSI"});
    } catch (const std::exception& error) {
      std::cout << "The steps with a service are left out: " << error.what() << "\n\n";
      systemd.reset();
      bus.reset();
    }
  }

  std::optional<test::PrivateBus> bus;
  std::optional<test::SystemdStandIn> systemd;
};

// Nothing, where there can be none.
std::unique_ptr<DemoDisk> make_disk() {
  try {
    auto disk = std::make_unique<DemoDisk>();
    std::cout << disk->description() << "\n\n";
    return disk;
  } catch (const std::exception& error) {
    std::cout << "The steps with a disk are left out: " << error.what() << "\n\n";
    return nullptr;
  }
}

// What the agent is to be shown with.
struct World {
  const ServiceBus services;
  const std::unique_ptr<DemoDisk> disk = make_disk();
};

// Whoever cloned the repository may own the modules in it.
std::string trust_in_owners(const fs::path& module_dir) {
  std::set<unsigned> owners{0};
  std::string names;
  for (fs::path folder = fs::canonical(module_dir); folder != folder.root_path();
       folder = folder.parent_path()) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0 || !owners.insert(status.st_uid).second) continue;
    names += (names.empty() ? "\"" : ", \"") + std::to_string(status.st_uid) + '"';
  }
  return "[agent]\ntrusted_owners = [" + names + "]\n";
}

// The configuration as it is, and beside it what is so on this machine.
std::string place_configuration(const CommandLine& line, const World& world) {
  const fs::path folder = kDirectory;
  fs::create_directory(folder / "kubelet");
  fs::create_directory(folder / "conf.d");
  fs::copy_file(line.config, folder / "agent.toml");
  // A checkout may be writable by a group, which the agent would not trust.
  fs::permissions(folder / "agent.toml", fs::perms::owner_read | fs::perms::owner_write);
  test::write_file(folder / "conf.d/owners.toml", trust_in_owners(line.module_dir));
  if (world.services.bus) {
    test::write_file(folder / "conf.d/bus.toml", "[modules.system.settings]\nbus_address = \"" +
                                                     world.services.bus->address() + "\"\n");
  }
  if (world.disk) test::write_file(folder / "conf.d/disk.toml", world.disk->configuration());
  return folder / "agent.toml";
}

std::vector<Part> parts_for(const World& world) {
  std::vector<Part> parts = tree_parts();
  if (world.disk) {
    for (Part& part : disk_parts(*world.disk)) parts.push_back(std::move(part));
  }
  parts.push_back(system_part(world.services.systemd.has_value()));
  return parts;
}

Result<Count> run_steps(const CommandLine& line, const World& world) {
  auto agent = DemoAgent::start(
      {line.agent, "--config", place_configuration(line, world), "--module-dir", line.module_dir});
  if (!agent) return std::move(agent).error();
  std::cout << "The agent serves after " << std::fixed << std::setprecision(1)
            << static_cast<double>((*agent)->time_to_serve().count()) / 1000 << " ms.\n\n";
  print_head();
  Values values;
  if (world.disk) values.set("disk", std::to_string(world.disk->number()));
  Count all;
  for (const Part& part : parts_for(world)) {
    const Count count = run_part(part, values);
    all.steps += count.steps;
    all.as_expected += count.as_expected;
  }
  if (auto stopped = (*agent)->stop(); !stopped) return std::move(stopped).error();
  return all;
}

int run(const CommandLine& line) {
  hold_back_interrupts();
  const auto directory = DemoDirectory::make();
  if (!directory) {
    std::cerr << "longshore-demo: " << directory.error().message() << '\n';
    return kFailed;
  }
  // The files of bus and disk too are to be found by the next demonstration if this one is killed.
  ::setenv("TMPDIR", kDirectory, 1);
  const World world;
  const Result<Count> count = run_steps(line, world);
  if (is_interrupted()) {
    std::cout << "\nInterrupted; cleaning up.\n";
    return kInterrupted;
  }
  if (!count) {
    std::cerr << "longshore-demo: " << count.error().message() << '\n';
    return kFailed;
  }
  std::cout << "\n"
            << count->as_expected << " of " << count->steps
            << " steps came out as expected; the agent has ended in order and " << kDirectory
            << " is removed.\n";
  return count->as_expected == count->steps ? 0 : kFailed;
}

}  // namespace
}  // namespace longshore::demo

int main(int argc, char** argv) {
  longshore::demo::CommandLine line;
  CLI::App app("Shows the Longshore agent at work, in " + std::string(longshore::demo::kDirectory));
  app.add_option("--config", line.config, "The agent's configuration")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--agent", line.agent, "The program longshored")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--module-dir", line.module_dir, "Where its modules are")
      ->required()
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  try {
    return longshore::demo::run(line);
  } catch (const std::exception& error) {
    std::cerr << "longshore-demo: " << error.what() << '\n';
    return longshore::demo::kFailed;
  }
}
