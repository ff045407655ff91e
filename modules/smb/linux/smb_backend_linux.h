// The smb group on Linux: a mount of each share for the whole node, and links that lead into it.
//
// The mount is kept apart from the places where it is wanted, as csi-proxy's global mappings are:
// clients make several links to one share, ask whether they are links, and remove them by
// Filesystem.Rmdir, none of which would do with mounts in their place.
//
// Whether credentials changed is seen by mounting once more with those that were sent; see
// share_mounts.h. Whether a mapping is alive is asked first, and a mount is one that counts only
// when it answers, all with a time limit: a server that does not answer holds neither a share's
// turn nor a thread of the caller's. What a crash leaves behind
// - a mount that is not `current`, a record without a link - the next call for the share clears
// away.
//
// Threads: any number at once, one for a share. Owner: outlives its calls; the mounts outlive it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "smb/linux/mapping_directory.h"
#include "smb/linux/share_mounter.h"
#include "smb/linux/share_mounts.h"
#include "smb/smb_backend.h"
#include "support/allowed_roots.h"
#include "support/linux/rooted_opener.h"

namespace longshore::smb {

class SmbBackendLinux final : public SmbBackend {
 public:
  struct Options {
    support::AllowedRoots roots;  // of the links
    support::PosixPath mappings_directory;
    bool require_privacy = true;
    ShareMounter::Times times = {};
  };

  SmbBackendLinux(Options options, ShareMounts& mounts)
      : opener_(options.roots),
        options_(std::move(options)),
        mounts_(mounts),
        mounter_(mounts, options_.times) {}

  Result<void> map(const RemotePath& remote, const Credentials& credentials,
                   const support::PosixPath* link, const Deadline& deadline) override;
  std::optional<std::string> remote_path_in(std::string_view link_text) const override {
    return MappingDirectory::remote_path_in(link_text, options_.mappings_directory);
  }
  Result<void> unmap(const RemotePath& remote, const Deadline& deadline) override;

  size_t hanging_calls() override { return mounter_.hanging_calls(); }

 private:
  // The mount that counts, of a share that is mapped.
  Result<std::optional<MountedShare>> mapping_in(const MappingDirectory& directory) const;

  // The mount that counts from now on.
  Result<MountedShare> ensure_mapped(const MappingDirectory& directory, const RemotePath& remote,
                                     const Credentials& credentials,
                                     const std::optional<MountedShare>& before,
                                     const Deadline& deadline);
  // Whether the server may have refused a session that is older than the user's rights.
  bool may_have_old_rights(const Error& refusal, const std::vector<std::string>& addresses) const;
  Result<MountedShare> take_mount(const MappingDirectory& directory, const DetachedShare& share,
                                  const Deadline& deadline);
  // Detaches what is mounted at the share's places, but for the one at `kept`.
  Result<void> detach_others(const MappingDirectory& directory, const std::string& kept,
                             const Deadline& deadline);
  Result<void> remove_mapping(const MappingDirectory& directory, const Deadline& deadline);
  Result<void> make_link(const MappingDirectory& directory, const RemotePath& remote,
                         const support::PosixPath& link, const Deadline& deadline) const;
  // Removes the links to exactly the remote path; whether others are left.
  Result<bool> remove_links(const MappingDirectory& directory, const RemotePath& remote,
                            const Deadline& deadline) const;

  support::RootedOpener opener_;
  Options options_;
  ShareMounts& mounts_;
  ShareMounter mounter_;
};

}  // namespace longshore::smb
