#include "filesystem/linux/filesystem_backend_linux.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <vector>

#include "support/linux/mount_root.h"
#include "support/linux/tree_removal.h"

namespace longshore::filesystem {
using support::PosixPath;

namespace {

constexpr const char* kLookFor = "look for";
constexpr const char* kMakeDirectory = "make the directory";
constexpr const char* kMakeLink = "make the link";
constexpr const char* kRemove = "remove";

// How often to start again when others make and remove the same directories.
constexpr int kAttempts = 8;

bool is_missing(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

EntryKind kind_of(const struct statx& status) {
  if ((status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) return EntryKind::kMountPoint;
  if (S_ISLNK(status.stx_mode)) return EntryKind::kLink;
  return S_ISDIR(status.stx_mode) ? EntryKind::kDirectory : EntryKind::kFile;
}

bool is_directory(const FileDescriptor& opened) {
  struct stat status {};
  return ::fstat(opened.get(), &status) == 0 && S_ISDIR(status.st_mode);
}

Error mounted(const PosixPath& path) {
  return Error(StatusCode::kFailedPrecondition, kRemove, path.text())
      .because("it is a mount point")
      .advise("unmount it first");
}

}  // namespace

Result<EntryKind> FilesystemBackendLinux::kind_of(const PosixPath& path, const Deadline& deadline) {
  const Result<Entry> entry = opener_.entry(path, kLookFor, deadline);
  if (entry) return kind_of(path, *entry, kLookFor);
  if (is_missing(entry.error().system())) return EntryKind::kAbsent;
  return entry.error();
}

Result<EntryKind> FilesystemBackendLinux::kind_of(const PosixPath& path, const Entry& entry,
                                                  std::string_view operation) const {
  struct statx status {};
  const std::error_code error =
      error_unless(::statx(entry.directory.get(), entry.name.c_str(),
                           AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE, &status) == 0);
  if (!error) return filesystem::kind_of(status);
  if (is_missing(error)) return EntryKind::kAbsent;
  if (error == std::errc::io_error && support::mount_rooted_at(entry.directory.get(), entry.name)) {
    return EntryKind::kMountPoint;
  }
  return opener_.failure(path, operation, error);
}

Error FilesystemBackendLinux::absence_of(const PosixPath& path, std::string_view operation,
                                         const Deadline& deadline) {
  return opener_.explained(
      opener_.failure(path, operation, std::make_error_code(std::errc::no_such_file_or_directory)),
      path, deadline);
}

Result<bool> FilesystemBackendLinux::leads_somewhere(const PosixPath& path,
                                                     const Deadline& deadline) {
  constexpr const char* kOperation = "follow the link";
  const Result<support::Destination> destination = opener_.follow(path, kOperation, deadline);
  if (!destination) {
    const std::error_code error = destination.error().system();
    // Links in a circle, or more of them than the system follows, lead to nothing that could be
    // opened: as of a link that dangles, the answer is no, and the driver makes the link anew.
    if (is_missing(error) || error == std::errc::too_many_symbolic_link_levels) return false;
    return destination.error();
  }
  if (destination->opened) return true;
  const auto mapping = mapping_in(destination->outside);
  if (!mapping) {
    return opener_.failure(path, kOperation, std::make_error_code(std::errc::cross_device_link));
  }
  struct stat status {};
  const std::error_code error = error_unless(::lstat(mapping->text().c_str(), &status) == 0);
  if (!error) return S_ISLNK(status.st_mode);
  if (is_missing(error)) return false;
  return opener_.failure(*mapping, kOperation, error);
}

std::optional<PosixPath> FilesystemBackendLinux::mapping_in(std::string_view outside) const {
  const Result<PosixPath> target = PosixPath::parse(outside, kLookFor);
  if (!target) return std::nullopt;
  for (const PosixPath& root : link_roots_) {
    if (!target->is_within(root)) continue;
    const auto names = support::path_names(target->below(root));
    if (names.size() < 3 || names[2] != "current") continue;
    std::string mapping = root.text();
    for (const std::string_view name : {names[0], names[1], names[2]}) {
      mapping.append("/").append(name);
    }
    if (Result<PosixPath> path = PosixPath::parse(mapping, kLookFor)) return *std::move(path);
  }
  return std::nullopt;
}

Result<std::string> FilesystemBackendLinux::read_link(const PosixPath& path,
                                                      const Deadline& deadline) {
  constexpr const char* kOperation = "read the link";
  const Result<Entry> entry = opener_.entry(path, kOperation, deadline);
  if (!entry) return opener_.explained(entry.error(), path, deadline);
  char text[PATH_MAX];
  const ssize_t size =
      ::readlinkat(entry->directory.get(), entry->name.c_str(), text, sizeof(text));
  if (const std::error_code error = error_unless(size >= 0)) {
    return opener_.failure(path, kOperation, error);
  }
  return std::string(text, static_cast<size_t>(size));
}

Result<void> FilesystemBackendLinux::make_directories(const PosixPath& path,
                                                      const Deadline& deadline) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Result<bool> made = try_to_make(path, deadline);
    if (!made) return made.error();
    if (*made) return {};
  }
  return Error(StatusCode::kAlreadyExists, kMakeDirectory, path.text())
      .because(opener_.dangling_link(path, deadline).value_or("others keep making and removing it"))
      .advise("remove the link that has the name first, if there is one");
}

// False: something came or went between looking and making, or a link leads nowhere.
Result<bool> FilesystemBackendLinux::try_to_make(const PosixPath& path,
                                                 const Deadline& deadline) const {
  const Result<FileDescriptor> opened = opener_.open(path, kMakeDirectory, deadline);
  if (opened && is_directory(*opened)) return true;
  if (opened) {
    return Error(StatusCode::kAlreadyExists, kMakeDirectory, path.text())
        .because("something that is no directory has the name");
  }
  if (opened.error().system() != std::errc::no_such_file_or_directory) return opened.error();
  auto missing = opener_.missing_place(path, kMakeDirectory, deadline);
  if (!missing) return std::move(missing).error();
  return *missing ? make_below(**std::move(missing), path, deadline) : Result<bool>(false);
}

Result<bool> FilesystemBackendLinux::make_below(support::MissingPlace place, const PosixPath& path,
                                                const Deadline& deadline) const {
  FileDescriptor directory = std::move(place.directory);
  for (const std::string& name : place.names) {
    if (auto exceeded = deadline.exceeded(kMakeDirectory, path.text())) return *std::move(exceeded);
    std::error_code error = error_unless(::mkdirat(directory.get(), name.c_str(), 0755) == 0);
    if (!error) {
      directory = support::open_unfollowed(directory, name, O_PATH | O_DIRECTORY);
      error = directory.error();
    }
    if (!error) continue;
    if (error == std::errc::file_exists || error == std::errc::no_such_file_or_directory ||
        error == std::errc::too_many_symbolic_link_levels) {
      return false;
    }
    return opener_.failure(path, kMakeDirectory, error);
  }
  return true;
}

Result<void> FilesystemBackendLinux::create_link(const PosixPath& source, const PosixPath& link,
                                                 const Deadline& deadline) {
  const Result<Entry> entry = opener_.entry(link, kMakeLink, deadline);
  if (!entry) return opener_.explained(entry.error(), link, deadline);
  const std::error_code error = error_unless(
      ::symlinkat(source.text().c_str(), entry->directory.get(), entry->name.c_str()) == 0);
  if (!error) return {};
  Error failure = opener_.failure(link, kMakeLink, error);
  if (failure.system() != std::errc::file_exists) return failure;
  auto dangling = opener_.dangling_link(link, deadline);
  return dangling ? std::move(failure).because(*std::move(dangling)) : failure;
}

Result<void> FilesystemBackendLinux::remove_entry(const PosixPath& path, const Deadline& deadline) {
  const Result<Entry> entry = opener_.entry(path, kRemove, deadline);
  if (!entry) return opener_.explained(entry.error(), path, deadline);
  const Result<EntryKind> kind = kind_of(path, *entry, kRemove);
  if (!kind) return kind.error();
  return unlink(path, *entry, *kind);
}

Result<void> FilesystemBackendLinux::unlink(const PosixPath& path, const Entry& entry,
                                            EntryKind kind) const {
  if (kind == EntryKind::kMountPoint) return mounted(path);
  const int flags = kind == EntryKind::kDirectory ? AT_REMOVEDIR : 0;
  const std::error_code error =
      error_unless(::unlinkat(entry.directory.get(), entry.name.c_str(), flags) == 0);
  if (!error) return {};
  // Mounted since, or through another path to the same place.
  if (error == std::errc::device_or_resource_busy) return mounted(path);
  Error failure = opener_.failure(path, kRemove, error);
  if (error != std::errc::directory_not_empty) return failure;
  return std::move(failure).advise("set force to remove a directory with all it holds");
}

Result<void> FilesystemBackendLinux::remove_tree(const PosixPath& path, const Deadline& deadline) {
  const Result<Entry> entry = opener_.entry(path, kRemove, deadline);
  if (!entry && is_missing(entry.error().system())) return {};
  if (!entry) return entry.error();
  const Result<EntryKind> kind = kind_of(path, *entry, kRemove);
  if (!kind) return kind.error();
  if (*kind == EntryKind::kAbsent) return {};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Result<void> removed =
        *kind == EntryKind::kDirectory ? empty(path, *entry, deadline) : Result<void>();
    if (removed) removed = unlink(path, *entry, *kind);
    if (removed || removed.error().code() == StatusCode::kNotFound) return {};
    if (removed.error().system() != std::errc::directory_not_empty) return removed;
  }
  return Error(StatusCode::kAborted, kRemove, path.text())
      .because("others keep putting entries into it")
      .advise("all that it held before is removed; call again when nobody uses it");
}

Result<void> FilesystemBackendLinux::empty(const PosixPath& path, const Entry& entry,
                                           const Deadline& deadline) const {
  const FileDescriptor directory = support::open_unfollowed(
      entry.directory, entry.name, O_PATH | O_DIRECTORY, /*same_mount=*/true);
  if (directory) return support::remove_contents(directory, path.text(), deadline);
  if (directory.error() == std::errc::cross_device_link) return mounted(path);
  return opener_.failure(path, kRemove, directory.error());
}

Result<bool> FilesystemBackendLinux::may_be_volume(const PosixPath& path,
                                                   const Deadline& deadline) {
  const Result<Entry> entry = opener_.entry(path, kRemove, deadline);
  if (!entry) return entry.error();
  const auto mount = support::mount_rooted_at(entry->directory.get(), entry->name);
  if (!mount || mount->root != "/") return false;
  // btrfs has device numbers of its own.
  return major(mount->device) != 0 || mount->type == "btrfs";
}

Result<void> FilesystemBackendLinux::remove_contents(const PosixPath& path,
                                                     const Deadline& deadline) {
  const Result<FileDescriptor> directory = opener_.open(path, "remove what is in", deadline);
  if (!directory) return opener_.explained(directory.error(), path, deadline);
  return support::remove_contents(*directory, path.text(), deadline);
}

}  // namespace longshore::filesystem
