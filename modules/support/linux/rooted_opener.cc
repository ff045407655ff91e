#include "support/linux/rooted_opener.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

namespace longshore::support {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel's own limit

FileDescriptor open_resolving(int directory, const char* path, int flags, uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.resolve = resolve;
  return FileDescriptor(
      static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof(how))));
}

FileDescriptor open_root(const PosixPath& root) {
  return FileDescriptor(::open(root.text().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

// Follows a path name by name. Used when the kernel will not: it refuses every absolute link.
class Walk {
 public:
  Walk(const AllowedRoots& roots, const PosixPath& path) : roots_(roots) {
    root_ = roots.root_of(path);
    prepend(path_names(path.below(*root_)));
  }

  // Goes to the end. With `follow_last`, `here()` is what the path leads to; otherwise the
  // directory that holds the last name, which `last()` is.
  std::error_code run(bool follow_last) {
    if (const auto error = reopen()) return error;
    while (!pending_.empty()) {
      last_ = pending_.front();
      if (pending_.size() == 1 && !follow_last) return {};
      pending_.pop_front();
      if (const auto error = step()) return error;
    }
    return {};
  }

  FileDescriptor take_here() { return std::move(here_); }
  const std::string& last() const { return last_; }

 private:
  using Names = std::vector<std::string_view>;

  std::error_code step() {
    if (last_ == "..") {
      if (names_.empty()) return std::make_error_code(std::errc::cross_device_link);
      names_.pop_back();
      return reopen();
    }
    char text[PATH_MAX];
    const ssize_t size = ::readlinkat(here_.get(), last_.c_str(), text, sizeof(text));
    if (size >= 0) return follow(std::string_view(text, static_cast<size_t>(size)));
    if (errno != EINVAL) return last_error();  // EINVAL: no link
    FileDescriptor next = open_unfollowed(here_, last_, O_PATH);
    if (!next) return last_error();
    here_ = std::move(next);
    names_.push_back(last_);
    return {};
  }

  std::error_code follow(std::string_view text) {
    if (++links_ > kMaxLinks) {
      return std::make_error_code(std::errc::too_many_symbolic_link_levels);
    }
    const Names names = path_names(text);
    if (!text.starts_with('/')) {
      prepend(names);
      return {};
    }
    for (const PosixPath& root : roots_.roots()) {
      const std::optional<Names> rest = names_below(names, root);
      if (!rest) continue;
      root_ = &root;
      names_.clear();
      prepend(*rest);
      return reopen();
    }
    return std::make_error_code(std::errc::cross_device_link);
  }

  // The names of an absolute link's text that are left behind those of the root.
  static std::optional<Names> names_below(const Names& names, const PosixPath& root) {
    const Names root_names = path_names(root.text());
    if (names.size() < root_names.size() ||
        !std::equal(root_names.begin(), root_names.end(), names.begin())) {
      return std::nullopt;
    }
    return Names(names.begin() + static_cast<ptrdiff_t>(root_names.size()), names.end());
  }

  // Opens the directory that the names passed so far lead to; none of them is a link, and if
  // somebody makes one of them a link now the kernel refuses.
  std::error_code reopen() {
    here_ = open_root(*root_);
    if (!here_ || names_.empty()) return here_ ? std::error_code() : last_error();
    std::string path;
    for (const std::string& name : names_) path.append(path.empty() ? "" : "/").append(name);
    here_ = open_unfollowed(here_, path, O_PATH | O_DIRECTORY);
    return here_ ? std::error_code() : last_error();
  }

  void prepend(const Names& names) {
    pending_.insert(pending_.begin(), names.begin(), names.end());
  }

  const AllowedRoots& roots_;
  const PosixPath* root_ = nullptr;
  std::vector<std::string> names_;   // from the root to here, free of links
  std::deque<std::string> pending_;  // still to go
  FileDescriptor here_;
  std::string last_;
  int links_ = 0;
};

// EXDEV: the kernel met an absolute link, or one that leads above the root. EAGAIN: somebody
// renamed a directory while it went through a "..".
bool needs_walk(int error) { return error == EXDEV || error == EAGAIN; }

constexpr uint64_t kBeneath = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;

}  // namespace

FileDescriptor open_unfollowed(const FileDescriptor& directory, const std::string& name, int flags,
                               bool same_mount) {
  return open_resolving(
      directory.get(), name.c_str(), flags | O_NOFOLLOW,
      kBeneath | RESOLVE_NO_SYMLINKS | (same_mount ? uint64_t{RESOLVE_NO_XDEV} : uint64_t{0}));
}

Result<FileDescriptor> RootedOpener::open(const PosixPath& path, std::string_view operation) const {
  Result<FileDescriptor> root = open_root_of(path, operation);
  const std::string relative(path.below(*roots_.root_of(path)));
  if (!root || relative.empty()) return root;
  FileDescriptor found = open_resolving(root->get(), relative.c_str(), O_PATH, kBeneath);
  if (found) return found;
  if (!needs_walk(errno)) return failure(path, operation, last_error());
  Walk walk(roots_, path);
  if (const auto error = walk.run(/*follow_last=*/true)) return failure(path, operation, error);
  return walk.take_here();
}

Result<DirectoryEntry> RootedOpener::entry(const PosixPath& path,
                                           std::string_view operation) const {
  Result<FileDescriptor> root = open_root_of(path, operation);
  if (!root) return std::move(root).error();
  const std::string relative(path.below(*roots_.root_of(path)));
  if (relative.empty()) return DirectoryEntry{*std::move(root), path.text()};
  const size_t slash = relative.rfind('/');
  if (slash == std::string::npos) return DirectoryEntry{*std::move(root), relative};
  FileDescriptor directory = open_resolving(root->get(), relative.substr(0, slash).c_str(),
                                            O_PATH | O_DIRECTORY, kBeneath);
  if (directory) return DirectoryEntry{std::move(directory), relative.substr(slash + 1)};
  if (!needs_walk(errno)) return failure(path, operation, last_error());
  Walk walk(roots_, path);
  if (const auto error = walk.run(/*follow_last=*/false)) return failure(path, operation, error);
  return DirectoryEntry{walk.take_here(), walk.last()};
}

Result<FileDescriptor> RootedOpener::open_root_of(const PosixPath& path,
                                                  std::string_view operation) const {
  const PosixPath& root = *roots_.root_of(path);
  FileDescriptor opened = open_root(root);
  if (opened) return opened;
  return failure(path, operation, last_error())
      .advise("the working directory \"" + root.text() + "\" itself cannot be opened");
}

Error RootedOpener::failure(const PosixPath& path, std::string_view operation,
                            std::error_code error) const {
  if (error == std::errc::cross_device_link) {
    return Error(StatusCode::kPermissionDenied, std::string(operation), path.text())
        .because("a link on the way leads out of the working directories " + roots_.describe())
        .advise("links are followed only within the option allowed_roots of the module");
  }
  return Error(StatusCode::kUnknown, std::string(operation), path.text()).because(error);
}

}  // namespace longshore::support
