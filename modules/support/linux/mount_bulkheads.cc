#include "support/linux/mount_bulkheads.h"

#include <fcntl.h>
#include <poll.h>

#include <optional>
#include <utility>

#include "support/linux/link_walk.h"
#include "support/linux/mount_points.h"
#include "support/linux/mount_table.h"

namespace longshore::support {
namespace {

constexpr const char* kTable = "/proc/self/mountinfo";

// Since it was asked last, by this descriptor. The kernel forgets the change with the question.
bool has_changed(const FileDescriptor& table) {
  pollfd question{table.get(), POLLPRI, 0};
  return ::poll(&question, 1, 0) > 0 && (question.revents & (POLLPRI | POLLERR)) != 0;
}

std::optional<std::string> read_from_start(const FileDescriptor& table) {
  std::string text;
  char part[32768];
  for (;;) {
    const ssize_t size = ::pread(table.get(), part, sizeof(part), static_cast<off_t>(text.size()));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::nullopt;
    if (size == 0) return text;
    text.append(part, static_cast<size_t>(size));
  }
}

}  // namespace

MountBulkheads::MountBulkheads(AllowedRoots roots, std::string sysfs_root)
    : roots_(std::move(roots)),
      sysfs_root_(std::move(sysfs_root)),
      table_(::open(kTable, O_RDONLY | O_CLOEXEC)) {}

std::string MountBulkheads::key_of(const PosixPath& path, LastLink last) {
  const auto keys = current();
  const bool names_tell = !keys->has_silent() || !keys->may_look_at(path.text());
  if (names_tell) return std::string(keys->key_of(path));
  const auto may_look_at = [&](std::string_view next) { return keys->may_look_at(next); };
  return std::string(keys->key_of(follow_links(path.text(), last, may_look_at)));
}

// Looks only at what lies on the system's own filesystem: whoever asks for a key waits for this.
AllowedRoots MountBulkheads::roots_among(const std::vector<Mount>& mounts) const {
  const MountPoints points(mounts);
  const auto device_of = [&](std::string_view path) {
    const auto place = points.mount_of(path);
    return place ? mounts[*place].device : dev_t{};
  };
  const auto may_look_at = [&](std::string_view path) { return device_of(path) == device_of("/"); };
  std::vector<std::string> roots;
  for (const PosixPath& root : roots_.roots()) {
    roots.push_back(root.text());
    if (!may_look_at(root.text())) continue;
    roots.push_back(follow_links(root.text(), LastLink::kIsFollowed, may_look_at));
  }
  const auto all = AllowedRoots::from(roots);
  return all ? *all : roots_;
}

std::shared_ptr<const MountKeys> MountBulkheads::current() {
  // Who comes while another reads waits for what that reads: the kernel has told only one of them.
  const std::lock_guard lock(mutex_);
  // Asked before it is read: what changes meanwhile is told the next time.
  if (has_changed(table_)) is_stale_ = true;
  if (!is_stale_) return keys_;
  const std::optional<std::string> text = read_from_start(table_);
  if (!text) return keys_;
  if (const auto mounts = parse_mounts(*text, kTable)) {
    keys_ = std::make_shared<const MountKeys>(*mounts, roots_among(*mounts), sysfs_root_);
    is_stale_ = false;
  }
  return keys_;
}

}  // namespace longshore::support
