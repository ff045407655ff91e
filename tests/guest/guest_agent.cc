#include "tests/guest/guest_agent.h"

#include <signal.h>

#include <filesystem>

#include "tests/support/build_tree.h"

namespace longshore::test {

namespace fs = std::filesystem;

namespace {

// Short: the paths of sockets may have 107 bytes.
std::string run_folder() { return fs::temp_directory_path() / "longshore-run"; }

}  // namespace

GuestAgent::GuestAgent(const GuestAgentSetup& setup) : GroupClients(run_folder()) {
  fs::remove_all(run_folder());
  const std::string roots = "settings.allowed_roots = [\"" + root() + "\"]\n";
  directory_.write_configuration(
      "[agent]\nrun_dir = \"" + run_folder() + "\"\ncontrol_dir = \"" + (directory_ / "control") +
      "\"\nstate_dir = \"" + (directory_ / "state") + "\"\nmodule_dirs = [\"" + built_modules() +
      "\"]\nstop_timeout = \"60s\"\n[modules.disk]\n" + setup.disk +
      "[modules.system]\nsettings.allowed_services = [\"*\"]\n[modules.filesystem]\n" + roots +
      "settings.link_roots = [\"" + mappings() + "\"]\n" + setup.files + "[modules.volume]\n" +
      roots + "settings.filesystem = \"" + setup.filesystem + "\"\n" + setup.volume +
      "[modules.smb]\n" + roots + "settings.mappings_directory = \"" + mappings() + "\"\n" +
      setup.smb + "[modules.iscsi]\n" + setup.settings);
  process_.emplace(directory_);
  INFO(log());
  REQUIRE(process_->serves());
}

void GuestAgent::kill_and_start_again() {
  disconnect();
  process_->signal(SIGKILL);
  process_->wait();
  start_again();
}

void GuestAgent::start_again() {
  process_.emplace(directory_);
  INFO(log());
  REQUIRE(process_->serves());
}

int GuestAgent::end_in_order() {
  disconnect();
  return process_->stop();
}

}  // namespace longshore::test
