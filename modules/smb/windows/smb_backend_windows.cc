#include "smb/windows/smb_backend_windows.h"

#include <algorithm>
#include <utility>

#include "longshore/windows/wide_text.hpp"
#include "smb/windows/local_link.h"
#include "smb/windows/share_failure.h"
#include "smb/windows/share_path.h"
#include "support/windows/file_error.h"

namespace longshore::smb {

using support::FileAccess;
using support::WindowsPath;

namespace {

constexpr std::chrono::seconds kCleaning{30};

// With the backslash at its end that programs in containers need to take it for a directory
// (csi-proxy's issue 98).
std::string link_target(const RemotePath& remote) { return share_path(remote) + "\\"; }

bool is_below_share(const RemotePath& remote, const RemotePath& other) {
  return other.mapping() == remote.mapping();
}

Error no_answer(const RemotePath& remote, const std::error_code& error) {
  return Error(StatusCode::kUnavailable, "look at the share", remote.mapping())
      .because(error == std::errc::timed_out || error == std::errc::connection_already_in_progress
                   ? "the server does not answer"
                   : error.message());
}

}  // namespace

SmbBackendWindows::SmbBackendWindows(Options options, std::shared_ptr<GlobalMappings> mappings,
                                     std::shared_ptr<support::FileSystemCalls> files)
    : options_(std::move(options)),
      mappings_(std::move(mappings)),
      files_(std::move(files)),
      opener_(*files_, options_.roots),
      records_(options_.state_directory) {}

std::optional<std::string> SmbBackendWindows::remote_path_in(std::string_view link_text) const {
  const auto remote = remote_path_of_link(link_text);
  return remote ? std::optional<std::string>(remote->text()) : std::nullopt;
}

Result<void> SmbBackendWindows::map(const RemotePath& remote, const Credentials& credentials,
                                    const WindowsPath* link, const Deadline& deadline) {
  if (auto over = deadline.exceeded("map the share", remote.mapping())) return *std::move(over);
  if (link != nullptr) {
    const Result<LocalLink> found = LocalLink::inspect(opener_, *link, deadline);
    if (!found) return found.error();
    if (Result<void> free = found->check_free_for(link_target(remote)); !free) return free;
  }
  const auto before = mappings_->status(mapping_root(remote), deadline);
  if (!before) return before.error();
  Result<void> done = ensure_mapped(remote, credentials, *before, deadline);
  if (done && !remote.below().empty()) {
    const Result<WindowsCode> code = look_at(remote, share_path(remote), deadline);
    if (!code) {
      done = code.error();
    } else if (*code != ERROR_SUCCESS) {
      done = failure_below(remote, *code);
    }
  }
  if (done && link != nullptr) done = make_link(remote, *link, deadline);
  // With a time of its own: where the call's is over there is most to take away.
  if (!done && !*before) static_cast<void>(remove_mapping(remote, Deadline().within(kCleaning)));
  return done;
}

Result<void> SmbBackendWindows::ensure_mapped(const RemotePath& remote,
                                              const Credentials& credentials,
                                              const std::optional<MappingStatus>& before,
                                              const Deadline& deadline) {
  if (before == MappingStatus::kOk) {
    const Result<WindowsCode> code = look_at(remote, mapping_root(remote), deadline);
    if (!code) return code.error();
    if (*code == ERROR_SUCCESS) return {};
    if (is_unreachable(*code)) return share_failure(remote, *code);
  }
  if (before) {
    if (Result<void> removed = remove_mapping(remote, deadline); !removed) return removed;
  }
  return create(remote, credentials, deadline);
}

Result<void> SmbBackendWindows::create(const RemotePath& remote, const Credentials& credentials,
                                       const Deadline& deadline) {
  const auto ask = [&] {
    return mappings_->create(mapping_root(remote), credentials, options_.require_privacy, deadline);
  };
  Result<WindowsCode> code = ask();
  if (code && is_mapped_already(*code)) {
    // One that Windows did not tell of, or that somebody made just now. Once more without it.
    if (Result<void> removed = remove_mapping(remote, deadline); !removed) return removed;
    code = ask();
  }
  if (!code) return code.error();
  return *code == ERROR_SUCCESS ? Result<void>() : share_failure(remote, *code);
}

Result<void> SmbBackendWindows::remove_mapping(const RemotePath& remote, const Deadline& deadline) {
  const Result<WindowsCode> code = mappings_->remove(mapping_root(remote), deadline);
  if (!code) return code.error();
  if (*code == ERROR_SUCCESS || *code == ERROR_NOT_CONNECTED || *code == ERROR_NOT_FOUND) return {};
  const std::error_code error = support::windows_error(*code);
  return Error(StatusCode::kUnknown, "remove the mapping", remote.mapping())
      .because(error)
      .because(error.message() + " (Windows' error " + std::to_string(*code) + ")");
}

Result<void> SmbBackendWindows::make_link(const RemotePath& remote, const WindowsPath& link,
                                          const Deadline& deadline) {
  // Anew: mapping may have taken a while.
  const Result<LocalLink> found = LocalLink::inspect(opener_, link, deadline);
  if (!found) return found.error();
  if (Result<void> free = found->check_free_for(link_target(remote)); !free) return free;
  if (Result<void> recorded = records_.add(remote, link.text()); !recorded) return recorded;
  return found->is_absent() ? found->make(opener_, link_target(remote)) : Result<void>();
}

Result<WindowsCode> SmbBackendWindows::look_at(const RemotePath& remote, const std::string& path,
                                               const Deadline& deadline) {
  const Deadline limit = deadline.within(options_.probe_timeout);
  return looks_.run(
      remote.host(), limit,
      [files = files_, path]() -> Result<WindowsCode> {
        std::error_code error;
        if (files->exists(wide(path), error)) return WindowsCode{ERROR_SUCCESS};
        return error ? static_cast<WindowsCode>(error.value()) : WindowsCode{ERROR_FILE_NOT_FOUND};
      },
      [&](const std::error_code& error) -> Result<WindowsCode> {
        // The call's own time first.
        if (auto over = deadline.exceeded("look at the share", remote.mapping())) {
          return *std::move(over);
        }
        return no_answer(remote, error);
      });
}

Result<void> SmbBackendWindows::unmap(const RemotePath& remote, const Deadline& deadline) {
  const Result<bool> has_others = remove_links(remote, deadline);
  if (!has_others) return has_others.error();
  if (*has_others) return {};
  const auto status = mappings_->status(mapping_root(remote), deadline);
  if (!status) return status.error();
  return *status ? remove_mapping(remote, deadline) : Result<void>();
}

Result<bool> SmbBackendWindows::remove_links(const RemotePath& remote, const Deadline& deadline) {
  const auto paths = records_.links_to(remote);
  if (!paths) return paths.error();
  bool has_others = false;
  std::vector<std::string> forgotten;
  std::vector<LocalLink> removed;
  // All are looked at before one is removed: what cannot be seen may be in use.
  for (const std::string& path : *paths) {
    const auto checked = options_.roots.check(path, "look at the link");
    auto link = checked ? LocalLink::inspect(opener_, *checked, deadline, FileAccess::kRemove)
                        : Result<LocalLink>(checked.error());
    // Out of the roots, which were wider once.
    const bool is_out = !link && link.error().code() == StatusCode::kPermissionDenied;
    if (!link && !is_out && !support::is_missing(link.error().system())) {
      return std::move(link).error();
    }
    const auto target = link ? remote_path_of_link(link->target()) : std::nullopt;
    const bool is_ours = target && target->text() == remote.text();
    if (is_out || (target && !is_ours && is_below_share(remote, *target))) {
      has_others = true;
      continue;
    }
    forgotten.push_back(path);
    if (is_ours) removed.push_back(*std::move(link));
  }
  for (const LocalLink& link : removed) {
    if (Result<void> done = link.remove(opener_); !done) return std::move(done).error();
  }
  if (Result<void> done = records_.forget(remote, forgotten); !done) return std::move(done).error();
  return has_others;
}

}  // namespace longshore::smb
