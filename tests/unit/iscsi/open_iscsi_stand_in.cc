#include "tests/unit/iscsi/open_iscsi_stand_in.h"

#include <filesystem>
#include <fstream>

#include "tests/support/build_tree.h"
#include "tests/support/read_file.h"

namespace longshore::iscsi {

namespace fs = std::filesystem;

namespace {

std::string name_of(const Portal& portal) {
  return portal.address + "," + std::to_string(portal.port);
}

}  // namespace

OpenIscsiStandIn::OpenIscsiStandIn() {
  for (const char* name : {"portals", "targets", "database", "sys/class/iscsi_transport/tcp",
                           "sys/block", "sys/dev/block"}) {
    fs::create_directories(directory_ / name);
  }
  fs::copy_file(test::built_program("iscsiadm_stand_in"), directory_ / "iscsiadm");
}

IscsiBackendLinux::Options OpenIscsiStandIn::options() const {
  return {.iscsiadm = path("iscsiadm"),
          .database = database(),
          .login_timeout = std::chrono::seconds(1),
          .lock_folder = path("lock"),
          .sysfs_root = sysfs()};
}

void OpenIscsiStandIn::offer(const Target& target, const TargetSetup& setup) {
  std::ofstream(directory_ / ("portals/" + name_of(target.portal)), std::ios::app)
      << target.name << "\n";
  std::ofstream file(directory_ / ("targets/" + target.name));
  file << "disks " << setup.disks << "\n";
  if (!setup.username.empty()) {
    file << "username " << setup.username << "\nsecret " << setup.secret << "\n";
  }
  if (!setup.own_secret.empty()) {
    file << "own_username " << target.name << "\nown_secret " << setup.own_secret << "\n";
  }
}

void OpenIscsiStandIn::answer(const std::string& what) const {
  fs::remove(directory_ / "answer");
  if (!what.empty()) test::write_file(directory_ / "answer", what);
}

std::vector<std::string> OpenIscsiStandIn::calls() const {
  std::ifstream file(directory_ / "calls");
  std::vector<std::string> calls;
  for (std::string line; std::getline(file, line);) calls.push_back(line);
  return calls;
}

std::string OpenIscsiStandIn::record_of(const Target& target) const {
  return database() + "/nodes/" + target.name + "/" + name_of(target.portal) + ",1/default";
}

bool OpenIscsiStandIn::has_anywhere(const std::string& text) const {
  for (const auto& entry : fs::recursive_directory_iterator(directory_.path())) {
    const fs::path parent = entry.path().parent_path().filename();
    if (!entry.is_regular_file() || parent == "targets" || entry.path().filename() == "iscsiadm") {
      continue;
    }
    if (test::read_file(entry.path()).find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace longshore::iscsi
