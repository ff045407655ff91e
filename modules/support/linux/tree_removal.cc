#include "support/linux/tree_removal.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <optional>
#include <vector>

#include "support/linux/beneath.h"
#include "support/linux/directory_reader.h"
#include "support/linux/mounts_below.h"

namespace longshore::support {
namespace {

constexpr const char* kOperation = "remove what is in";
constexpr size_t kOpenLevels = 32;
constexpr int kMaxPasses = 16;       // over one directory that others keep filling
constexpr int kLimitsInterval = 64;  // entries between two looks at the limits

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
  TreeRemoval(const std::string& path, const CallLimits& limits) : path_(path), limits_(limits) {}

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
    if (++steps_ % kLimitsInterval == 0) {
      if (auto error = limits_.exceeded(kOperation, path_)) {
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
    // A directory after all: the filesystem gives no types, or somebody exchanged it.
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
    // Gone, or exchanged for something else just now: the next pass meets what is there then.
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return {};
    return failure(name);
  }

  bool push(std::string name, FileDescriptor directory) {
    const auto identity = identity_of(directory);
    if (!identity) return false;
    if (levels_.size() >= kOpenLevels) levels_[levels_.size() - kOpenLevels].reader.reset();
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
    Level& parent = levels_[levels_.size() - 2];
    if (!parent.reader) {
      if (Result<void> opened = open_parent(parent); !opened) return opened;
    }
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

  // Whoever moved the directory that we are in has made its ".." lead into foreign places.
  Result<void> open_parent(Level& parent) {
    FileDescriptor opened(::openat(levels_.back().reader->descriptor().get(), "..",
                                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!opened) return failure("..");
    if (identity_of(opened) != parent.identity) {
      return Error(StatusCode::kAborted, kOperation, path_)
          .because("directories in it were moved elsewhere meanwhile")
          .advise("a part of it is removed; call again when nobody uses it");
    }
    parent.reader = std::make_unique<DirectoryReader>(std::move(opened));
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
  const CallLimits& limits_;
  std::vector<Level> levels_;
  int steps_ = 0;
};

}  // namespace

Result<void> remove_contents(const FileDescriptor& directory, const std::string& path,
                             const CallLimits& limits) {
  return TreeRemoval(path, limits).run(directory);
}

}  // namespace longshore::support
