// A path that a caller sent, checked: absolute, POSIX, without `..`, in its shortest spelling.
//
// Only the text is looked at, on every system in the same way; what the path leads to is the
// backend's concern. The rules are csi-proxy's with POSIX paths in place of Windows paths, and the
// errors keep its recognisable words ("exceeds maximum characters", "invalid characters").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::support {

// The names in a path, from left to right; empty ones and "." are left out, ".." is kept.
std::vector<std::string_view> path_names(std::string_view path);

// Whether the path is `ancestor` or lies below it, name by name: "/a/bc" is not within "/a/b". Both
// are absolute and in their shortest spelling, as PosixPath and the kernel write them.
bool is_within(std::string_view path, std::string_view ancestor);

// A value: immutable, never empty.
class PosixPath {
 public:
  // What Linux takes: PATH_MAX without its closing zero, and NAME_MAX.
  static constexpr size_t kMaxBytes = 4095;
  static constexpr size_t kMaxNameBytes = 255;

  // INVALID_ARGUMENT for a path that is too long, empty, relative or written the Windows way, that
  // holds a NUL or a name `..`, or a name that is too long. `operation` completes "cannot ...".
  // Repeated, closing and single-dot slashes are dropped: "/a//b/./" becomes "/a/b".
  static Result<PosixPath> parse(std::string_view text, std::string_view operation);

  // The same: Linux has no drives that a path could leave out.
  static Result<PosixPath> parse_rooted(std::string_view text, std::string_view operation) {
    return parse(text, operation);
  }

  // "/" or "/a/b".
  const std::string& text() const { return text_; }

  // The last name ("" for "/") and the path without it ("/" for "/a" and for "/").
  std::string_view name() const;
  PosixPath parent() const;

  bool is_within(const PosixPath& ancestor) const {
    return support::is_within(text_, ancestor.text_);
  }

  // What leads from `ancestor` to here: "b/c", or "" for the same path. Only if is_within().
  std::string_view below(const PosixPath& ancestor) const;

  bool operator==(const PosixPath&) const = default;

 private:
  explicit PosixPath(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace longshore::support
