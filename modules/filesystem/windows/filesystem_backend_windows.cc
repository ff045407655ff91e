#include "filesystem/windows/filesystem_backend_windows.h"

#include <vector>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/file_error.h"
#include "support/windows/tree_removal.h"

namespace longshore::filesystem {
using support::FileAccess;
using support::OpenFile;
using support::ReparseKind;
using support::WindowsPath;

namespace {

constexpr const char* kLookFor = "look for";
constexpr const char* kMakeDirectory = "make the directory";
constexpr const char* kMakeLink = "make the link";
constexpr const char* kRemove = "remove";

// How often to start again when others make and remove the same directories.
constexpr int kAttempts = 8;

EntryKind kind_without_link(const OpenFile::Facts& facts) {
  return facts.is_directory ? EntryKind::kDirectory : EntryKind::kFile;
}

bool is_share(std::string_view path) {
  return path.starts_with("\\\\") && !path.starts_with("\\\\?\\") && !path.starts_with("\\\\.\\");
}

}  // namespace

FilesystemBackendWindows::Entry FilesystemBackendWindows::look(OpenFile& opened,
                                                               std::error_code& error) {
  const OpenFile::Facts facts = opened.facts(error);
  if (error || !facts.is_reparse_point) return {.kind = kind_without_link(facts)};
  const std::vector<std::byte> data = opened.read_reparse_data(error);
  if (error) return {};
  auto point = support::decode_reparse_point(data);
  // A link that leads nowhere.
  if (!point) return {.kind = EntryKind::kLink};
  EntryKind kind = EntryKind::kLink;
  if (point->kind == ReparseKind::kVolumeMountPoint) kind = EntryKind::kMountPoint;
  if (point->kind == ReparseKind::kOther && !point->is_name_surrogate()) {
    kind = kind_without_link(facts);
  }
  return {kind, *std::move(point)};
}

Result<EntryKind> FilesystemBackendWindows::kind_of(const WindowsPath& path,
                                                    const Deadline& deadline) {
  const auto opened = opener_.open_unfollowed(path, FileAccess::kLook, kLookFor, deadline);
  if (!opened && support::is_missing(opened.error().system())) return EntryKind::kAbsent;
  if (!opened) return opened.error();
  std::error_code error;
  const Entry entry = look(**opened, error);
  if (error) return opener_.failure(path, kLookFor, error);
  return entry.kind;
}

Error FilesystemBackendWindows::absence_of(const WindowsPath& path, std::string_view operation,
                                           const Deadline& deadline) {
  return opener_.explained(
      opener_.failure(path, operation, support::windows_error(ERROR_FILE_NOT_FOUND)), path,
      deadline);
}

Result<bool> FilesystemBackendWindows::leads_somewhere(const WindowsPath& path,
                                                       const Deadline& deadline) {
  constexpr const char* kOperation = "follow the link";
  const auto destination = opener_.follow(path, FileAccess::kLook, kOperation, deadline);
  if (!destination) {
    const std::error_code error = destination.error().system();
    // Links in a circle, or damaged ones, lead to nothing that could be opened: as of a link that
    // dangles, the answer is no, and the driver makes the link anew.
    if (support::is_missing(error) || error == std::errc::too_many_symbolic_link_levels ||
        error == support::windows_error(ERROR_INVALID_REPARSE_DATA)) {
      return false;
    }
    return destination.error();
  }
  if (destination->opened) return true;
  if (!is_share(destination->outside)) {
    return opener_.failure(path, kOperation, std::make_error_code(std::errc::cross_device_link));
  }
  std::error_code error;
  const bool exists = calls_->exists(wide(destination->outside), error);
  if (error) return opener_.failure(path, kOperation, error);
  return exists;
}

Result<std::string> FilesystemBackendWindows::read_link(const WindowsPath& path,
                                                        const Deadline& deadline) {
  constexpr const char* kOperation = "read the link";
  const auto opened = opener_.open_unfollowed(path, FileAccess::kLook, kOperation, deadline);
  if (!opened) return opener_.explained(opened.error(), path, deadline);
  std::error_code error;
  const Entry entry = look(**opened, error);
  if (error) return opener_.failure(path, kOperation, error);
  if (entry.kind == EntryKind::kLink) return narrow(entry.point.target);
  return opener_.failure(path, kOperation, support::windows_error(ERROR_NOT_A_REPARSE_POINT));
}

Result<void> FilesystemBackendWindows::make_directories(const WindowsPath& path,
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
Result<bool> FilesystemBackendWindows::try_to_make(const WindowsPath& path,
                                                   const Deadline& deadline) const {
  const auto opened = opener_.open(path, FileAccess::kLook, kMakeDirectory, deadline);
  if (opened) {
    std::error_code error;
    const bool is_directory = (*opened)->facts(error).is_directory;
    if (error) return opener_.failure(path, kMakeDirectory, error);
    if (is_directory) return true;
    return Error(StatusCode::kAlreadyExists, kMakeDirectory, path.text())
        .because("something that is no directory has the name");
  }
  if (!support::is_not_found(opened.error().system())) return opened.error();
  auto missing = opener_.missing_place(path, kMakeDirectory, deadline);
  if (!missing) return std::move(missing).error();
  return *missing ? make_below(**std::move(missing), path, deadline) : Result<bool>(false);
}

Result<bool> FilesystemBackendWindows::make_below(support::MissingPlace place,
                                                  const WindowsPath& path,
                                                  const Deadline& deadline) const {
  OpenFile::Opened directory = std::move(place.directory);
  for (const std::wstring& name : place.names) {
    if (auto exceeded = deadline.exceeded(kMakeDirectory, path.text())) return *std::move(exceeded);
    std::error_code error;
    directory = directory->make_directory(name, error);
    if (directory) continue;
    if (support::is_taken(error) || support::is_not_found(error)) return false;
    return opener_.failure(path, kMakeDirectory, error);
  }
  return true;
}

Result<void> FilesystemBackendWindows::create_link(const WindowsPath& source,
                                                   const WindowsPath& link,
                                                   const Deadline& deadline) {
  if (link == *opener_.roots().root_of(link)) {
    return opener_.failure(link, kMakeLink, support::windows_error(ERROR_ALREADY_EXISTS));
  }
  const auto data = support::encode_symbolic_link(wide(source.text()));
  if (!data) {
    return opener_.failure(link, kMakeLink, support::windows_error(ERROR_FILENAME_EXCED_RANGE));
  }
  std::error_code error;
  // A link to a directory, and a mount point, are directories too.
  const auto opened = opener_.open_unfollowed(source, FileAccess::kLook, kMakeLink, deadline);
  const bool is_directory = opened && (*opened)->facts(error).is_directory;
  const auto entry = opener_.entry(link, kMakeLink, deadline);
  if (!entry) return opener_.explained(entry.error(), link, deadline);
  error = entry->directory->make_link(
      entry->name,
      is_directory ? support::NewLinkType::kToDirectory : support::NewLinkType::kToFile, *data);
  if (!error) return {};
  Error failure = opener_.failure(link, kMakeLink, error);
  if (!support::is_taken(error)) return failure;
  auto dangling = opener_.dangling_link(link, deadline);
  return dangling ? std::move(failure).because(*std::move(dangling)) : failure;
}

Result<void> FilesystemBackendWindows::remove_entry(const WindowsPath& path,
                                                    const Deadline& deadline) {
  const auto opened = opener_.open_unfollowed(path, FileAccess::kRemove, kRemove, deadline);
  if (!opened) return opener_.explained(opened.error(), path, deadline);
  return remove(path, **opened);
}

Result<void> FilesystemBackendWindows::remove(const WindowsPath& path, OpenFile& opened) const {
  const std::error_code error = support::remove_entry(opened);
  if (!error) return {};
  Error failure = opener_.failure(path, kRemove, error);
  if (!support::is_not_empty(error)) return failure;
  return std::move(failure).advise("set force to remove a directory with all it holds");
}

Result<void> FilesystemBackendWindows::remove_tree(const WindowsPath& path,
                                                   const Deadline& deadline) {
  const auto opened = opener_.open_unfollowed(path, FileAccess::kRemove, kRemove, deadline);
  if (!opened && support::is_missing(opened.error().system())) return {};
  if (!opened) return opened.error();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::error_code error;
    const OpenFile::Facts facts = (*opened)->facts(error);
    if (error) return opener_.failure(path, kRemove, error);
    // By its own handle: what was made a link meanwhile is not entered.
    if (facts.is_directory && !facts.is_reparse_point) {
      if (Result<void> emptied = support::remove_contents(**opened, path.text(), deadline);
          !emptied) {
        return emptied;
      }
    }
    const Result<void> removed = remove(path, **opened);
    if (removed || removed.error().code() == StatusCode::kNotFound) return {};
    if (!support::is_not_empty(removed.error().system())) return removed;
  }
  return Error(StatusCode::kAborted, kRemove, path.text())
      .because("others keep putting entries into it")
      .advise("all that it held before is removed; call again when nobody uses it");
}

Result<bool> FilesystemBackendWindows::may_be_volume(const WindowsPath& path,
                                                     const Deadline& deadline) {
  const Result<EntryKind> kind = kind_of(path, deadline);
  if (!kind) return kind.error();
  return *kind == EntryKind::kMountPoint;
}

Result<void> FilesystemBackendWindows::remove_contents(const WindowsPath& path,
                                                       const Deadline& deadline) {
  constexpr const char* kOperation = "remove what is in";
  const auto opened = opener_.open(path, FileAccess::kList, kOperation, deadline);
  if (!opened) return opener_.explained(opened.error(), path, deadline);
  std::error_code error;
  const OpenFile::Facts facts = (*opened)->facts(error);
  if (!error && !facts.is_directory) error = std::make_error_code(std::errc::not_a_directory);
  if (error) return opener_.failure(path, kOperation, error);
  return support::remove_contents(**opened, path.text(), deadline);
}

}  // namespace longshore::filesystem
