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

constexpr size_t kMaxLinks = 40;  // as the kernel's own limit

constexpr std::errc kHasStopped = std::errc::operation_canceled;

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

// Without blanks, as in the kernel's list of mounts. Drivers look for words of ours in errors, and
// what somebody else has named must not read like these.
std::string shown(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == ' ' ? "\\040" : std::string(1, c);
  return escaped;
}

// Follows a path name by name. Used when the kernel will not: it refuses every absolute link.
class Walk {
 public:
  Walk(const AllowedRoots& roots, const PosixPath& path, const Deadline& deadline)
      : roots_(roots), deadline_(deadline) {
    root_ = roots.root_of(path);
    prepend(path_names(path.below(*root_)), kOfPath);
  }

  // Goes to the end. With `follow_last`, `here()` is what the path leads to; otherwise the
  // directory that holds the last name, which `last()` is. kHasStopped: the deadline was reached.
  std::error_code run(bool follow_last) {
    if (const auto error = reopen()) return error;
    while (!pending_.empty()) {
      last_ = pending_.front().name;
      link_ = pending_.front().link;
      if (pending_.size() == 1 && !follow_last) return {};
      if (const auto error = may_go_on()) return error;
      pending_.pop_front();
      if (const auto error = step()) return error;
    }
    return {};
  }

  FileDescriptor take_here() { return std::move(here_); }
  const std::string& last() const { return last_; }

  // After ENOENT: the names that are missing below `here()`, if no link's text has one of them.
  std::vector<std::string> missing() const {
    if (link_ != kOfPath || !here_) return {};
    std::vector<std::string> names = {last_};
    for (const Pending& each : pending_) names.push_back(each.name);
    return names;
  }

  // After EXDEV: where an absolute link leads, with what was still to go from there. "": a link
  // that leads out is no absolute one.
  const std::string& outside() const { return outside_; }

  // After ENOENT: the link whose text names what is missing, in words; nothing if the path does.
  std::optional<std::string> dangling_link() const {
    if (link_ == kOfPath) return std::nullopt;
    const Link& link = links_[link_];
    return "the link \"" + shown(link.path) + "\" leads to \"" + shown(link.text) +
           "\", where nothing is";
  }

 private:
  using Names = std::vector<std::string_view>;

  // Which link's text a name stands in; kOfPath: in none.
  static constexpr size_t kOfPath = static_cast<size_t>(-1);
  struct Pending {
    std::string name;
    size_t link = kOfPath;
  };
  struct Link {
    std::string path;
    std::string text;
  };

  std::error_code may_go_on() {
    if (steps_++ >= RootedOpener::kMostSteps) {
      return std::make_error_code(std::errc::too_many_symbolic_link_levels);
    }
    return deadline_.exceeded({}, {}) ? std::make_error_code(kHasStopped) : std::error_code();
  }

  std::error_code step() {
    if (last_ == "..") {
      if (names_.empty()) return std::make_error_code(std::errc::cross_device_link);
      names_.pop_back();
      return reopen();
    }
    char text[PATH_MAX];
    const ssize_t size = ::readlinkat(here_.get(), last_.c_str(), text, sizeof(text));
    const std::error_code error = error_unless(size >= 0);
    if (!error) return follow(std::string_view(text, static_cast<size_t>(size)));
    if (error != std::errc::invalid_argument) return error;  // EINVAL: no link
    FileDescriptor next = open_unfollowed(here_, last_, O_PATH);
    if (!next) return next.error();
    here_ = std::move(next);
    names_.push_back(last_);
    return {};
  }

  std::error_code follow(std::string_view text) {
    if (links_.size() == kMaxLinks) {
      return std::make_error_code(std::errc::too_many_symbolic_link_levels);
    }
    link_ = links_.size();
    links_.push_back({path_of_last(), std::string(text)});
    const Names names = path_names(text);
    if (!text.starts_with('/')) {
      prepend(names, link_);
      return {};
    }
    for (const PosixPath& root : roots_.roots()) {
      const std::optional<Names> rest = names_below(names, root);
      if (!rest) continue;
      root_ = &root;
      names_.clear();
      prepend(*rest, link_);
      return reopen();
    }
    outside_ = text;
    for (const Pending& each : pending_) outside_.append("/").append(each.name);
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
  // somebody makes one of them a link now the kernel refuses. Costs a step for each of them, or a
  // link with many ".." deep down would take the square of its length.
  std::error_code reopen() {
    steps_ += names_.size();
    here_ = open_root(*root_);
    if (!here_ || names_.empty()) return here_.error();
    here_ = open_unfollowed(here_, joined_names(), O_PATH | O_DIRECTORY);
    return here_.error();
  }

  std::string joined_names() const {
    std::string path;
    for (const std::string& name : names_) path.append(path.empty() ? "" : "/").append(name);
    return path;
  }

  std::string path_of_last() const {
    const std::string above = joined_names();
    const std::string below = above.empty() ? last_ : above + "/" + last_;
    return root_->text() == "/" ? "/" + below : root_->text() + "/" + below;
  }

  void prepend(const Names& names, size_t link) {
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      pending_.push_front({std::string(*name), link});
    }
  }

  const AllowedRoots& roots_;
  const Deadline& deadline_;
  size_t steps_ = 0;
  const PosixPath* root_ = nullptr;
  std::vector<std::string> names_;  // from the root to here, free of links
  std::deque<Pending> pending_;     // still to go
  std::vector<Link> links_;         // those that were followed
  FileDescriptor here_;
  std::string last_;
  size_t link_ = kOfPath;  // of what was done last
  std::string outside_;
};

// EXDEV: the kernel met an absolute link, or one that leads above the root. EAGAIN: somebody
// renamed a directory while it went through a "..".
bool needs_walk(const std::error_code& error) {
  return error == std::errc::cross_device_link ||
         error == std::errc::resource_unavailable_try_again;
}

constexpr uint64_t kBeneath = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;

}  // namespace

FileDescriptor open_unfollowed(const FileDescriptor& directory, const std::string& name, int flags,
                               bool same_mount) {
  return open_resolving(
      directory.get(), name.c_str(), flags | O_NOFOLLOW,
      kBeneath | RESOLVE_NO_SYMLINKS | (same_mount ? uint64_t{RESOLVE_NO_XDEV} : uint64_t{0}));
}

Result<FileDescriptor> RootedOpener::open(const PosixPath& path, std::string_view operation,
                                          const Deadline& deadline) const {
  Result<Destination> found = follow(path, operation, deadline);
  if (!found) return std::move(found).error();
  if (found->opened) return std::move(found->opened);
  return failure(path, operation, std::make_error_code(std::errc::cross_device_link));
}

Result<Destination> RootedOpener::follow(const PosixPath& path, std::string_view operation,
                                         const Deadline& deadline) const {
  Result<FileDescriptor> root = open_root_of(path, operation);
  if (!root) return std::move(root).error();
  const std::string relative(path.below(*roots_.root_of(path)));
  if (relative.empty()) return Destination{*std::move(root), {}};
  FileDescriptor found = open_resolving(root->get(), relative.c_str(), O_PATH, kBeneath);
  if (found) return Destination{std::move(found), {}};
  if (!needs_walk(found.error())) return failure(path, operation, found.error());
  Walk walk(roots_, path, deadline);
  const std::error_code error = walk.run(/*follow_last=*/true);
  if (!error) return Destination{walk.take_here(), {}};
  if (!walk.outside().empty()) return Destination{{}, walk.outside()};
  return failure_of_walk(path, operation, deadline, error);
}

Result<DirectoryEntry> RootedOpener::entry(const PosixPath& path, std::string_view operation,
                                           const Deadline& deadline) const {
  Result<FileDescriptor> root = open_root_of(path, operation);
  if (!root) return std::move(root).error();
  const std::string relative(path.below(*roots_.root_of(path)));
  if (relative.empty()) return DirectoryEntry{*std::move(root), path.text()};
  const size_t slash = relative.rfind('/');
  if (slash == std::string::npos) return DirectoryEntry{*std::move(root), relative};
  FileDescriptor directory = open_resolving(root->get(), relative.substr(0, slash).c_str(),
                                            O_PATH | O_DIRECTORY, kBeneath);
  if (directory) return DirectoryEntry{std::move(directory), relative.substr(slash + 1)};
  if (!needs_walk(directory.error())) return failure(path, operation, directory.error());
  Walk walk(roots_, path, deadline);
  if (const auto error = walk.run(/*follow_last=*/false)) {
    return failure_of_walk(path, operation, deadline, error);
  }
  return DirectoryEntry{walk.take_here(), walk.last()};
}

Result<std::optional<MissingPlace>> RootedOpener::missing_place(const PosixPath& path,
                                                                std::string_view operation,
                                                                const Deadline& deadline) const {
  const Result<FileDescriptor> root = open_root_of(path, operation);
  if (!root) return root.error();
  Walk walk(roots_, path, deadline);
  const std::error_code error = walk.run(/*follow_last=*/true);
  if (!error) return std::optional<MissingPlace>();
  if (error != std::errc::no_such_file_or_directory) {
    return failure_of_walk(path, operation, deadline, error);
  }
  std::vector<std::string> names = walk.missing();
  if (names.empty()) return std::optional<MissingPlace>();
  return std::optional<MissingPlace>({walk.take_here(), std::move(names)});
}

std::optional<std::string> RootedOpener::dangling_link(const PosixPath& path,
                                                       const Deadline& deadline) const {
  Walk walk(roots_, path, deadline);
  const std::error_code error = walk.run(/*follow_last=*/true);
  if (error != std::errc::no_such_file_or_directory) return std::nullopt;
  return walk.dangling_link();
}

Error RootedOpener::explained(Error error, const PosixPath& path, const Deadline& deadline) const {
  if (error.system() != std::errc::no_such_file_or_directory) return error;
  std::optional<std::string> link = dangling_link(path, deadline);
  if (!link) return error;
  return std::move(error)
      .because(*std::move(link))
      .advise("remove that link, or make what it leads to");
}

Result<FileDescriptor> RootedOpener::open_root_of(const PosixPath& path,
                                                  std::string_view operation) const {
  const PosixPath& root = *roots_.root_of(path);
  FileDescriptor opened = open_root(root);
  if (opened) return opened;
  return failure(path, operation, opened.error())
      .advise("the allowed root \"" + root.text() + "\" itself cannot be opened");
}

Error RootedOpener::failure_of_walk(const PosixPath& path, std::string_view operation,
                                    const Deadline& deadline, std::error_code error) const {
  if (error == kHasStopped) {
    if (auto why = deadline.exceeded(std::string(operation), path.text())) return *std::move(why);
  }
  return failure(path, operation, error);
}

Error RootedOpener::failure(const PosixPath& path, std::string_view operation,
                            std::error_code error) const {
  if (error == std::errc::cross_device_link) {
    return Error(StatusCode::kPermissionDenied, std::string(operation), path.text())
        .because("a link on the way leads out of the allowed roots " + roots_.describe())
        .advise("links are followed only within settings.allowed_roots of the module");
  }
  return Error(StatusCode::kUnknown, std::string(operation), path.text()).because(error);
}

}  // namespace longshore::support
