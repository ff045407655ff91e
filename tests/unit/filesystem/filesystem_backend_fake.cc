#include "tests/unit/filesystem/filesystem_backend_fake.h"

#include "support/posix_path.h"
#include "tests/support/node_path.h"

namespace longshore::filesystem {
using support::Path;
using support::path_names;
using test::node_path;
using test::posix_path;

namespace {

constexpr const char* kLookFor = "look for";
constexpr const char* kMakeDirectory = "make the directory";
constexpr const char* kMakeLink = "make the link";
constexpr const char* kRemove = "remove";

bool is_missing(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

bool holds_entries(EntryKind kind) {
  return kind == EntryKind::kDirectory || kind == EntryKind::kMountPoint;
}

Error mounted(const Path& path, const std::string& point) {
  return Error(StatusCode::kFailedPrecondition, kRemove, path.text())
      .because("\"" + node_path(point) + "\" is a mount point")
      .advise("unmount it first");
}

}  // namespace

FilesystemBackendFake::FilesystemBackendFake(support::AllowedRoots roots)
    : roots_(std::move(roots)) {
  for (const Path& root : roots_.roots()) put(root.text(), EntryKind::kDirectory);
}

void FilesystemBackendFake::put(const std::string& path, EntryKind kind,
                                const std::string& link_text) {
  const std::lock_guard lock(mutex_);
  nodes_[posix_path(path)] = {kind, link_text};
}

EntryKind FilesystemBackendFake::inspect(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return kind_at(posix_path(path));
}

EntryKind FilesystemBackendFake::kind_at(const std::string& path) const {
  const auto node = nodes_.find(path);
  return node == nodes_.end() ? EntryKind::kAbsent : node->second.kind;
}

// Begins in the root that the names lead into, and takes the root's own names off them.
std::error_code FilesystemBackendFake::enter_root(std::deque<std::string>& names,
                                                  std::string& here) const {
  for (const Path& root : roots_.roots()) {
    const std::string root_path = posix_path(root.text());
    const auto root_names = path_names(root_path);
    if (names.size() < root_names.size() ||
        !std::equal(root_names.begin(), root_names.end(), names.begin())) {
      continue;
    }
    names.erase(names.begin(), names.begin() + static_cast<ptrdiff_t>(root_names.size()));
    here = root_path;
    return {};
  }
  return std::make_error_code(std::errc::cross_device_link);
}

// Goes from the roots along the names; `here` is what they lead to, which may be absent.
std::error_code FilesystemBackendFake::walk(std::deque<std::string> names, bool follow_last,
                                            std::string& here) const {
  if (const auto error = enter_root(names, here)) return error;
  for (int links = 0; !names.empty();) {
    if (kind_at(here) == EntryKind::kAbsent) {
      return std::make_error_code(std::errc::no_such_file_or_directory);
    }
    if (!holds_entries(kind_at(here))) return std::make_error_code(std::errc::not_a_directory);
    const std::string name = names.front();
    names.pop_front();
    if (name == "..") {
      const Path* root = roots_.root_of(*Path::parse(node_path(here), kLookFor));
      if (posix_path(root->text()) == here) {
        return std::make_error_code(std::errc::cross_device_link);
      }
      here.erase(here.rfind('/'));
      continue;
    }
    const std::string next = here + "/" + name;
    if (kind_at(next) != EntryKind::kLink || (names.empty() && !follow_last)) {
      here = next;
      continue;
    }
    if (++links > kMaxLinks) {
      return std::make_error_code(std::errc::too_many_symbolic_link_levels);
    }
    const std::string text = posix_path(nodes_.at(next).link_text);
    const auto link_names = path_names(text);
    names.insert(names.begin(), link_names.begin(), link_names.end());
    if (text.starts_with('/')) {
      if (const auto error = enter_root(names, here)) return error;
    }
  }
  return {};
}

// The path without links of what the path leads to.
Result<std::string> FilesystemBackendFake::resolve(const Path& path, const char* operation,
                                                   bool follow_last) const {
  const std::string text = posix_path(path.text());
  const auto names = path_names(text);
  std::string here;
  const auto error = walk({names.begin(), names.end()}, follow_last, here);
  if (!error) return here;
  return failure(path, operation, static_cast<std::errc>(error.value()));
}

Error FilesystemBackendFake::failure(const Path& path, const char* operation,
                                     std::errc error) const {
  if (error == std::errc::cross_device_link) {
    return Error(StatusCode::kPermissionDenied, operation, path.text())
        .because("a link on the way leads out of the allowed roots " + roots_.describe());
  }
  return Error(StatusCode::kUnknown, operation, path.text()).because(std::make_error_code(error));
}

Result<EntryKind> FilesystemBackendFake::kind_of(const Path& path, const Deadline&) {
  const std::lock_guard lock(mutex_);
  const auto real = resolve(path, kLookFor, /*follow_last=*/false);
  if (real) return kind_at(*real);
  if (is_missing(real.error().system())) return EntryKind::kAbsent;
  return real.error();
}

std::optional<std::string> FilesystemBackendFake::dangling_link(const Path& path) const {
  std::optional<std::string> found;
  for (Path upper = path; roots_.root_of(upper); upper = upper.parent()) {
    const auto real = resolve(upper, kLookFor, /*follow_last=*/false);
    if (!real || kind_at(*real) != EntryKind::kLink) continue;
    const auto target = resolve(upper, kLookFor, /*follow_last=*/true);
    if (target ? kind_at(*target) != EntryKind::kAbsent : !is_missing(target.error().system())) {
      continue;
    }
    found = "the link \"" + node_path(*real) + "\" leads to \"" + nodes_.at(*real).link_text +
            "\", where nothing is";
  }
  return found;
}

Error FilesystemBackendFake::explained(Error error, const Path& path) const {
  if (error.system() != std::errc::no_such_file_or_directory) return error;
  auto link = dangling_link(path);
  return link ? std::move(error).because(*std::move(link)) : error;
}

Error FilesystemBackendFake::absence_of(const Path& path, std::string_view operation,
                                        const Deadline&) {
  const std::lock_guard lock(mutex_);
  const std::string text(operation);
  return explained(failure(path, text.c_str(), std::errc::no_such_file_or_directory), path);
}

Result<bool> FilesystemBackendFake::leads_somewhere(const Path& path, const Deadline&) {
  const std::lock_guard lock(mutex_);
  const auto real = resolve(path, kLookFor, /*follow_last=*/true);
  if (real) return kind_at(*real) != EntryKind::kAbsent;
  const std::error_code error = real.error().system();
  if (is_missing(error) || error == std::errc::too_many_symbolic_link_levels) return false;
  return real.error();
}

Result<bool> FilesystemBackendFake::may_be_volume(const Path& path, const Deadline&) {
  const std::lock_guard lock(mutex_);
  const auto real = resolve(path, kRemove, /*follow_last=*/false);
  if (!real) return real.error();
  return kind_at(*real) == EntryKind::kMountPoint && !nodes_.at(*real).link_text.empty();
}

Result<std::string> FilesystemBackendFake::read_link(const Path& path, const Deadline&) {
  constexpr const char* kOperation = "read the link";
  const std::lock_guard lock(mutex_);
  const auto real = resolve(path, kOperation, /*follow_last=*/false);
  if (!real) return explained(real.error(), path);
  const EntryKind kind = kind_at(*real);
  if (kind == EntryKind::kLink) return nodes_.at(*real).link_text;
  return failure(path, kOperation,
                 kind == EntryKind::kAbsent ? std::errc::no_such_file_or_directory
                                            : std::errc::invalid_argument);
}

Result<void> FilesystemBackendFake::make_directories(const Path& path, const Deadline&) {
  const std::lock_guard lock(mutex_);
  Path upper = path;  // what has to be there first
  for (;;) {
    const auto real = resolve(upper, kMakeDirectory, /*follow_last=*/true);
    if (!real && real.error().system() == std::errc::no_such_file_or_directory) {
      upper = upper.parent();
      continue;
    }
    if (!real) return real.error();
    const EntryKind kind = kind_at(*real);
    if (kind == EntryKind::kFile) return failure(path, kMakeDirectory, std::errc::file_exists);
    if (kind == EntryKind::kAbsent) {
      const auto unfollowed = resolve(upper, kMakeDirectory, /*follow_last=*/false);
      if (kind_at(*unfollowed) == EntryKind::kLink) {
        return failure(path, kMakeDirectory, std::errc::file_exists)
            .because(dangling_link(path).value_or(""));
      }
      nodes_[*real] = {EntryKind::kDirectory, {}};
    }
    if (upper == path) return {};
    upper = path;
  }
}

Result<void> FilesystemBackendFake::create_link(const Path& source, const Path& link,
                                                const Deadline&) {
  const std::lock_guard lock(mutex_);
  const auto real = resolve(link, kMakeLink, /*follow_last=*/false);
  if (!real) return explained(real.error(), link);
  if (kind_at(*real) != EntryKind::kAbsent) {
    Error there = failure(link, kMakeLink, std::errc::file_exists);
    auto dangling = dangling_link(link);
    return dangling ? std::move(there).because(*std::move(dangling)) : there;
  }
  nodes_[*real] = {EntryKind::kLink, source.text()};
  return {};
}

Result<void> FilesystemBackendFake::remove_entry(const Path& path, const Deadline&) {
  const std::lock_guard lock(mutex_);
  const auto real = resolve(path, kRemove, /*follow_last=*/false);
  if (!real) return explained(real.error(), path);
  switch (kind_at(*real)) {
    case EntryKind::kAbsent:
      return failure(path, kRemove, std::errc::no_such_file_or_directory);
    case EntryKind::kMountPoint:
      return mounted(path, *real);
    case EntryKind::kDirectory:
      if (const auto below = nodes_.lower_bound(*real + "/");
          below != nodes_.end() && below->first.starts_with(*real + "/")) {
        return failure(path, kRemove, std::errc::directory_not_empty);
      }
      break;
    case EntryKind::kFile:
    case EntryKind::kLink:
      break;
  }
  nodes_.erase(*real);
  return {};
}

Result<void> FilesystemBackendFake::remove_tree(const Path& path, const Deadline& deadline) {
  const std::lock_guard lock(mutex_);
  const auto real = resolve(path, kRemove, /*follow_last=*/false);
  if (!real && is_missing(real.error().system())) return {};
  if (!real) return real.error();
  if (kind_at(*real) == EntryKind::kMountPoint) return mounted(path, *real);
  if (Result<void> removed = remove_below(*real, path, deadline); !removed) return removed;
  nodes_.erase(*real);
  return {};
}

Result<void> FilesystemBackendFake::remove_contents(const Path& path, const Deadline& deadline) {
  constexpr const char* kOperation = "remove what is in";
  const std::lock_guard lock(mutex_);
  const auto real = resolve(path, kOperation, /*follow_last=*/true);
  if (!real) return explained(real.error(), path);
  const EntryKind kind = kind_at(*real);
  if (kind == EntryKind::kAbsent) {
    return explained(failure(path, kOperation, std::errc::no_such_file_or_directory), path);
  }
  if (!holds_entries(kind)) return failure(path, kOperation, std::errc::not_a_directory);
  return remove_below(*real, path, deadline);
}

Result<void> FilesystemBackendFake::remove_below(const std::string& real, const Path& path,
                                                 const Deadline& deadline) {
  const std::string above = real + "/";
  const auto first = nodes_.lower_bound(above);
  for (auto node = first; node != nodes_.end() && node->first.starts_with(above); ++node) {
    if (node->second.kind == EntryKind::kMountPoint) return mounted(path, node->first);
  }
  for (auto node = first; node != nodes_.end() && node->first.starts_with(above);) {
    if (auto error = deadline.exceeded(kRemove, path.text())) return *std::move(error);
    node = nodes_.erase(node);
  }
  return {};
}

}  // namespace longshore::filesystem
