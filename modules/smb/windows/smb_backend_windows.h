// The smb group on Windows: a global mapping of each share, and symbolic links that lead to it.
//
// Windows keeps one user for a share, whom nobody but the server can tell from another; so the
// credentials that come with a share that is mapped and answers are not looked at, as csi-proxy
// does not. Where the server no longer takes the old ones, the mapping is made anew.
//
// A mapping whose status is not OK, as after a restart of the node or a change of the network, is
// taken away before it is made again: Windows would answer with error 1219. One that is OK, but
// whose server does not answer, is left: Windows connects again by itself, and who uses it keeps
// what he has open.
//
// Threads: any number at once, one for a share. Owner: outlives its calls. On destruction it waits
// for what a server has not answered.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "smb/smb_backend.h"
#include "smb/windows/global_mappings.h"
#include "smb/windows/link_records.h"
#include "support/abandonable_calls.h"
#include "support/allowed_roots.h"
#include "support/windows/rooted_opener.h"

namespace longshore::smb {

class SmbBackendWindows final : public SmbBackend {
 public:
  struct Options {
    support::AllowedRoots roots;  // of the links
    bool require_privacy = true;
    std::chrono::milliseconds probe_timeout = std::chrono::seconds(5);
    std::string state_directory = {};  // for the records of links; "": none
  };

  SmbBackendWindows(Options options, std::shared_ptr<GlobalMappings> mappings,
                    std::shared_ptr<support::FileSystemCalls> files);

  Result<void> map(const RemotePath& remote, const Credentials& credentials,
                   const support::WindowsPath* link, const Deadline& deadline) override;
  std::optional<std::string> remote_path_in(std::string_view link_text) const override;
  Result<void> unmap(const RemotePath& remote, const Deadline& deadline) override;
  size_t hanging_calls() override { return looks_.count(); }

 private:
  Result<void> ensure_mapped(const RemotePath& remote, const Credentials& credentials,
                             const std::optional<MappingStatus>& before, const Deadline& deadline);
  Result<void> create(const RemotePath& remote, const Credentials& credentials,
                      const Deadline& deadline);
  // Nothing there is success.
  Result<void> remove_mapping(const RemotePath& remote, const Deadline& deadline);
  Result<void> make_link(const RemotePath& remote, const support::WindowsPath& link,
                         const Deadline& deadline);
  // Removes the links to exactly the remote path; whether others are left.
  Result<bool> remove_links(const RemotePath& remote, const Deadline& deadline);
  // Windows' code: 0, something has this path on the server.
  Result<WindowsCode> look_at(const RemotePath& remote, const std::string& path,
                              const Deadline& deadline);

  const Options options_;
  const std::shared_ptr<GlobalMappings> mappings_;
  const std::shared_ptr<support::FileSystemCalls> files_;
  support::RootedOpener opener_;
  LinkRecords records_;
  support::AbandonableCalls<Result<WindowsCode>> looks_{32};
};

}  // namespace longshore::smb
