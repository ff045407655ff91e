#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <filesystem>

#include "config/ownership.h"
#include "longshore/linux/file_descriptor.hpp"

namespace longshore::config {
namespace {

namespace fs = std::filesystem;

Error refusal(const fs::path& culprit, std::string why, std::string advice) {
  return Error(StatusCode::kPermissionDenied, "trust", culprit.string())
      .because(std::move(why))
      .advise(std::move(advice));
}

// The way from the root to a file, through links. Whoever can change one step can change where the
// way ends, so each step is looked at.
class Way {
 public:
  Way(const fs::path& path, const std::vector<unsigned>& owners) : owners_(owners) { go_on(path); }

  Result<void> check() {
    struct stat root {};
    if (const std::error_code error = error_unless(::lstat("/", &root) == 0)) {
      return system_error("/", error);
    }
    if (auto trusted = check_step("/", root); !trusted) return trusted;
    while (!ahead_.empty()) {
      const fs::path name = ahead_.front();
      ahead_.pop_front();
      if (name == "..") {
        here_ = here_.parent_path();
        continue;
      }
      if (auto stepped = step(here_ / name); !stepped) return stepped;
    }
    return {};
  }

 private:
  static Error system_error(const fs::path& path, const std::error_code& error) {
    return Error(StatusCode::kUnknown, "look at", path.string()).because(error);
  }

  // Puts the parts of `path` before what is still ahead.
  void go_on(const fs::path& path) {
    const fs::path parts = path.relative_path();
    auto at = ahead_.begin();
    for (const fs::path& part : parts) {
      if (!part.empty() && part != ".") at = std::next(ahead_.insert(at, part));
    }
    if (path.is_absolute()) here_ = "/";
  }

  Result<void> step(const fs::path& next) {
    constexpr int kMostLinks = 40;  // as the kernel
    struct stat status {};
    std::error_code error = error_unless(::lstat(next.c_str(), &status) == 0);
    if (error) return system_error(next, error);
    if (auto trusted = check_step(next, status); !trusted) return trusted;
    if (!S_ISLNK(status.st_mode)) {
      here_ = next;
      return {};
    }
    const fs::path target = fs::read_symlink(next, error);
    if (!error && ++links_ > kMostLinks) {
      error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    }
    if (error) return Error(StatusCode::kUnknown, "follow the link", next.string()).because(error);
    go_on(target);
    return {};
  }

  Result<void> check_step(const fs::path& path, const struct stat& status) const {
    const bool is_owner_trusted = status.st_uid == 0 || std::find(owners_.begin(), owners_.end(),
                                                                  status.st_uid) != owners_.end();
    if (!is_owner_trusted) {
      return refusal(path, "it belongs to user " + std::to_string(status.st_uid),
                     "give it to root; trusted_owners may name the owners of modules");
    }
    if (S_ISLNK(status.st_mode)) return {};  // a link's mode means nothing
    // In a sticky folder others can add files but not replace those of a trusted owner.
    const bool is_sticky_folder =
        S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0 && status.st_uid == 0;
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !is_sticky_folder) {
      return refusal(path, "its group or others may write to it", "chmod go-w closes it");
    }
    return {};
  }

  const std::vector<unsigned>& owners_;
  std::deque<fs::path> ahead_;
  fs::path here_ = "/";
  int links_ = 0;
};

}  // namespace

Result<void> check_ownership(const std::string& path, const std::vector<unsigned>& owners) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return Error(StatusCode::kUnknown, "find the folder of", path).because(error);
  return Way(absolute, owners).check();
}

}  // namespace longshore::config
