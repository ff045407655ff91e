#include "smb/linux/smb_backend_linux.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "smb/linux/local_link.h"
#include "smb/linux/mount_failure.h"

namespace longshore::smb {
using support::PosixPath;

namespace {

Result<void> check_link(const support::RootedOpener& beneath, const PosixPath& link,
                        const std::string& target, const Deadline& deadline) {
  const Result<LocalLink> found = LocalLink::inspect(beneath, link, deadline);
  return found ? found->check_free_for(target) : found.error();
}

bool is_among(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

// Whether nobody can have a link there: its directory is gone too.
bool is_absent(const Error& error) {
  return error.code() == StatusCode::kNotFound || error.system() == std::errc::not_a_directory;
}

}  // namespace

Result<void> SmbBackendLinux::map(const RemotePath& remote, const Credentials& credentials,
                                  const PosixPath* link, const Deadline& deadline) {
  const MappingDirectory directory(options_.mappings_directory, remote);
  if (link != nullptr) {
    if (Result<void> free = check_link(opener_, *link, directory.target_of(remote), deadline);
        !free) {
      return free;
    }
  }
  const auto before = mapping_in(directory);
  if (!before) return before.error();
  const auto mapped = ensure_mapped(directory, remote, credentials, *before, deadline);
  Result<void> done = mapped ? Result<void>() : mapped.error();
  if (done && !remote.below().empty()) done = mounter_.find(*mapped, remote, deadline);
  if (done && link != nullptr) done = make_link(directory, remote, *link, deadline);
  // With a time of its own: where the call's is over there is most to take away.
  if (!done && !*before) static_cast<void>(remove_mapping(directory, Deadline()));
  return done;
}

Result<std::optional<MountedShare>> SmbBackendLinux::mapping_in(
    const MappingDirectory& directory) const {
  const std::optional<std::string> current = directory.current();
  if (!current) return std::optional<MountedShare>();
  const auto mounted = mounts_.mounted_below(directory.path());
  if (!mounted) return mounted.error();
  const auto found = std::ranges::find(*mounted, *current, &MountedShare::point);
  return found == mounted->end() ? std::optional<MountedShare>() : *found;
}

Result<MountedShare> SmbBackendLinux::ensure_mapped(const MappingDirectory& directory,
                                                    const RemotePath& remote,
                                                    const Credentials& credentials,
                                                    const std::optional<MountedShare>& before,
                                                    const Deadline& deadline) {
  using enum ShareMounts::Connection;
  if (options_.require_privacy && credentials.is_nobody()) {
    return Error(StatusCode::kFailedPrecondition, kMapOperation, remote.mapping())
        .because("without a user name nothing can be encrypted")
        .advise(
            "send user name and password, or set require_privacy = false in the settings of "
            "the module");
  }
  const auto addresses = mounter_.addresses_of(remote, before, deadline);
  if (!addresses) return addresses.error();
  const auto mount = [&](ShareMounts::Connection connection) {
    return mounter_.mount(remote, *addresses, credentials, connection, deadline);
  };
  const bool is_dead = before && !mounter_.answers(*before, deadline);
  auto mounted = mount(is_dead ? kFresh : kShared);
  // An old connection that broke is no reason to fail; the server may be well. The kernel may have
  // one although this share is not mapped: of another share, or of one that was taken away just
  // now.
  if (!mounted && !is_dead &&
      (is_of_connection(mounted.error().system()) ||
       may_have_old_rights(mounted.error(), *addresses))) {
    mounted = mount(kFresh);
  }
  if (!mounted) return std::move(mounted).error();
  if (before && !is_dead && (*mounted)->device() == before->device) {
    if (Result<void> done = detach_others(directory, before->point, deadline); !done)
      return done.error();
    return *before;
  }
  return take_mount(directory, **mounted, deadline);
}

// The server goes by the rights that the user had when his session began, and the kernel uses that
// session for all shares. Only where there can be one: who has the wrong password is counted at
// the server for each try, and may be locked out.
bool SmbBackendLinux::may_have_old_rights(const Error& refusal,
                                          const std::vector<std::string>& addresses) const {
  if (refusal.system() != std::errc::permission_denied) return false;
  const auto shares = mounts_.mounted_below("");
  return shares && std::ranges::any_of(*shares, [&](const MountedShare& share) {
           return is_among(addresses, share.address);
         });
}

Result<MountedShare> SmbBackendLinux::take_mount(const MappingDirectory& directory,
                                                 const DetachedShare& share,
                                                 const Deadline& deadline) {
  const Result<std::string> place = directory.add_place();
  if (!place) return place.error();
  if (const std::error_code error = mounts_.attach(share, *place)) {
    return Error(StatusCode::kUnknown, "mount the share on", *place).because(error);
  }
  if (Result<void> turned = directory.turn_to(*place); !turned) return turned.error();
  if (Result<void> done = detach_others(directory, *place, deadline); !done) return done.error();
  return MountedShare{*place, share.device()};
}

Result<void> SmbBackendLinux::detach_others(const MappingDirectory& directory,
                                            const std::string& kept, const Deadline& deadline) {
  const auto places = directory.places();
  if (!places) return places.error();
  const auto mounted = mounts_.mounted_below(directory.path());
  if (!mounted) return mounted.error();
  for (const MountedShare& mount : *mounted) {
    // What is mounted deeper is in the share and not ours, as what the kernel mounts for DFS is.
    if (mount.point == kept || !is_among(*places, mount.point)) continue;
    if (const std::error_code error = mounter_.detach(mount, deadline)) {
      const StatusCode code =
          is_unreachable(error) ? StatusCode::kUnavailable : StatusCode::kUnknown;
      return Error(code, "unmount the share from", mount.point).because(error);
    }
  }
  for (const std::string& place : *places) {
    if (place != kept) ::rmdir(place.c_str());
  }
  return {};
}

Result<void> SmbBackendLinux::make_link(const MappingDirectory& directory, const RemotePath& remote,
                                        const PosixPath& link, const Deadline& deadline) const {
  const std::string target = directory.target_of(remote);
  // Anew: mapping may have taken a while.
  const Result<LocalLink> found = LocalLink::inspect(opener_, link, deadline);
  if (!found) return found.error();
  if (Result<void> free = found->check_free_for(target); !free) return free;
  if (Result<void> recorded = directory.record_link(link.text()); !recorded) return recorded;
  return found->is_absent() ? found->make(target) : Result<void>();
}

Result<void> SmbBackendLinux::unmap(const RemotePath& remote, const Deadline& deadline) {
  const MappingDirectory directory(options_.mappings_directory, remote);
  const Result<bool> has_others = remove_links(directory, remote, deadline);
  if (!has_others) return has_others.error();
  return *has_others ? Result<void>() : remove_mapping(directory, deadline);
}

Result<bool> SmbBackendLinux::remove_links(const MappingDirectory& directory,
                                           const RemotePath& remote,
                                           const Deadline& deadline) const {
  const std::string target = directory.target_of(remote);
  const auto paths = directory.recorded_links();
  if (!paths) return paths.error();
  bool has_others = false;
  std::vector<std::string> forgotten;
  std::vector<LocalLink> removed;
  // All are looked at before one is removed: what cannot be seen may be in use.
  for (const std::string& path : *paths) {
    const auto checked = options_.roots.check(path, "look at the link");
    auto link = checked ? LocalLink::inspect(opener_, *checked, deadline) : checked.error();
    // Out of the roots, which were wider once.
    const bool is_out = !link && link.error().code() == StatusCode::kPermissionDenied;
    if (!link && !is_out && !is_absent(link.error())) return std::move(link).error();
    if (is_out || (link && link->target() != target && directory.holds(link->target()))) {
      has_others = true;
      continue;
    }
    forgotten.push_back(path);
    if (link && link->target() == target) removed.push_back(*std::move(link));
  }
  for (const LocalLink& link : removed) {
    if (Result<void> done = link.remove(); !done) return std::move(done).error();
  }
  removed.clear();  // their descriptors may be the last
  for (const std::string& path : forgotten) {
    if (Result<void> done = directory.forget_link(path); !done) return std::move(done).error();
  }
  return has_others;
}

Result<void> SmbBackendLinux::remove_mapping(const MappingDirectory& directory,
                                             const Deadline& deadline) {
  if (Result<void> removed = directory.remove_current(); !removed) return removed;
  Result<void> detached = detach_others(directory, "", deadline);
  if (detached) directory.remove_if_unused();
  return detached;
}

}  // namespace longshore::smb
