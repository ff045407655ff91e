// A link on the node that leads to a share: looked at, made and removed without leaving the allowed
// roots.
//
// Threads: a plain value. It holds the link's directory and the link itself open, so that what is
// removed is what was looked at.
#pragma once

#include <memory>
#include <string>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/windows/rooted_opener.h"

namespace longshore::smb {

class LocalLink {
 public:
  // NOT_FOUND: there is no directory for it. PERMISSION_DENIED: a link on the way leads out of the
  // roots. The path lies within a root. Only one that is opened to be removed can be.
  static Result<LocalLink> inspect(const support::RootedOpener& opener,
                                   const support::WindowsPath& path, const Deadline& deadline,
                                   support::FileAccess access = support::FileAccess::kLook);

  bool is_absent() const { return kind_ == Kind::kAbsent; }
  // Where it leads, `\\host\share\a\`; "" for what is no symbolic link.
  const std::string& target() const { return target_; }

  // A link of the kind that leads to a directory, although nobody asks whether it does.
  Result<void> make(const support::RootedOpener& opener, const std::string& target) const;
  Result<void> remove(const support::RootedOpener& opener) const;

  // ALREADY_EXISTS: something that does not lead to `target` is there.
  Result<void> check_free_for(const std::string& target) const;

 private:
  enum class Kind { kAbsent, kLink, kOther };

  LocalLink(support::DirectoryEntry entry, support::WindowsPath path)
      : entry_(std::move(entry)), path_(std::move(path)) {}

  support::DirectoryEntry entry_;
  support::WindowsPath path_;
  std::unique_ptr<support::OpenFile> opened_;
  Kind kind_ = Kind::kAbsent;
  std::string target_;
};

}  // namespace longshore::smb
