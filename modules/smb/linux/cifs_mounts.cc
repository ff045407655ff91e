#include "smb/linux/cifs_mounts.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <string_view>

#include "longshore/linux/file_descriptor.hpp"
#include "smb/linux/directory_below.h"
#include "support/linux/host_addresses.h"
#include "support/linux/mount_table.h"

namespace longshore::smb {

namespace {

// After three of these without an answer the kernel gives a connection up.
constexpr const char* kEchoSeconds = "5";

// Links in a share are the server's, and would lead to places of this node.
constexpr unsigned kAttributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSYMFOLLOW;

class DetachedCifs final : public DetachedShare {
 public:
  DetachedCifs(FileDescriptor mount, dev_t device) : mount_(std::move(mount)), device_(device) {}

  dev_t device() const override { return device_; }
  const FileDescriptor& mount() const { return mount_; }

 private:
  FileDescriptor mount_;
  dev_t device_;
};

// A mount that is being set up. After the first failure the rest does nothing.
class Context {
 public:
  Context() : context_(::fsopen("cifs", FSOPEN_CLOEXEC)), error_(context_.error()) {}

  void set(const std::string& key, const std::string& value) {
    run(FSCONFIG_SET_STRING, key.c_str(), value.c_str());
  }
  void set_flag(const char* key) { run(FSCONFIG_SET_FLAG, key, nullptr); }

  FileDescriptor mount() {
    run(FSCONFIG_CMD_CREATE, nullptr, nullptr);
    if (error_) return {};
    FileDescriptor mount(::fsmount(context_.get(), FSMOUNT_CLOEXEC, kAttributes));
    error_ = mount.error();
    return mount;
  }

  // What the kernel has to say of a failure is not read: it may repeat what it was given.
  const std::error_code& error() const { return error_; }

 private:
  void run(unsigned command, const char* key, const char* value) {
    if (!error_) error_ = error_unless(::fsconfig(context_.get(), command, key, value, 0) == 0);
  }

  FileDescriptor context_;
  std::error_code error_;
};

// The server's address among a filesystem's options: "rw,vers=3.1.1,addr=192.0.2.1".
std::string address_in(std::string_view options) {
  constexpr std::string_view kName = ",addr=";
  const size_t start = options.find(kName);
  if (start == std::string_view::npos) return {};
  options.remove_prefix(start + kName.size());
  return support::shortest_address(std::string(options.substr(0, options.find(','))));
}

void set_credentials(Context& context, const Credentials& credentials) {
  if (credentials.is_nobody()) {
    context.set("sec", "none");
    return;
  }
  context.set("username", credentials.user());
  context.set("password", credentials.password());
  if (!credentials.domain().empty()) context.set("domain", credentials.domain());
}

}  // namespace

Result<std::vector<std::string>> CifsMounts::addresses_of(const std::string& host) {
  return support::addresses_of(host, "find the address of the file server");
}

Result<std::unique_ptr<DetachedShare>> CifsMounts::mount(const RemotePath& share,
                                                         const std::string& address,
                                                         const Credentials& credentials,
                                                         Connection connection) {
  Context context;
  context.set("source", share.mapping());
  context.set("ip", address);
  set_credentials(context, credentials);
  // Once it is mounted, calls to a server that does not answer end with an error. ShareMounter
  // itself may still wait for ever.
  context.set_flag("soft");
  context.set("echo_interval", kEchoSeconds);
  if (require_privacy_) context.set_flag("seal");
  if (connection == Connection::kFresh) context.set_flag("nosharesock");
  for (const MountOption& option : options_.options()) {
    if (option.value.empty()) {
      context.set_flag(option.name.c_str());
    } else {
      context.set(option.name, option.value);
    }
  }
  FileDescriptor mount = context.mount();
  std::error_code error = context.error();
  struct statx status {};
  if (!error) {
    error = error_unless(
        ::statx(mount.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) == 0);
  }
  if (error) {
    return Error(StatusCode::kUnknown, "mount the share", share.mapping()).because(error);
  }
  const dev_t device = makedev(status.stx_dev_major, status.stx_dev_minor);
  return std::unique_ptr<DetachedShare>(std::make_unique<DetachedCifs>(std::move(mount), device));
}

std::error_code CifsMounts::attach(const DetachedShare& share, const std::string& directory) {
  const FileDescriptor& mount = static_cast<const DetachedCifs&>(share).mount();
  return error_unless(
      ::move_mount(mount.get(), "", AT_FDCWD, directory.c_str(), MOVE_MOUNT_F_EMPTY_PATH) == 0);
}

std::error_code CifsMounts::detach(const MountedShare& share) {
  const std::error_code error =
      error_unless(::umount2(share.point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0);
  const bool is_gone =
      error == std::errc::invalid_argument || error == std::errc::no_such_file_or_directory;
  return is_gone ? std::error_code() : error;
}

Result<std::vector<MountedShare>> CifsMounts::mounted_below(const std::string& directory) {
  const Result<std::vector<support::Mount>> mounts = support::read_mounts();
  if (!mounts) return mounts.error();
  std::vector<MountedShare> shares;
  for (const support::Mount& mount : *mounts) {
    if (mount.type == "cifs" && mount.point.starts_with(directory + "/")) {
      shares.push_back({mount.point, mount.device, address_in(mount.options)});
    }
  }
  return shares;
}

std::error_code CifsMounts::ask(const DetachedShare& share) {
  struct statfs status {};
  const int mount = static_cast<const DetachedCifs&>(share).mount().get();
  return error_unless(::fstatfs(mount, &status) == 0);
}

std::error_code CifsMounts::probe(const MountedShare& share) {
  struct statfs status {};
  return error_unless(::statfs(share.point.c_str(), &status) == 0);
}

std::error_code CifsMounts::find(const MountedShare& share, const std::string& below) {
  return find_directory(share.point, below);
}

}  // namespace longshore::smb
