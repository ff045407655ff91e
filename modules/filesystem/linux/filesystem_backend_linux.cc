#include "filesystem/linux/filesystem_backend_linux.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include <vector>

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

Result<EntryKind> FilesystemBackendLinux::kind_of(const PosixPath& path) {
  const Result<Entry> entry = opener_.entry(path, kLookFor);
  if (entry) return kind_of(path, *entry, kLookFor);
  if (is_missing(entry.error().system())) return EntryKind::kAbsent;
  return entry.error();
}

Result<EntryKind> FilesystemBackendLinux::kind_of(const PosixPath& path, const Entry& entry,
                                                  std::string_view operation) const {
  struct statx status {};
  if (::statx(entry.directory.get(), entry.name.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
              STATX_TYPE, &status) == 0) {
    return filesystem::kind_of(status);
  }
  if (is_missing(last_error())) return EntryKind::kAbsent;
  return opener_.failure(path, operation, last_error());
}

Result<bool> FilesystemBackendLinux::leads_somewhere(const PosixPath& path) {
  constexpr const char* kOperation = "follow the link";
  const Result<std::string> text = read_link(path);
  if (const auto mapping = text ? mapping_in(*text) : std::nullopt) {
    struct stat status {};
    if (::lstat(mapping->text().c_str(), &status) == 0) return S_ISLNK(status.st_mode);
    if (is_missing(last_error())) return false;
    return opener_.failure(*mapping, kOperation, last_error());
  }
  const Result<FileDescriptor> opened = opener_.open(path, kOperation);
  if (opened) return true;
  if (is_missing(opened.error().system())) return false;
  return opened.error();
}

std::optional<PosixPath> FilesystemBackendLinux::mapping_in(std::string_view link_text) const {
  const Result<PosixPath> target = PosixPath::parse(link_text, kLookFor);
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

Result<std::string> FilesystemBackendLinux::read_link(const PosixPath& path) {
  constexpr const char* kOperation = "read the link";
  const Result<Entry> entry = opener_.entry(path, kOperation);
  if (!entry) return entry.error();
  char text[PATH_MAX];
  const ssize_t size =
      ::readlinkat(entry->directory.get(), entry->name.c_str(), text, sizeof(text));
  if (size < 0) return opener_.failure(path, kOperation, last_error());
  return std::string(text, static_cast<size_t>(size));
}

Result<void> FilesystemBackendLinux::make_directories(const PosixPath& path) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Result<bool> made = try_to_make(path);
    if (!made) return made.error();
    if (*made) return {};
  }
  return Error(StatusCode::kAlreadyExists, kMakeDirectory, path.text())
      .because("it, or a directory above it, is a link that leads nowhere")
      .advise("remove that link first");
}

// False: something came or went between looking and making, or a link leads nowhere.
Result<bool> FilesystemBackendLinux::try_to_make(const PosixPath& path) const {
  const PosixPath& root = *opener_.roots().root_of(path);
  std::vector<std::string> missing;  // the deepest first
  PosixPath existing = path;
  Result<FileDescriptor> opened = opener_.open(existing, kMakeDirectory);
  while (!opened && opened.error().system() == std::errc::no_such_file_or_directory &&
         existing != root) {
    missing.emplace_back(existing.name());
    existing = existing.parent();
    opened = opener_.open(existing, kMakeDirectory);
  }
  if (!opened) return opened.error();
  if (missing.empty() && !is_directory(*opened)) {
    return Error(StatusCode::kAlreadyExists, kMakeDirectory, path.text())
        .because("something that is no directory has the name");
  }
  FileDescriptor directory = *std::move(opened);
  for (auto name = missing.rbegin(); name != missing.rend(); ++name) {
    if (::mkdirat(directory.get(), name->c_str(), 0755) == 0) {
      directory = support::open_unfollowed(directory, *name, O_PATH | O_DIRECTORY);
      if (directory) continue;
    }
    if (errno == EEXIST || errno == ENOENT || errno == ELOOP) return false;
    return opener_.failure(path, kMakeDirectory, last_error());
  }
  return true;
}

Result<void> FilesystemBackendLinux::create_link(const PosixPath& source, const PosixPath& link) {
  const Result<Entry> entry = opener_.entry(link, kMakeLink);
  if (!entry) return entry.error();
  if (::symlinkat(source.text().c_str(), entry->directory.get(), entry->name.c_str()) != 0) {
    return opener_.failure(link, kMakeLink, last_error());
  }
  return {};
}

Result<void> FilesystemBackendLinux::remove_entry(const PosixPath& path) {
  const Result<Entry> entry = opener_.entry(path, kRemove);
  if (!entry) return entry.error();
  const Result<EntryKind> kind = kind_of(path, *entry, kRemove);
  if (!kind) return kind.error();
  return unlink(path, *entry, *kind);
}

Result<void> FilesystemBackendLinux::unlink(const PosixPath& path, const Entry& entry,
                                            EntryKind kind) const {
  if (kind == EntryKind::kMountPoint) return mounted(path);
  const int flags = kind == EntryKind::kDirectory ? AT_REMOVEDIR : 0;
  if (::unlinkat(entry.directory.get(), entry.name.c_str(), flags) == 0) return {};
  const std::error_code error = last_error();
  // Mounted since, or through another path to the same place.
  if (error == std::errc::device_or_resource_busy) return mounted(path);
  Error failure = opener_.failure(path, kRemove, error);
  if (error != std::errc::directory_not_empty) return failure;
  return std::move(failure).advise("set force to remove a directory with all it holds");
}

Result<void> FilesystemBackendLinux::remove_tree(const PosixPath& path, const Deadline& deadline) {
  const Result<Entry> entry = opener_.entry(path, kRemove);
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
  if (errno == EXDEV) return mounted(path);
  return opener_.failure(path, kRemove, last_error());
}

Result<void> FilesystemBackendLinux::remove_contents(const PosixPath& path,
                                                     const Deadline& deadline) {
  const Result<FileDescriptor> directory = opener_.open(path, "remove what is in");
  if (!directory) return directory.error();
  return support::remove_contents(*directory, path.text(), deadline);
}

}  // namespace longshore::filesystem
