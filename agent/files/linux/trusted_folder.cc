#include "files/linux/trusted_folder.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include <deque>
#include <filesystem>
#include <iterator>
#include <optional>

namespace longshore::files {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel
constexpr mode_t kModeOnTheWay = 0755;

Error refusal(const fs::path& culprit, std::string why, std::string advice) {
  return Error(StatusCode::kPermissionDenied, "trust", culprit.string())
      .because(std::move(why))
      .advise(std::move(advice));
}

// The way from the root folder to another one.
class Way {
 public:
  // Without a mode nothing is made.
  Way(const fs::path& path, std::optional<mode_t> mode, bool closes_end)
      : mode_(mode), closes_end_(closes_end) {
    go_on(path);
  }

  Result<FileDescriptor> walk() {
    if (auto begun = begin_at_root(); !begun) return std::move(begun).error();
    while (!ahead_.empty()) {
      const std::string name = std::move(ahead_.front());
      ahead_.pop_front();
      if (auto stepped = step(name); !stepped) return std::move(stepped).error();
    }
    if (auto trusted = check_end(); !trusted) return std::move(trusted).error();
    return std::move(here_);
  }

 private:
  static Error system_error(const char* operation, const fs::path& path,
                            const std::error_code& error) {
    return Error(StatusCode::kUnknown, operation, path.string()).because(error);
  }

  // Puts the parts of `path` before what is still ahead.
  void go_on(const fs::path& path) {
    auto at = ahead_.begin();
    for (const fs::path& part : path.relative_path()) {
      if (!part.empty() && part != ".") at = std::next(ahead_.insert(at, part.string()));
    }
  }

  Result<void> begin_at_root() {
    shown_ = "/";
    here_ = FileDescriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!here_) return system_error("open", shown_, here_.error());
    return look_at_folder();
  }

  // One level down, or up, or to where a link leads.
  Result<void> step(const std::string& name) {
    const fs::path next = name == ".." ? shown_.parent_path() : shown_ / name;
    FileDescriptor found = look_up(name);
    if (found.error() == std::errc::no_such_file_or_directory && mode_) {
      if (auto made = make(name, next); !made) return made;
      found = look_up(name);
    }
    if (!found) return system_error("open", next, found.error());
    struct stat status {};
    if (const std::error_code error = error_unless(::fstat(found.get(), &status) == 0)) {
      return system_error("look at", next, error);
    }
    if (S_ISLNK(status.st_mode)) return follow(found.get(), status, next);
    here_ = std::move(found);
    shown_ = next;
    return look_at_folder();
  }

  FileDescriptor look_up(const std::string& name) const {
    return FileDescriptor(::openat(here_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  }

  Result<void> make(const std::string& name, const fs::path& shown) const {
    const bool is_last = ahead_.empty();
    const mode_t mode = is_last ? *mode_ : kModeOnTheWay;
    std::error_code error = error_unless(::mkdirat(here_.get(), name.c_str(), mode) == 0);
    if (error == std::errc::file_exists) return {};  // another has just made it
    if (error) return system_error("make the folder", shown, error);
    // Past the umask; one that was made on the way may well be closed by it.
    if (!is_last) return {};
    const FileDescriptor made = look_up(name);
    error = made ? error_unless(::chmod(path_of_descriptor(made.get()).c_str(), mode) == 0)
                 : made.error();
    return error ? system_error("make the folder", shown, error) : Result<void>();
  }

  Result<void> follow(int link, const struct stat& status, const fs::path& shown) {
    if (auto trusted = check_owner(status, shown); !trusted) return trusted;
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(link, "", target, sizeof(target));
    if (const std::error_code error = error_unless(size >= 0)) {
      return system_error("follow the link", shown, error);
    }
    if (++links_ > kMostLinks) {
      return Error(StatusCode::kFailedPrecondition, "follow the link", shown.string())
          .because("there are too many links on the way");
    }
    const fs::path to(std::string(target, static_cast<size_t>(size)));
    go_on(to);
    return to.is_absolute() ? begin_at_root() : Result<void>();
  }

  Result<void> look_at_folder() {
    if (const std::error_code error = error_unless(::fstat(here_.get(), &status_) == 0)) {
      return system_error("look at", shown_, error);
    }
    if (!S_ISDIR(status_.st_mode)) {
      return Error(StatusCode::kFailedPrecondition, "open", shown_.string())
          .because("it is not a folder");
    }
    if (auto trusted = check_owner(status_, shown_); !trusted) return trusted;
    if (closes_end_ && ahead_.empty()) close_end();
    // In a sticky folder others can add files but not replace those of a trusted owner. A group,
    // as that of /var/log on some systems, can put nothing of its own on the way: the next step
    // looks at the owner.
    if ((status_.st_mode & S_IWOTH) == 0 || (status_.st_mode & S_ISVTX) != 0) return {};
    if (is_opened_by_root()) return {};
    return refusal(shown_, "others may write to it", "chmod o-w closes it");
  }

  // Not one that is shared on purpose, as /tmp is, nor one with something in it. What stays open is
  // refused next.
  void close_end() {
    const bool is_open = (status_.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    if (!is_open || (status_.st_mode & S_ISVTX) != 0 || status_.st_uid != ::geteuid()) return;
    const FileDescriptor folder(
        ::openat(here_.get(), ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    std::error_code error;
    if (!folder || !fs::is_empty(path_of_descriptor(folder.get()), error) || error) return;
    if (::fchmod(folder.get(), *mode_) != 0) return;
    status_.st_mode = (status_.st_mode & S_IFMT) | *mode_;
  }

  // As a Pod's emptyDir, for a user who is not root and cannot close it. Others there can take away
  // what is this user's, but put nothing of theirs in its place: the next step looks at the owner.
  bool is_opened_by_root() const { return status_.st_uid == 0 && ::geteuid() != 0; }

  // What the last folder must be: closed to others.
  Result<void> check_end() const {
    if ((status_.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
    const bool is_sticky = (status_.st_mode & S_ISVTX) != 0;
    if (closes_end_ && !is_sticky && is_opened_by_root()) return {};
    return refusal(shown_, "its group or others may write to it", "chmod go-w closes it");
  }

  static Result<void> check_owner(const struct stat& status, const fs::path& shown) {
    if (status.st_uid == 0 || status.st_uid == ::geteuid()) return {};
    return refusal(shown,
                   "it belongs to user " + std::to_string(status.st_uid) + ", who could change it",
                   "give it to the agent's user, or use a folder that nobody else can change");
  }

  const std::optional<mode_t> mode_;
  const bool closes_end_;
  std::deque<std::string> ahead_;
  FileDescriptor here_;
  struct stat status_ {};  // of `here_`
  fs::path shown_;         // its path, for messages
  int links_ = 0;
};

}  // namespace

Result<TrustedFolder> TrustedFolder::open(const std::string& path) {
  return walk_to(path, std::nullopt, OpenEnd::kIsRefused);
}

Result<TrustedFolder> TrustedFolder::make(const std::string& path, mode_t mode) {
  return walk_to(path, mode, OpenEnd::kIsRefused);
}

Result<TrustedFolder> TrustedFolder::make_closed(const std::string& path, mode_t mode) {
  return walk_to(path, mode, OpenEnd::kIsClosed);
}

Result<TrustedFolder> TrustedFolder::walk_to(const std::string& path, std::optional<mode_t> mode,
                                             OpenEnd open_end) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return Error(StatusCode::kUnknown, "find the folder", path).because(error);
  auto folder = Way(absolute, mode, open_end == OpenEnd::kIsClosed).walk();
  if (!folder) return std::move(folder).error();
  return TrustedFolder(path, std::move(*folder));
}

Result<FileDescriptor> TrustedFolder::open_file(const std::string& name, int flags,
                                                mode_t mode) const {
  const auto failed = [&] {
    return Error(StatusCode::kUnknown, "open the file", (fs::path(path_) / name).string());
  };
  // O_NONBLOCK: a FIFO of that name must not hang the agent.
  FileDescriptor file(::openat(folder_.get(), name.c_str(),
                               flags | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, mode));
  struct stat status {};
  const std::error_code error =
      file ? error_unless(::fstat(file.get(), &status) == 0) : file.error();
  if (!file && error == std::errc::too_many_symbolic_link_levels) {
    return failed().because("it is a link, which is not followed");
  }
  if (error) return failed().because(error);
  if (!S_ISREG(status.st_mode)) return failed().because("it is not a regular file");
  return file;
}

std::string path_of_descriptor(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace longshore::files
