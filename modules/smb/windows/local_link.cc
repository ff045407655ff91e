#include "smb/windows/local_link.h"

#include "longshore/windows/wide_text.hpp"
#include "support/windows/file_error.h"
#include "support/windows/reparse_point.h"

namespace longshore::smb {

using support::RootedOpener;
using support::WindowsPath;

namespace {

constexpr const char* kMakeLink = "make the link";
constexpr const char* kRemoveLink = "remove the link";

}  // namespace

Result<LocalLink> LocalLink::inspect(const RootedOpener& opener, const WindowsPath& path,
                                     const Deadline& deadline, support::FileAccess access) {
  if (path == *opener.roots().root_of(path)) {
    return Error(StatusCode::kAlreadyExists, kMakeLink, path.text())
        .because("it is an allowed root itself")
        .advise("name a path below it");
  }
  Result<support::DirectoryEntry> entry = opener.entry(path, kMakeLink, deadline);
  if (!entry) return opener.explained(std::move(entry).error(), path, deadline);
  LocalLink link(*std::move(entry), path);
  std::error_code error;
  link.opened_ = link.entry_.directory->open(link.entry_.name, access, error);
  if (!link.opened_) {
    if (support::is_not_found(error)) return link;
    return opener.failure(path, kMakeLink, error);
  }
  link.kind_ = Kind::kOther;
  const support::OpenFile::Facts facts = link.opened_->facts(error);
  if (error) return opener.failure(path, kMakeLink, error);
  if (!facts.is_reparse_point) return link;
  const auto data = link.opened_->read_reparse_data(error);
  if (error) return opener.failure(path, kMakeLink, error);
  const auto point = support::decode_reparse_point(data);
  if (!point || point->kind != support::ReparseKind::kSymbolicLink || point->is_relative) {
    return link;
  }
  link.kind_ = Kind::kLink;
  link.target_ = narrow(point->target);
  return link;
}

Result<void> LocalLink::check_free_for(const std::string& target) const {
  if (is_absent() || (kind_ == Kind::kLink && target_ == target)) return {};
  return Error(StatusCode::kAlreadyExists, kMakeLink, path_.text())
      .because(kind_ == Kind::kLink ? "it is a link to another place already"
                                    : "something that is no link to a share is there already")
      .advise("remove it first");
}

Result<void> LocalLink::make(const RootedOpener& opener, const std::string& target) const {
  const auto data = support::encode_symbolic_link(wide(target));
  if (!data) {
    return Error(StatusCode::kInvalidArgument, kMakeLink, path_.text())
        .because("the path that it leads to is longer than Windows can keep in a link");
  }
  const std::error_code error =
      entry_.directory->make_link(entry_.name, support::NewLinkType::kToDirectory, *data);
  return error ? opener.failure(path_, kMakeLink, error) : Result<void>();
}

Result<void> LocalLink::remove(const RootedOpener& opener) const {
  const std::error_code error = opened_->remove();
  if (!error || support::is_not_found(error)) return {};
  return opener.failure(path_, kRemoveLink, error);
}

}  // namespace longshore::smb
