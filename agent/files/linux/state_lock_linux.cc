#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "files/linux/other_process.h"
#include "files/linux/trusted_folder.h"
#include "files/state_lock.h"

namespace longshore::files {
namespace {

constexpr const char* kName = ".lock";
// What lies in it is closed to others, each by itself: modules' processes with users of their own
// have folders there.
constexpr mode_t kFolderMode = 0755;
constexpr off_t kMostOwners = 64;  // all but one of them killed

using FolderId = std::pair<dev_t, ino_t>;

// The folders that agents in this process have. The kernel would give it the same lock twice, and
// take both when one of the descriptors is closed.
struct OwnFolders {
  std::mutex mutex;
  std::set<FolderId> ids;
};

OwnFolders& own_folders() {
  static auto* const folders = new OwnFolders;  // for good: an agent may never end
  return *folders;
}

// Null: an agent in this process has it. It is given back with the last copy.
std::shared_ptr<const void> claim(const TrustedFolder& folder) {
  struct stat status {};
  if (::fstat(folder.descriptor(), &status) != 0) return std::make_shared<int>();
  OwnFolders& folders = own_folders();
  const std::lock_guard lock(folders.mutex);
  const auto [id, is_new] = folders.ids.emplace(status.st_dev, status.st_ino);
  if (!is_new) return nullptr;
  return {&*id, [&folders](const FolderId* claimed) {
            const std::lock_guard again(folders.mutex);
            folders.ids.erase(*claimed);
          }};
}

struct flock lock_on(off_t byte) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

// Another process that has the byte; 0: one that this process does not see, as from within a
// container.
std::optional<int> holder_of(int file, off_t byte) {
  struct flock found = lock_on(byte);
  if (::fcntl(file, F_GETLK, &found) != 0 || found.l_type == F_UNLCK) return std::nullopt;
  return found.l_pid;
}

std::vector<int> holders_of(int file) {
  std::vector<int> holders;
  for (off_t byte = 0; byte < kMostOwners; ++byte) {
    if (const auto holder = holder_of(file, byte)) holders.push_back(*holder);
  }
  return holders;
}

// The first that can still do something.
std::optional<int> live_one(const std::vector<int>& holders) {
  const auto live = std::ranges::find_if_not(holders, was_killed);
  return live == holders.end() ? std::nullopt : std::optional(*live);
}

// Locks the first byte that no killed process has; what errno says of it, or 0.
int lock(int file) {
  off_t byte = 0;
  while (byte < kMostOwners - 1 && was_killed(holder_of(file, byte).value_or(0))) ++byte;
  struct flock wanted = lock_on(byte);
  return ::fcntl(file, F_SETLK, &wanted) == 0 ? 0 : errno;
}

Error taken(const std::string& state_dir, int holder) {
  return taken_by(holder, Error(StatusCode::kFailedPrecondition, "lock the folder", state_dir),
                  "has it",
                  "run_dir, control_dir and state_dir, which csi-sidecars has in --run-dir");
}

std::string warning_of(const std::vector<int>& killed) {
  if (killed.empty()) return {};
  return "process " + std::to_string(killed.back()) +
         ", which had the state directory before, was killed, and the kernel keeps it from ending, "
         "as it does while a server or a device does not answer; it changes nothing more, but may "
         "keep sockets and mounts in use";
}

}  // namespace

Result<StateLock> StateLock::take(const std::string& state_dir) {
  const auto without = [](const std::string& why) {
    return StateLock(nullptr, {},
                     "another agent on the same state_dir would not be noticed: " + why);
  };
  const auto folder = TrustedFolder::make(state_dir, kFolderMode);
  if (!folder && folder.error().system()) return without(folder.error().message());
  if (!folder) return folder.error();
  auto own = claim(*folder);
  if (!own) return taken(state_dir, ::getpid());
  auto file = folder->open_file(kName, O_RDWR | O_CREAT, 0600);
  if (!file && file.error().system()) return without(file.error().message());
  if (!file) return std::move(file).error();
  const int error = lock(file->get());
  const bool is_taken = error == EACCES || error == EAGAIN;
  if (error != 0 && !is_taken) {
    return without(std::error_code(error, std::generic_category()).message());
  }
  // Only now: of two that have taken different bytes, at least one sees the other.
  const std::vector<int> others = holders_of(file->get());
  const std::optional<int> live = live_one(others);
  if (live || is_taken) return taken(state_dir, live.value_or(0));
  return StateLock(std::move(own), std::move(*file), warning_of(others));
}

std::optional<int> StateLock::owner_of(const std::string& state_dir) {
  const auto folder = TrustedFolder::open(state_dir);
  const auto file = folder ? folder->open_file(kName, O_RDONLY) : folder.error();
  if (!file) return std::nullopt;
  return live_one(holders_of(file->get()));
}

}  // namespace longshore::files
