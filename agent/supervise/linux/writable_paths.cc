#include "supervise/linux/writable_paths.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::supervise {
namespace {

// Newer than some kernel's headers.
constexpr uint64_t kTruncate = uint64_t{1} << 14;  // LANDLOCK_ACCESS_FS_TRUNCATE
constexpr int kVersionOfRefer = 2;
constexpr int kVersionOfTruncate = 3;

constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
constexpr uint64_t kOfFolders =
    kOfFiles | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;

long version() {
  return syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

// What this kernel knows of it.
uint64_t known(uint64_t access) {
  const long here = version();
  if (here < kVersionOfRefer) access &= ~uint64_t{LANDLOCK_ACCESS_FS_REFER};
  if (here < kVersionOfTruncate) access &= ~kTruncate;
  return access;
}

Error failed(const std::error_code& error, const std::string& path = {}) {
  return Error(StatusCode::kUnknown, "bound what it may write to", path).because(error);
}

Result<void> allow(const FileDescriptor& rules, const std::string& path) {
  const FileDescriptor place(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  std::error_code error = place ? error_unless(fstat(place.get(), &status) == 0) : place.error();
  if (error) return failed(error, path).advise("make it, or take it out of writable_paths");
  landlock_path_beneath_attr rule{};
  rule.allowed_access = known(S_ISDIR(status.st_mode) ? kOfFolders : kOfFiles);
  rule.parent_fd = place.get();
  error = error_unless(
      syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0);
  return error ? failed(error, path) : Result<void>();
}

}  // namespace

std::string why_no_writable_paths() {
  const std::error_code error = error_unless(version() > 0);
  if (!error) return {};
  return error == std::errc::operation_not_supported
             ? "Landlock is switched off in this kernel (lsm=)"
             : "the kernel has no Landlock (" + error.message() + ")";
}

Result<void> write_only_beneath(const std::vector<std::string>& paths) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = known(kOfFolders);
  // The size of what the first kernels with Landlock know: nothing else is set.
  const FileDescriptor rules(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes.handled_access_fs), 0)));
  if (!rules) return failed(rules.error());
  for (const std::string& path : paths) {
    if (auto allowed = allow(rules, path); !allowed) return allowed;
  }
  const std::error_code error =
      error_unless(syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0);
  if (!error) return {};
  return failed(error).advise("set no_new_privs = true, or leave writable_paths out");
}

}  // namespace longshore::supervise
