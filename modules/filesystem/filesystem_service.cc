#include "filesystem/filesystem_service.h"

namespace longshore::filesystem {
using support::Bulkhead;
using support::PosixPath;

namespace {

Error holds_root(const PosixPath& path, const PosixPath& root, const char* operation) {
  return Error(StatusCode::kPermissionDenied, operation, path.text())
      .because("the working directory \"" + root.text() + "\" would be removed with it")
      .advise("only what lies below a working directory may be removed");
}

}  // namespace

Result<PosixPath> FilesystemService::enter(const std::string& path, const char* operation,
                                           const Bulkhead& bulkhead) const {
  Result<PosixPath> checked = roots_.check(path, operation);
  if (!checked) return checked;
  const Result<void> entered = bulkhead.enter(backend_.bulkhead_of(*checked));
  if (!entered) return entered.error();
  return checked;
}

Result<bool> FilesystemService::path_exists(const std::string& path,
                                            const Bulkhead& bulkhead) const {
  const Result<PosixPath> checked = enter(path, "look for", bulkhead);
  if (!checked) return checked.error();
  const Result<EntryKind> kind = backend_.kind_of(*checked);
  if (!kind) return kind.error();
  return *kind != EntryKind::kAbsent;
}

Result<void> FilesystemService::make_directory(const std::string& path,
                                               const Bulkhead& bulkhead) const {
  const Result<PosixPath> checked = enter(path, "make the directory", bulkhead);
  if (!checked) return checked.error();
  return backend_.make_directories(*checked);
}

Result<void> FilesystemService::remove_directory(const std::string& path, bool force,
                                                 const Deadline& deadline,
                                                 const Bulkhead& bulkhead) const {
  const Result<PosixPath> checked = enter(path, "remove", bulkhead);
  if (!checked) return checked.error();
  if (const PosixPath* root = roots_.root_within(*checked)) {
    return holds_root(*checked, *root, "remove");
  }
  return force ? backend_.remove_tree(*checked, deadline) : backend_.remove_entry(*checked);
}

Result<void> FilesystemService::remove_contents(const std::string& path, const Deadline& deadline,
                                                const Bulkhead& bulkhead) const {
  const Result<PosixPath> checked = enter(path, "remove what is in", bulkhead);
  if (!checked) return checked.error();
  // A root itself may be emptied: it is what lies below it that its callers may remove.
  if (const PosixPath* root = roots_.root_below(*checked)) {
    return holds_root(*checked, *root, "remove what is in");
  }
  return backend_.remove_contents(*checked, deadline);
}

Result<void> FilesystemService::create_link(const std::string& source, const std::string& target,
                                            SameLink same_link, const Bulkhead& bulkhead) const {
  const Result<PosixPath> link = enter(target, "make the link", bulkhead);
  if (!link) return link.error();
  const Result<PosixPath> destination = roots_.check(source, "make a link to");
  if (!destination) return destination.error();
  Result<void> made = backend_.create_link(*destination, *link);
  if (made || made.error().code() != StatusCode::kAlreadyExists ||
      same_link == SameLink::kIsError) {
    return made;
  }
  const Result<std::string> existing = backend_.read_link(*link);
  if (existing && *existing == destination->text()) return {};
  return made;
}

Result<bool> FilesystemService::is_link_or_mount_point(const std::string& path,
                                                       const Bulkhead& bulkhead) const {
  constexpr const char* kOperation = "tell whether this is a link or a mount point:";
  const Result<PosixPath> checked = enter(path, kOperation, bulkhead);
  if (!checked) return checked.error();
  const Result<EntryKind> kind = backend_.kind_of(*checked);
  if (!kind) return kind.error();
  switch (*kind) {
    case EntryKind::kAbsent:
      return Error(StatusCode::kNotFound, kOperation, checked->text()).because("it does not exist");
    case EntryKind::kLink:
      return backend_.leads_somewhere(*checked);
    case EntryKind::kMountPoint:
      return true;
    case EntryKind::kDirectory:
    case EntryKind::kFile:
      break;
  }
  return false;
}

}  // namespace longshore::filesystem
