// Which links lead to a share: a file for each share in the module's state directory, so that a
// mapping is not taken from those who use it, also after a restart.
//
// A record may outlive its link, never a link its record: it is written before the link is made,
// and what it names is looked at before it counts. Without a directory (the module was given none)
// the records last as long as the process.
//
// Threads: any number at once, one for a share. Owner: a plain object.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "longshore/result.hpp"
#include "smb/remote_path.h"

namespace longshore::smb {

class LinkRecords {
 public:
  // "": in memory.
  explicit LinkRecords(const std::string& directory);

  // The paths of the links to the share and to what lies below it.
  Result<std::vector<std::string>> links_to(const RemotePath& remote) const;
  Result<void> add(const RemotePath& remote, const std::string& link);
  Result<void> forget(const RemotePath& remote, const std::vector<std::string>& links);

 private:
  std::filesystem::path file_of(const RemotePath& remote) const;
  Result<void> write(const RemotePath& remote, const std::vector<std::string>& links);

  const std::filesystem::path directory_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> in_memory_;
};

}  // namespace longshore::smb
