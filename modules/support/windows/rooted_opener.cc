#include "support/windows/rooted_opener.h"

#include "support/windows/file_error.h"
#include "support/windows/rooted_walk.h"

namespace longshore::support {

using LastName = FileSystemCalls::LastName;

Result<std::unique_ptr<OpenFile>> RootedOpener::open(const WindowsPath& path, FileAccess access,
                                                     std::string_view operation,
                                                     const Deadline& deadline) const {
  Result<Destination> found = follow(path, access, operation, deadline);
  if (!found) return std::move(found).error();
  if (found->opened) return std::move(found->opened);
  return failure(path, operation, std::make_error_code(std::errc::cross_device_link));
}

Result<Destination> RootedOpener::follow(const WindowsPath& path, FileAccess access,
                                         std::string_view operation,
                                         const Deadline& deadline) const {
  RootedWalk walk(calls_, roots_, path, access, deadline);
  const std::error_code error = walk.run(LastName::kFollowed);
  if (!error) return Destination{walk.take_here(), {}};
  if (!walk.outside().empty()) return Destination{nullptr, walk.outside()};
  return failure_of_walk(path, operation, deadline, error, walk.failed_at_root());
}

Result<std::unique_ptr<OpenFile>> RootedOpener::open_unfollowed(const WindowsPath& path,
                                                                FileAccess access,
                                                                std::string_view operation,
                                                                const Deadline& deadline) const {
  std::error_code error;
  if (path == *roots_.root_of(path)) {
    auto opened = calls_.open_path(path.verbatim(), LastName::kUnfollowed, access, error);
    if (opened) return opened;
    return failure_of_walk(path, operation, deadline, error, /*is_of_root=*/true);
  }
  const Result<DirectoryEntry> found = entry(path, operation, deadline);
  if (!found) return found.error();
  auto opened = found->directory->open(found->name, access, error);
  if (opened) return opened;
  return failure(path, operation, error);
}

Result<DirectoryEntry> RootedOpener::entry(const WindowsPath& path, std::string_view operation,
                                           const Deadline& deadline) const {
  RootedWalk walk(calls_, roots_, path, FileAccess::kLook, deadline);
  if (const auto error = walk.run(LastName::kUnfollowed)) {
    return failure_of_walk(path, operation, deadline, error, walk.failed_at_root());
  }
  return DirectoryEntry{walk.take_here(), walk.last()};
}

std::optional<std::string> RootedOpener::dangling_link(const WindowsPath& path,
                                                       const Deadline& deadline) const {
  RootedWalk walk(calls_, roots_, path, FileAccess::kLook, deadline);
  const std::error_code error = walk.run(LastName::kFollowed);
  if (!is_not_found(error)) return std::nullopt;
  return walk.dangling_link();
}

Result<std::optional<MissingPlace>> RootedOpener::missing_place(const WindowsPath& path,
                                                                std::string_view operation,
                                                                const Deadline& deadline) const {
  RootedWalk walk(calls_, roots_, path, FileAccess::kLook, deadline);
  const std::error_code error = walk.run(LastName::kFollowed);
  if (!error) return std::optional<MissingPlace>();
  if (!is_not_found(error) || walk.failed_at_root()) {
    return failure_of_walk(path, operation, deadline, error, walk.failed_at_root());
  }
  RootedWalk::Names names = walk.missing();
  if (names.empty()) return std::optional<MissingPlace>();
  return std::optional<MissingPlace>({walk.take_here(), std::move(names)});
}

Error RootedOpener::explained(Error error, const WindowsPath& path,
                              const Deadline& deadline) const {
  if (!is_not_found(error.system())) return error;
  std::optional<std::string> link = dangling_link(path, deadline);
  if (!link) return error;
  return std::move(error)
      .because(*std::move(link))
      .advise("remove that link, or make what it leads to");
}

Error RootedOpener::failure(const WindowsPath& path, std::string_view operation,
                            const std::error_code& error) const {
  if (error == std::make_error_code(std::errc::cross_device_link)) {
    return Error(StatusCode::kPermissionDenied, std::string(operation), path.text())
        .because("a link on the way leads out of the allowed roots " + roots_.describe())
        .advise("links are followed only within settings.allowed_roots of the module");
  }
  return file_failure(path.text(), operation, error);
}

Error RootedOpener::failure_of_walk(const WindowsPath& path, std::string_view operation,
                                    const Deadline& deadline, const std::error_code& error,
                                    bool is_of_root) const {
  if (error == std::errc::operation_canceled) {
    if (auto why = deadline.exceeded(std::string(operation), path.text())) return *std::move(why);
  }
  Error failed = failure(path, operation, error);
  if (!is_of_root) return failed;
  return std::move(failed).advise("the allowed root \"" + roots_.root_of(path)->text() +
                                  "\" itself cannot be opened");
}

}  // namespace longshore::support
