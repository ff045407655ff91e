// A link on the node that leads to a share: looked at, made and removed without leaving the allowed
// roots.
//
// Threads: a plain value. It holds the directory open, so that the directory that is changed is the
// one that was looked at. Its last name is not held: what a client puts there between the look and
// remove() is removed, if it is no directory.
#pragma once

#include <string>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "support/linux/rooted_opener.h"

namespace longshore::smb {

class LocalLink {
 public:
  // NOT_FOUND: there is no directory for it. PERMISSION_DENIED: a link on the way leads out of the
  // roots. The path lies within a root.
  static Result<LocalLink> inspect(const support::RootedOpener& beneath,
                                   const support::PosixPath& path, const Deadline& deadline);

  bool is_absent() const { return kind_ == Kind::kAbsent; }
  // Where it leads; "" for what is no link.
  const std::string& target() const { return target_; }

  Result<void> make(const std::string& target) const;
  Result<void> remove() const;

  // ALREADY_EXISTS: something that does not lead to `target` is there.
  Result<void> check_free_for(const std::string& target) const;

 private:
  enum class Kind { kAbsent, kLink, kOther };

  LocalLink(support::DirectoryEntry entry, std::string path)
      : entry_(std::move(entry)), path_(std::move(path)) {}

  support::DirectoryEntry entry_;
  std::string path_;
  Kind kind_ = Kind::kAbsent;
  std::string target_;
};

}  // namespace longshore::smb
