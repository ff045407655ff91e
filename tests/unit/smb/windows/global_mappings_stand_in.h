// Windows' SMB client and a file server in memory: global mappings behind GlobalMappings, and what
// can be found through them behind FileSystemCalls::exists().
//
// Threads: any number at once; one lock.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "smb/windows/global_mappings.h"
#include "tests/support/windows/ntfs_fake.h"

namespace longshore::smb {

class GlobalMappingsStandIn final : public GlobalMappings {
 public:
  struct Server {
    std::string user = "smbu";
    std::string password = "P@ss,w0rd";
    std::set<std::string> directories = {};  // "a\b"
    bool answers = true;
  };
  struct Mapping {
    MappingStatus status = MappingStatus::kOk;
    std::string user = {};
    std::string password = {};
    bool is_private = true;
  };

  explicit GlobalMappingsStandIn(std::string root) : root_(std::move(root)) {}

  Server server;
  std::map<std::string, Mapping> mappings;  // by `\\host\share`
  std::vector<std::string> done;            // "create", "remove"
  // The next answers in place of its own, and how many are to come.
  std::optional<WindowsCode> create_code;
  std::optional<WindowsCode> remove_code;
  std::optional<Error> error;

  // Windows' code for a path on the server, by what is mapped.
  WindowsCode look_at(const std::string& named);

  Result<std::optional<MappingStatus>> status(const std::string& root,
                                              const Deadline& deadline) override;
  Result<WindowsCode> create(const std::string& root, const Credentials& credentials,
                             bool require_privacy, const Deadline& deadline) override;
  Result<WindowsCode> remove(const std::string& root, const Deadline& deadline) override;

 private:
  const std::string root_;
  std::mutex mutex_;
};

// The node's own files, and the server's by what is mapped.
class FilesStandIn final : public support::FileSystemCalls {
 public:
  explicit FilesStandIn(GlobalMappingsStandIn& mappings) : mappings_(mappings) {}

  test::NtfsFake& node() { return node_; }

  Opened open_path(const std::wstring& path, LastName last, support::FileAccess access,
                   std::error_code& error) override {
    return node_.open_path(path, last, access, error);
  }
  std::vector<std::wstring> paths_of_volume(const std::wstring& volume,
                                            std::error_code& error) override {
    return node_.paths_of_volume(volume, error);
  }
  bool exists(const std::wstring& path, std::error_code& error) override;

 private:
  GlobalMappingsStandIn& mappings_;
  test::NtfsFake node_;
};

}  // namespace longshore::smb
