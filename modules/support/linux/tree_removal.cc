#include "support/linux/tree_removal.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "support/linux/directory_reader.h"
#include "support/linux/mounts_below.h"
#include "support/linux/rooted_opener.h"

namespace longshore::support {
namespace {

constexpr const char* kOperation = "remove what is in";
constexpr size_t kOpenLevels = 32;
constexpr size_t kMaxPiece = 3'500;    // bytes; with one name more still within PATH_MAX
constexpr int kMaxPasses = 16;         // over one directory that others keep filling
constexpr int kDeadlineInterval = 64;  // entries between two looks at the deadline

// What makes an opened directory this one and no other.
struct Identity {
  uint64_t inode = 0;
  uint64_t mount = 0;
  uint32_t device_major = 0;
  uint32_t device_minor = 0;

  bool operator==(const Identity&) const = default;
};

std::optional<Identity> identity_of(const FileDescriptor& directory) {
  struct statx status {};
  if (::statx(directory.get(), "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &status) != 0) {
    return std::nullopt;
  }
  return Identity{status.stx_ino, status.stx_mnt_id, status.stx_dev_major, status.stx_dev_minor};
}

// A directory on the way from the top to the one that is being emptied.
struct Level {
  std::string name;  // in the level above
  Identity identity;
  std::unique_ptr<DirectoryReader> reader;  // null while too many deeper levels are open
  bool found = false;                       // whether this pass over it met an entry
  int passes = 0;
};

class TreeRemoval {
 public:
  TreeRemoval(const std::string& path, const Deadline& deadline)
      : path_(path), deadline_(deadline) {}

  Result<void> run(const FileDescriptor& top) {
    Result<std::optional<std::string>> mount = find_mount_below(top);
    if (!mount) return std::move(mount).error();
    if (*mount) return mounted(**mount, "nothing was removed; unmount it first");
    FileDescriptor opened = open_unfollowed(top, ".", O_RDONLY | O_DIRECTORY);
    if (!opened || !push("", std::move(opened))) return failure("");
    while (!levels_.empty()) {
      if (Result<void> done = step(); !done) return done;
    }
    return {};
  }

 private:
  // One entry, or the end of one directory.
  Result<void> step() {
    if (++steps_ % kDeadlineInterval == 0) {
      if (auto error = deadline_.exceeded(kOperation, path_)) {
        return std::move(*error).advise("a part of it is removed; another call goes on from there");
      }
    }
    DirectoryReader& reader = *levels_.back().reader;
    std::error_code error;
    const auto entry = reader.next(error);
    if (error) return Error(StatusCode::kUnknown, kOperation, here()).because(error);
    if (!entry) return levels_.size() == 1 ? finish_top() : finish_level();
    levels_.back().found = true;
    const std::string name(entry->name);
    return entry->is_directory ? remove_directory(reader, name) : remove_other(reader, name);
  }

  Result<void> remove_other(DirectoryReader& reader, const std::string& name) {
    if (::unlinkat(reader.descriptor().get(), name.c_str(), 0) == 0 || errno == ENOENT) return {};
    // A directory after all: the filesystem gives no types, or somebody replaced it.
    if (errno == EISDIR) return descend(reader, name);
    return failure(name);
  }

  Result<void> remove_directory(DirectoryReader& reader, const std::string& name) {
    if (::unlinkat(reader.descriptor().get(), name.c_str(), AT_REMOVEDIR) == 0) return {};
    switch (errno) {
      case ENOENT:
        return {};
      case ENOTDIR:
        return remove_other(reader, name);
      case ENOTEMPTY:
      case EEXIST:
        return descend(reader, name);
      default:
        return failure(name);
    }
  }

  Result<void> descend(DirectoryReader& reader, const std::string& name) {
    FileDescriptor child =
        open_unfollowed(reader.descriptor(), name, O_RDONLY | O_DIRECTORY, /*same_mount=*/true);
    if (child) return push(name, std::move(child)) ? Result<void>() : failure(name);
    // Gone, or replaced by something else just now: the next pass meets what is there then.
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return {};
    return failure(name);
  }

  bool push(std::string name, FileDescriptor directory) {
    const auto identity = identity_of(directory);
    if (!identity) return false;
    // The top stays open: it is where every way back begins.
    if (levels_.size() > kOpenLevels) levels_[levels_.size() - kOpenLevels].reader.reset();
    levels_.push_back(
        {std::move(name), *identity, std::make_unique<DirectoryReader>(std::move(directory))});
    return true;
  }

  // The end of a pass over the top. Another pass, unless this one met nothing: filesystems may skip
  // entries while others are removed.
  Result<void> finish_top() {
    if (levels_.back().found) return another_pass();
    levels_.pop_back();
    return {};
  }

  // The end of a pass over a directory: it should be empty now and go.
  Result<void> finish_level() {
    const Level& parent = levels_[levels_.size() - 2];
    if (!parent.reader) return reopen_levels();  // the next step comes here again
    const Level& level = levels_.back();
    if (::unlinkat(parent.reader->descriptor().get(), level.name.c_str(), AT_REMOVEDIR) != 0) {
      const bool is_full = errno == ENOTEMPTY || errno == EEXIST;
      if (is_full && level.found) return another_pass();
      // Whatever has the name now is not what we emptied; the parent's next pass meets it.
      if (!is_full && errno != ENOENT && errno != ENOTDIR) return failure("");
    }
    levels_.pop_back();
    return {};
  }

  // Opens again the levels above the current one, from the top downwards. Never by "..": whoever
  // moved the directory that we are in has made that lead into foreign places, and whatever went
  // wrong then would go wrong with everything that lies there.
  Result<void> reopen_levels() {
    const size_t end = levels_.size() - 1;
    const size_t begin = std::max<size_t>(1, end - std::min(end, kOpenLevels / 2));
    const FileDescriptor above = open_above(begin);
    if (!above) return begin_again_at_top();
    for (size_t index = begin; index < end; ++index) {
      Level& level = levels_[index];
      FileDescriptor opened =
          open_unfollowed(index == begin ? above : levels_[index - 1].reader->descriptor(),
                          level.name, O_RDONLY | O_DIRECTORY, /*same_mount=*/true);
      if (!opened || identity_of(opened) != level.identity) return begin_again_at_top();
      level.reader = std::make_unique<DirectoryReader>(std::move(opened));
    }
    return {};
  }

  // Opens the directory that holds the one of level `end`, in pieces that fit into a path.
  FileDescriptor open_above(size_t end) const {
    FileDescriptor directory = open_unfollowed(levels_.front().reader->descriptor(), ".", O_PATH);
    std::string piece;
    for (size_t index = 1; index < end && directory; ++index) {
      piece.append(piece.empty() ? "" : "/").append(levels_[index].name);
      if (piece.size() < kMaxPiece && index + 1 < end) continue;
      directory = open_unfollowed(directory, piece, O_PATH | O_DIRECTORY, /*same_mount=*/true);
      piece.clear();
    }
    return directory;
  }

  // The way that led here is gone: others removed or moved a directory of it (which is no longer in
  // the tree then), or mounted on one. Another pass over the top meets what is there now.
  Result<void> begin_again_at_top() {
    levels_.erase(levels_.begin() + 1, levels_.end());
    levels_.front().found = true;
    return {};
  }

  Result<void> another_pass() {
    Level& level = levels_.back();
    if (++level.passes > kMaxPasses) {
      return Error(StatusCode::kAborted, kOperation, here())
          .because("others keep putting entries into it")
          .advise("a part of it is removed; call again when nobody uses it");
    }
    level.found = false;
    level.reader->rewind();
    return {};
  }

  // The path of the directory that is being emptied.
  std::string here() const {
    std::string path = path_;
    for (const Level& level : levels_) {
      if (!level.name.empty()) path.append("/").append(level.name);
    }
    constexpr size_t kShown = 1024;
    if (path.size() > kShown) path.resize(kShown);
    return path;
  }

  // The system refused (errno) to do something to an entry of the current directory.
  Error failure(const std::string& name) const {
    const std::error_code error = last_error();
    const std::string object = name.empty() ? here() : here() + "/" + name;
    // EBUSY also comes for a mount point that was mounted through another path to the same place.
    if (error == std::errc::cross_device_link || error == std::errc::device_or_resource_busy) {
      return mounted(object, "a part of the rest may be removed; unmount it first");
    }
    return Error(StatusCode::kUnknown, "remove", object).because(error);
  }

  Error mounted(const std::string& point, std::string advice) const {
    return Error(StatusCode::kFailedPrecondition, kOperation, path_)
        .because("\"" + point + "\" is a mount point")
        .advise(std::move(advice));
  }

  const std::string& path_;
  const Deadline& deadline_;
  std::vector<Level> levels_;
  int steps_ = 0;
};

}  // namespace

Result<void> remove_contents(const FileDescriptor& directory, const std::string& path,
                             const Deadline& deadline) {
  return TreeRemoval(path, deadline).run(directory);
}

}  // namespace longshore::support
