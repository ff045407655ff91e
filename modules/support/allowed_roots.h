// The directories that an administrator allows callers to reach: the option `allowed_roots`.
//
// A root allows itself and everything below it. Whether links lead out of the roots is watched by
// the backend, which alone can look at them; see rooted_opener.h of linux/ and windows/.
//
// Threads: immutable.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "support/path.h"

namespace longshore::support {

class AllowedRoots {
 public:
  // INVALID_ARGUMENT for a root that is no valid path, and for no root at all.
  static Result<AllowedRoots> from(const std::vector<std::string>& roots);

  // Checks a path that a caller sent: INVALID_ARGUMENT as Path::parse, PERMISSION_DENIED when
  // it lies within no root. `operation` completes "cannot ...".
  Result<Path> check(std::string_view path, std::string_view operation) const;

  // The same, for a path that csi-proxy hands to the system unseen: as Path::parse_rooted.
  Result<Path> check_rooted(std::string_view path, std::string_view operation) const;

  // The widest root that the path lies within, or null. The widest, so that links may lead from one
  // root to another that lies below it.
  const Path* root_of(const Path& path) const;

  // A root that is the path or lies below it, or null: what removing the path would take along.
  const Path* root_within(const Path& path) const;

  // A root that lies below the path, or null: what emptying the path would take along.
  const Path* root_below(const Path& path) const;

  const std::vector<Path>& roots() const { return roots_; }

  // ["/var/lib/kubelet", "/mnt"], for messages.
  std::string describe() const;

 private:
  explicit AllowedRoots(std::vector<Path> roots);

  Result<Path> within_roots(Result<Path> parsed, std::string_view operation) const;

  template <typename Condition>
  const Path* first_root(const Condition& condition) const {
    const auto found = std::find_if(roots_.begin(), roots_.end(), condition);
    return found == roots_.end() ? nullptr : &*found;
  }

  std::vector<Path> roots_;  // the widest first
};

}  // namespace longshore::support
