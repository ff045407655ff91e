// A path that a caller sent, checked: absolute, on a drive, without `..`, in its shortest spelling.
//
// Only the text is looked at; what the path leads to is the backend's concern. The rules are
// csi-proxy's (its ValidatePathWindows), with its recognisable words in the errors ("exceeds
// maximum characters", "invalid characters", "not an absolute Windows path"), and stricter where
// csi-proxy lets a second spelling of a path through, which would lie outside of the allowed roots
// by its text and within by what it leads to. Longer than csi-proxy's 260 characters a path may be.
//
// Names are compared as NTFS compares them, without regard to case.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::support {

// A value: immutable, never empty.
class WindowsPath {
 public:
  // What Windows takes: 32,767 UTF-16 units with the prefix \\?\ and a closing zero, and 255 units
  // a name. A UTF-16 unit is three bytes of UTF-8 at most.
  static constexpr size_t kMaxUnits = 32'700;
  static constexpr size_t kMaxNameUnits = 255;

  // INVALID_ARGUMENT for a path that is too long, empty, relative, no UTF-8, a UNC path or one of a
  // device; that holds a character that Windows has in no name, or a name that Windows would read
  // as another: `..`, one that ends with a dot or a blank, and devices (NUL, COM1, also with an
  // extension). `operation` completes "cannot ...". The drive is made a capital; repeated and
  // closing backslashes and the name `.` are dropped: "c:\a\\b\.\" becomes "C:\a\b".
  static Result<WindowsPath> parse(std::string_view text, std::string_view operation);

  // The same, and "\var\lib\kubelet", which names no drive, lies on the drive that Windows runs
  // from. For what csi-proxy hands to Windows unseen: there it is the current drive's, and a
  // service's current directory is the one of Windows. kubelet sends the paths of its plugins so,
  // and puts the drive before the paths of pods alone. The agent's own current directory is not
  // asked: it is wherever somebody started it. UNC paths and those of devices stay refused.
  static Result<WindowsPath> parse_rooted(std::string_view text, std::string_view operation);

  // "C:\" or "C:\a\b", in UTF-8.
  const std::string& text() const { return text_; }

  // "\\?\C:\a\b": for Windows' functions, with no limit of 260 characters, and taken literally.
  std::wstring verbatim() const;

  // The names in it, from the drive on: {"a", "b"}. They are views of this value.
  std::vector<std::string_view> names() const;

  // The last name ("" for "C:\") and the path without it ("C:\" for "C:\a" and for "C:\").
  std::string_view name() const;
  WindowsPath parent() const;

  // Whether this is `ancestor` or lies below it, name by name: "C:\a\bc" is not within "C:\a\b".
  bool is_within(const WindowsPath& ancestor) const;

  // What leads from `ancestor` to here: "b\c", or "" for the same path. Only if is_within().
  std::string_view below(const WindowsPath& ancestor) const;

  // Without regard to case.
  bool operator==(const WindowsPath& other) const;

 private:
  explicit WindowsPath(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// Whether two names, or paths, are the same to NTFS.
bool same_name(std::string_view left, std::string_view right);

}  // namespace longshore::support
