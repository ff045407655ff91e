#include "support/linux/tree_removal.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/linux/directory_reader.h"
#include "support/linux/mounts_below.h"
#include "support/linux/rooted_opener.h"

namespace longshore::support {
namespace {

constexpr const char* kOperation = "remove what is in";
constexpr size_t kMaxOpen = 48;        // directories
constexpr size_t kMaxShown = 1'024;    // bytes of a path in an error
constexpr int kMaxPasses = 16;         // over one directory that others keep filling
constexpr int kDeadlineInterval = 64;  // entries between two looks at the deadline

bool is_gone(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

// An opened directory on the way from the top to the one that is being emptied.
struct Level {
  size_t depth = 0;            // levels below the top
  std::string name;            // in the directory that holds it
  bool is_parent_open = true;  // as the level before this one
  size_t path_size = 0;        // how much of the shown path leads here
  std::unique_ptr<DirectoryReader> reader;
  bool found = false;  // whether this pass over it met an entry
  int passes = 0;
};

class TreeRemoval {
 public:
  TreeRemoval(const std::string& path, const Deadline& deadline)
      : path_(path), deadline_(deadline), shown_(path.substr(0, kMaxShown)) {}

  Result<void> run(const FileDescriptor& top) {
    Result<std::optional<std::string>> mount = find_mount_below(top);
    if (!mount) return std::move(mount).error();
    if (*mount) return mounted(**mount, "nothing was removed; unmount it first");
    FileDescriptor opened = open_unfollowed(top, ".", O_RDONLY | O_DIRECTORY);
    if (!opened) return failure("", opened.error());
    push("", std::move(opened));
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
    const auto entry = reader.next();
    if (reader.error()) {
      return Error(StatusCode::kUnknown, kOperation, here()).because(reader.error());
    }
    if (!entry) return levels_.size() == 1 ? finish_top() : finish_level();
    levels_.back().found = true;
    const std::string name(entry->name);
    return entry->is_directory ? descend(reader, name) : remove_other(reader, name);
  }

  Result<void> remove_other(DirectoryReader& reader, const std::string& name) {
    const std::error_code error =
        error_unless(::unlinkat(reader.descriptor().get(), name.c_str(), 0) == 0);
    if (!error || error == std::errc::no_such_file_or_directory) return {};
    // A directory after all: the filesystem gives no types, or somebody replaced it.
    if (error == std::errc::is_a_directory) return descend(reader, name);
    return failure(name, error);
  }

  // Not removed at a venture first: that makes the system walk over all that it knows below, so
  // that n levels would take n * n steps in the kernel.
  Result<void> descend(DirectoryReader& reader, const std::string& name) {
    FileDescriptor child =
        open_unfollowed(reader.descriptor(), name, O_RDONLY | O_DIRECTORY, /*same_mount=*/true);
    if (child) {
      push(name, std::move(child));
      return {};
    }
    const std::error_code error = child.error();
    // One that may not be read can go if it is empty.
    if (error == std::errc::permission_denied &&
        ::unlinkat(reader.descriptor().get(), name.c_str(), AT_REMOVEDIR) == 0) {
      return {};
    }
    // Gone, or replaced by something else just now: the next pass meets what is there then.
    if (is_gone(error) || error == std::errc::too_many_symbolic_link_levels) return {};
    return failure(name, error);
  }

  void push(const std::string& name, FileDescriptor directory) {
    const size_t depth = levels_.empty() ? 0 : levels_.back().depth + 1;
    if (!name.empty()) shown_ = shown_path_of(name);
    levels_.push_back({.depth = depth,
                       .name = name,
                       .path_size = shown_.size(),
                       .reader = std::make_unique<DirectoryReader>(std::move(directory))});
    if (levels_.size() > kMaxOpen) close_one();
  }

  // Closes the directory between whose neighbours the way is shortest, measured by how far away it
  // is: those that stay open lie the closer together the deeper they are. To go down again from one
  // to the next therefore costs a part of what was gained since, so n levels take some n log n
  // steps. The top and the two deepest stay.
  void close_one() {
    const auto cost = [this](size_t index) {
      const size_t above = levels_[index - 1].depth;
      return static_cast<double>(levels_[index + 1].depth - above) /
             static_cast<double>(levels_.back().depth - above);
    };
    size_t cheapest = 1;
    for (size_t index = 2; index + 2 < levels_.size(); ++index) {
      if (cost(index) < cost(cheapest)) cheapest = index;
    }
    levels_[cheapest + 1].is_parent_open = false;
    levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(cheapest));
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
    const Level& level = levels_.back();
    if (!level.is_parent_open) return level.found ? another_pass() : go_back();
    const FileDescriptor& parent = levels_[levels_.size() - 2].reader->descriptor();
    const std::error_code error =
        error_unless(::unlinkat(parent.get(), level.name.c_str(), AT_REMOVEDIR) == 0);
    const bool is_full = error == std::errc::directory_not_empty || error == std::errc::file_exists;
    if (is_full && level.found) return another_pass();
    // Whatever has the name now is not what we emptied; the parent's next pass meets it.
    if (error && !is_full && !is_gone(error)) return failure("", error);
    pop();
    return {};
  }

  // From an empty directory whose parent is closed to the next that is open above it. A pass over
  // that one comes down here again. Never by "..": whoever moved the directory that we are in has
  // made that lead into foreign places, and whatever went wrong then would go wrong with everything
  // that lies there.
  Result<void> go_back() {
    pop();
    levels_.back().found = false;
    levels_.back().reader->rewind();
    return {};
  }

  void pop() {
    levels_.pop_back();
    shown_.resize(levels_.back().path_size);
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

  // The path of the directory that is being emptied, as far as it is shown.
  const std::string& here() const { return shown_; }

  std::string shown_path_of(const std::string& name) const {
    return shown_.size() < kMaxShown ? (shown_ + "/" + name).substr(0, kMaxShown) : shown_;
  }

  // The system refused to do something to an entry of the current directory.
  Error failure(const std::string& name, const std::error_code& error) const {
    const std::string object = name.empty() ? here() : shown_path_of(name);
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
  std::string shown_;
  std::vector<Level> levels_;
  int steps_ = 0;
};

}  // namespace

Result<void> remove_contents(const FileDescriptor& directory, const std::string& path,
                             const Deadline& deadline) {
  return TreeRemoval(path, deadline).run(directory);
}

}  // namespace longshore::support
