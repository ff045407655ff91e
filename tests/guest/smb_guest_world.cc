#include "tests/guest/smb_guest_world.h"

#include <sys/mount.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "support/linux/mount_table.h"
#include "tests/support/require.h"

namespace longshore::smb {

namespace fs = std::filesystem;
using test::require;

namespace {

const fs::path kShared = test::FileServer::kDirectory;

}  // namespace

GuestWorld::GuestWorld(const GuestBackend& setup)
    : mounts_(*MountOptions::from(setup.mount_options), setup.require_privacy),
      backend_({.roots = *support::AllowedRoots::from({root()}),
                .mappings_directory = *support::PosixPath::parse(mappings(), "use"),
                .require_privacy = setup.require_privacy,
                .times = setup.times},
               mounts_) {
  fs::create_directory(root());
}

GuestWorld::~GuestWorld() {
  if (const auto mounts = support::read_mounts()) {
    for (const support::Mount& mount : *mounts) {
      if (mount.point.starts_with(mappings() + "/")) ::umount2(mount.point.c_str(), MNT_DETACH);
    }
  }
}

void GuestWorld::set_password(const std::string& password) {
  server_.set_password(password);
  password_ = password;
}

void GuestWorld::make_remote_directory(const std::string& below) {
  fs::create_directories(kShared / below);
  ::chmod((kShared / below).c_str(), 0777);
}

bool GuestWorld::is_mapped() const {
  const auto mounted = const_cast<CifsMounts&>(mounts_).mounted_below(mappings());
  require(static_cast<bool>(mounted), "the list of mounts cannot be read");
  return !mounted->empty();
}

bool GuestWorld::leads_to(const std::string& local, const std::string& below) const {
  if (!fs::is_symlink(local)) return false;
  const std::string name = "asked-" + std::to_string(++asked_);
  std::ofstream(kShared / below / name) << below;
  std::error_code error;
  return fs::exists(local + "/" + name, error);
}

std::string GuestWorld::text_of_link(const std::string& local) const {
  return fs::read_symlink(local);
}

bool GuestWorld::is_absent(const std::string& local) const {
  return !fs::exists(fs::symlink_status(local));
}

void GuestWorld::occupy(const std::string& local) { fs::create_directory(local); }

void GuestWorld::remove_link(const std::string& local) { fs::remove(local); }

}  // namespace longshore::smb
