#include "support/linux/mount_bulkheads.h"

#include <fcntl.h>
#include <poll.h>

#include <optional>
#include <utility>

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

MountBulkheads::MountBulkheads(AllowedRoots roots)
    : roots_(std::move(roots)), table_(::open(kTable, O_RDONLY | O_CLOEXEC)) {}

std::string MountBulkheads::key_of(const PosixPath& path) {
  const auto keys = current();
  return std::string(keys->key_of(path));
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
    keys_ = std::make_shared<const MountKeys>(*mounts, roots_);
    is_stale_ = false;
  }
  return keys_;
}

}  // namespace longshore::support
