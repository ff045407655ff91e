#include "filesystem/filesystem_service.h"

namespace longshore::filesystem {
using support::Bulkhead;
using support::LastLink;
using support::Path;

namespace {

Error holds_root(const Path& path, const Path& root, const char* operation) {
  return Error(StatusCode::kPermissionDenied, operation, path.text())
      .because("the allowed root \"" + root.text() + "\" would be removed with it")
      .advise("only what lies below an allowed root may be removed");
}

}  // namespace

Result<Path> FilesystemService::enter(const std::string& path, const char* operation,
                                      const Bulkhead& bulkhead, LastLink last) const {
  return enter(roots_.check(path, operation), bulkhead, last);
}

Result<Path> FilesystemService::enter(Result<Path> checked, const Bulkhead& bulkhead,
                                      LastLink last) const {
  if (!checked) return checked;
  const Result<void> entered = bulkhead.enter(backend_.bulkhead_of(*checked, last));
  if (!entered) return entered.error();
  return checked;
}

Result<bool> FilesystemService::path_exists(const std::string& path,
                                            const Bulkhead& bulkhead) const {
  const Result<Path> checked = enter(path, "look for", bulkhead, LastLink::kIsKept);
  if (!checked) return checked.error();
  const Result<EntryKind> kind = backend_.kind_of(*checked, bulkhead.deadline());
  if (!kind) return kind.error();
  return *kind != EntryKind::kAbsent;
}

Result<void> FilesystemService::make_directory(const std::string& path,
                                               const Bulkhead& bulkhead) const {
  const Result<Path> checked = enter(path, "make the directory", bulkhead);
  if (!checked) return checked.error();
  return backend_.make_directories(*checked, bulkhead.deadline());
}

Result<void> FilesystemService::remove_directory(const std::string& path, bool force,
                                                 const Deadline& deadline, const Bulkhead& bulkhead,
                                                 VolumeGroup* volumes) const {
  const Result<Path> checked = enter(path, "remove", bulkhead, LastLink::kIsKept);
  if (!checked) return checked.error();
  if (const Path* root = roots_.root_within(*checked)) {
    return holds_root(*checked, *root, "remove");
  }
  Result<void> removed =
      force ? backend_.remove_tree(*checked, deadline) : backend_.remove_entry(*checked, deadline);
  if (removed || removed.error().code() != StatusCode::kFailedPrecondition || !volumes) {
    return removed;
  }
  const Result<bool> may_be_volume = backend_.may_be_volume(*checked, deadline);
  if (!may_be_volume || !*may_be_volume) return removed;
  return remove_mount_point(*checked, force, deadline, *volumes);
}

Result<void> FilesystemService::remove_mount_point(const Path& path, bool force,
                                                   const Deadline& deadline,
                                                   VolumeGroup& volumes) const {
  if (Result<void> unmounted = unmount_volume(volumes, path); !unmounted) {
    // Another call may have been quicker.
    const Result<EntryKind> kind = backend_.kind_of(path, deadline);
    if (!kind || *kind == EntryKind::kMountPoint) return unmounted;
  }
  // Also with `force` no more than an empty directory: what the volume lay over, or what came there
  // since, is nothing that the caller has seen.
  Result<void> removed = backend_.remove_entry(path, deadline);
  if (!removed && force && removed.error().code() == StatusCode::kNotFound) return {};
  if (removed || removed.error().system() != std::errc::directory_not_empty) return removed;
  return std::move(removed).error().advise(
      "the volume was unmounted, and what it had hidden in the directory is kept: look at that, "
      "and call with force again to remove it");
}

Result<void> FilesystemService::remove_contents(const std::string& path, const Deadline& deadline,
                                                const Bulkhead& bulkhead) const {
  const Result<Path> checked = enter(path, "remove what is in", bulkhead);
  if (!checked) return checked.error();
  // A root itself may be emptied: it is what lies below it that its callers may remove.
  if (const Path* root = roots_.root_below(*checked)) {
    return holds_root(*checked, *root, "remove what is in");
  }
  return backend_.remove_contents(*checked, deadline);
}

Result<void> FilesystemService::create_link(const std::string& source, const std::string& target,
                                            SameLink same_link, const Bulkhead& bulkhead) const {
  const Result<Path> link = enter(target, "make the link", bulkhead);
  if (!link) return link.error();
  const Result<Path> destination = roots_.check(source, "make a link to");
  if (!destination) return destination.error();
  Result<void> made = backend_.create_link(*destination, *link, bulkhead.deadline());
  if (made || made.error().code() != StatusCode::kAlreadyExists ||
      same_link == SameLink::kIsError) {
    return made;
  }
  const Result<std::string> existing = backend_.read_link(*link, bulkhead.deadline());
  if (existing && *existing == destination->text()) return {};
  return made;
}

Result<bool> FilesystemService::is_link_or_mount_point(const std::string& path,
                                                       const Bulkhead& bulkhead) const {
  constexpr const char* kOperation = "tell whether this is a link or a mount point:";
  // csi-proxy looks at no path here, and drivers ask for what they mount on, as they got it.
  const Result<Path> checked = enter(roots_.check_rooted(path, kOperation), bulkhead);
  if (!checked) return checked.error();
  const Result<EntryKind> kind = backend_.kind_of(*checked, bulkhead.deadline());
  if (!kind) return kind.error();
  switch (*kind) {
    case EntryKind::kAbsent:
      return backend_.absence_of(*checked, kOperation, bulkhead.deadline());
    case EntryKind::kLink:
      return backend_.leads_somewhere(*checked, bulkhead.deadline());
    case EntryKind::kMountPoint:
      return true;
    case EntryKind::kDirectory:
    case EntryKind::kFile:
      break;
  }
  return false;
}

}  // namespace longshore::filesystem
