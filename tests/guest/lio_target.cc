#include "tests/guest/lio_target.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "longshore/linux/file_descriptor.hpp"
#include "support/linux/command.h"

namespace longshore::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigfs = "/sys/kernel/config";
constexpr const char* kTargets = "/sys/kernel/config/target";

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error("cannot " + what + ": " + std::strerror(errno));
}

// configfs acts on each write call.
void write_attribute(const std::string& path, const std::string& text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fail("write \"" + text + "\" to " + path);
  }
}

void make(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) fail("make " + path);
}

void link_to(const std::string& what, const std::string& path) {
  if (::symlink(what.c_str(), path.c_str()) != 0) fail("link " + path);
}

// Where LIO is modules, and nothing where it is part of the kernel.
void load_kernel_modules() {
  for (const char* name : {"configfs", "target_core_mod", "target_core_file", "iscsi_target_mod",
                           "iscsi_tcp", "sd_mod"}) {
    static_cast<void>(support::run_command({"/sbin/modprobe", "-q", name}, {}));
  }
  if (!fs::exists(kTargets) && ::mount("configfs", kConfigfs, "configfs", 0, nullptr) != 0 &&
      errno != EBUSY) {
    fail("mount configfs");
  }
  if (!fs::exists(kTargets)) fail("find LIO in configfs");
}

std::string name_of_this_node() {
  std::ifstream file("/etc/iscsi/initiatorname.iscsi");
  constexpr std::string_view kKey = "InitiatorName=";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kKey)) return line.substr(kKey.size());
  }
  fail("read this node's iSCSI name");
}

// Each target has a name of its own, also for who remembers the last one's.
std::string next_name() {
  static std::atomic<int> last{0};
  return "iqn.2001-04.org.example:guest-" + std::to_string(::getpid()) + "-" +
         std::to_string(++last);
}

}  // namespace

std::string LioTarget::group() const {
  return std::string(kTargets) + "/iscsi/" + name_ + "/tpgt_1";
}
std::string LioTarget::access() const { return group() + "/acls/" + node_; }
std::string LioTarget::backing(size_t place) const {
  return std::string(kTargets) + "/core/fileio_" + std::to_string(place) + "/" +
         name_.substr(name_.find(':') + 1);
}

LioTarget::LioTarget(const iscsi::TargetSetup& setup)
    : name_(next_name()), node_(name_of_this_node()) {
  load_kernel_modules();
  try {
    make(std::string(kTargets) + "/iscsi");
    make(std::string(kTargets) + "/iscsi/" + name_);
    make(group());
    make(access());
    write_attribute(group() + "/attrib/authentication", setup.username.empty() ? "0" : "1");
    if (!setup.username.empty()) {
      write_attribute(access() + "/auth/userid", setup.username);
      write_attribute(access() + "/auth/password", setup.secret);
    }
    if (!setup.own_secret.empty()) {
      write_attribute(access() + "/auth/userid_mutual", name_);
      write_attribute(access() + "/auth/password_mutual", setup.own_secret);
    }
    for (int disk = 0; disk < setup.disks; ++disk) add_disk();
    make(group() + "/np/" + kAddress + ":" + std::to_string(kPort));
    set_enabled(true);
  } catch (...) {
    remove();
    throw;
  }
}

LioTarget::~LioTarget() { remove(); }

void LioTarget::add_disk() {
  const size_t place = disks_++;
  const std::string number = std::to_string(place);
  const std::string file = files_ / ("disk" + number);
  write_file(file, "");
  fs::resize_file(file, kDiskBytes);
  const std::string disk = backing(place);
  make(fs::path(disk).parent_path());
  make(disk);
  write_attribute(disk + "/control",
                  "fd_dev_name=" + file + ",fd_dev_size=" + std::to_string(kDiskBytes));
  write_attribute(disk + "/wwn/vpd_unit_serial", name_.substr(name_.find(':') + 1) + "-" + number);
  write_attribute(disk + "/enable", "1");
  const std::string unit = "/lun_" + number;
  make(group() + "/lun" + unit);
  link_to(disk, group() + "/lun" + unit + "/disk");
  make(access() + unit);
  link_to(group() + "/lun" + unit, access() + unit + "/unit");
}

void LioTarget::grow_disk(size_t place, uint64_t bytes) const {
  fs::resize_file(files_ / ("disk" + std::to_string(place)), bytes);
  write_attribute(backing(place) + "/control", "fd_dev_size=" + std::to_string(bytes));
}

void LioTarget::set_enabled(bool enabled) const {
  write_attribute(group() + "/enable", enabled ? "1" : "0");
}

void LioTarget::close_portal() const {
  const std::string portal = group() + "/np/" + kAddress + ":" + std::to_string(kPort);
  if (::rmdir(portal.c_str()) != 0) fail("remove " + portal);
}

// What is not there any more, or never was, is passed over.
void LioTarget::remove() noexcept {
  std::error_code ignored;
  try {
    set_enabled(false);
  } catch (const std::exception&) {
  }
  for (size_t place = 0; place < disks_; ++place) {
    const std::string unit = "/lun_" + std::to_string(place);
    ::unlink((access() + unit + "/unit").c_str());
    ::rmdir((access() + unit).c_str());
  }
  ::rmdir(access().c_str());
  for (size_t place = 0; place < disks_; ++place) {
    const std::string unit = group() + "/lun/lun_" + std::to_string(place);
    ::unlink((unit + "/disk").c_str());
    ::rmdir(unit.c_str());
  }
  ::rmdir((group() + "/np/" + kAddress + ":" + std::to_string(kPort)).c_str());
  ::rmdir(group().c_str());
  ::rmdir(fs::path(group()).parent_path().c_str());
  for (size_t place = 0; place < disks_; ++place) {
    ::rmdir(backing(place).c_str());
    ::rmdir(fs::path(backing(place)).parent_path().c_str());
  }
}

}  // namespace longshore::test
