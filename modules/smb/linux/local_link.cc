#include "smb/linux/local_link.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

namespace longshore::smb {

namespace {

constexpr const char* kMakeLink = "make the link";

}  // namespace

Result<LocalLink> LocalLink::inspect(const support::RootedOpener& beneath,
                                     const support::PosixPath& path, const Deadline& deadline) {
  Result<support::DirectoryEntry> entry = beneath.entry(path, kMakeLink, deadline);
  if (!entry) return beneath.explained(std::move(entry).error(), path, deadline);
  LocalLink link(*std::move(entry), path.text());
  char target[PATH_MAX];
  const ssize_t size =
      ::readlinkat(link.entry_.directory.get(), link.entry_.name.c_str(), target, sizeof(target));
  const std::error_code error = error_unless(size >= 0);
  if (!error) {
    link.kind_ = Kind::kLink;
    link.target_.assign(target, static_cast<size_t>(size));
  } else if (error == std::errc::invalid_argument) {
    link.kind_ = Kind::kOther;
  } else if (error != std::errc::no_such_file_or_directory) {
    return beneath.failure(path, kMakeLink, error);
  }
  return link;
}

Result<void> LocalLink::check_free_for(const std::string& target) const {
  if (is_absent() || (kind_ == Kind::kLink && target_ == target)) return {};
  return Error(StatusCode::kAlreadyExists, kMakeLink, path_)
      .because(kind_ == Kind::kLink ? "it is a link to another place already"
                                    : "something that is no link is there already")
      .advise("remove it first");
}

Result<void> LocalLink::make(const std::string& target) const {
  const std::error_code error =
      error_unless(::symlinkat(target.c_str(), entry_.directory.get(), entry_.name.c_str()) == 0);
  if (!error) return {};
  return Error(StatusCode::kUnknown, kMakeLink, path_).because(error);
}

Result<void> LocalLink::remove() const {
  const std::error_code error =
      error_unless(::unlinkat(entry_.directory.get(), entry_.name.c_str(), 0) == 0);
  if (!error || error == std::errc::no_such_file_or_directory) return {};
  return Error(StatusCode::kUnknown, "remove the link", path_).because(error);
}

}  // namespace longshore::smb
