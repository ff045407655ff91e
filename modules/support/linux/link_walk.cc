#include "support/linux/link_walk.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <deque>
#include <string>
#include <string_view>

#include "longshore/linux/file_descriptor.hpp"
#include "support/posix_path.h"

namespace longshore::support {
namespace {

constexpr size_t kMostLinks = 40;  // as the kernel's own limit

// One question for a path without links, as most are.
bool has_links(const std::string& path, LastLink last) {
  open_how how{};
  how.flags =
      static_cast<uint64_t>(O_PATH | O_CLOEXEC | (last == LastLink::kIsKept ? O_NOFOLLOW : 0));
  how.resolve = RESOLVE_NO_SYMLINKS;
  const FileDescriptor opened(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how))));
  return !opened && errno == ELOOP;
}

void append_name(std::string& path, std::string_view name) {
  if (name == "..") {
    path.resize(path.empty() ? 0 : path.rfind('/'));
  } else {
    path.append("/").append(name);
  }
}

// Name by name.
class LinkWalk {
 public:
  LinkWalk(std::string_view path, LastLink last, const MayLookAt& may_look_at)
      : last_(last), may_look_at_(may_look_at) {
    prepend(path);
  }

  void run() {
    start_at_top();
    while (here_ && !pending_.empty() && step()) {
    }
  }

  std::string path() const {
    std::string path = passed_;
    for (const std::string& name : pending_) append_name(path, name);
    return path.empty() ? "/" : path;
  }

 private:
  // False: here the walk ends.
  bool step() {
    const std::string name = pending_.front();
    if (name == "..") return enter(name);
    if (!may_look_at_(passed_ + "/" + name)) return false;
    if (pending_.size() == 1 && last_ == LastLink::kIsKept) return false;
    char text[PATH_MAX];
    const ssize_t size = ::readlinkat(here_.get(), name.c_str(), text, sizeof(text));
    if (size >= 0) return follow(std::string_view(text, static_cast<size_t>(size)));
    return errno == EINVAL && enter(name);  // EINVAL: no link
  }

  bool follow(std::string_view text) {
    if (++links_ > kMostLinks) return false;
    pending_.pop_front();
    prepend(text);
    if (text.starts_with('/')) start_at_top();
    return true;
  }

  bool enter(const std::string& name) {
    FileDescriptor next(::openat(here_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return false;
    here_ = std::move(next);
    append_name(passed_, name);
    pending_.pop_front();
    return true;
  }

  void start_at_top() {
    passed_.clear();
    here_ = FileDescriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  }

  void prepend(std::string_view text) {
    const auto names = path_names(text);
    pending_.insert(pending_.begin(), names.begin(), names.end());
  }

  const LastLink last_;
  const MayLookAt& may_look_at_;
  std::string passed_;               // the names that lead to here, none a link
  std::deque<std::string> pending_;  // still to go
  FileDescriptor here_;
  size_t links_ = 0;
};

}  // namespace

std::string follow_links(std::string_view path, LastLink last, const MayLookAt& may_look_at) {
  if (!has_links(std::string(path), last)) return std::string(path);
  LinkWalk walk(path, last, may_look_at);
  walk.run();
  return walk.path();
}

}  // namespace longshore::support
