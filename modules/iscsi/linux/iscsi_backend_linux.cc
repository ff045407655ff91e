#include "iscsi/linux/iscsi_backend_linux.h"

#include <utility>

#include "support/linux/block/disk_names.h"

namespace longshore::iscsi {
namespace {

// Whatever a session has is served: what the disk group serves is that group's to say.
block::DiskNames all_names() { return *block::DiskNames::from({"*"}); }

}  // namespace

IscsiBackendLinux::IscsiBackendLinux(Options options)
    : login_timeout_(options.login_timeout),
      iscsiadm_(std::move(options.iscsiadm)),
      records_(std::move(options.database), std::move(options.lock_folder), options.lock_patience),
      sessions_(options.sysfs_root),
      addresses_(std::move(options.look_up)),
      devices_(all_names(), options.sysfs_root) {}

// iscsiadm would try five times more.
std::chrono::milliseconds IscsiBackendLinux::discovery_limit() const {
  return login_timeout_ + std::chrono::seconds(5);
}

// iscsid gives a portal somewhat more than the time in the record, and so its answer comes first.
std::chrono::milliseconds IscsiBackendLinux::session_limit() const {
  return 2 * login_timeout_ + std::chrono::seconds(10);
}

}  // namespace longshore::iscsi
