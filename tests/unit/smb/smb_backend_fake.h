// File servers, mappings and links in memory that keep the contract of SmbBackend: for tests of
// what stands above, and run through the same suite as the real one.
//
// Threads: any number at once; one lock.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "smb/smb_backend.h"

namespace longshore::smb {

class SmbBackendFake final : public SmbBackend {
 public:
  // What a server has.
  struct Share {
    std::string user;
    std::string password;
    std::set<std::string> directories = {};  // "a", "a/b"
    bool answers = true;
  };

  // By "//host/share", in small letters.
  void put(const std::string& mapping, Share share);
  bool is_mapped(const std::string& mapping) const;

  // The local side: a path whose directory does not exist, one that is taken by something else, and
  // where the link at a path leads ("//host/share/a"), or nothing.
  void remove_directory_of(const std::string& path);
  void occupy(const std::string& path);
  std::optional<std::string> link_at(const std::string& path) const;
  void remove_link(const std::string& path);

  Result<void> map(const RemotePath& remote, const Credentials& credentials,
                   const support::Path* link, const Deadline& deadline) override;
  // Its links say where they lead as Windows' do.
  std::optional<std::string> remote_path_in(std::string_view) const override { return {}; }
  Result<void> unmap(const RemotePath& remote, const Deadline& deadline) override;

 private:
  Result<void> check_link(const std::string& path, const std::string& target) const;
  Result<void> ask_server(const RemotePath& remote, const Credentials& credentials) const;

  mutable std::mutex mutex_;
  std::map<std::string, Share> shares_;
  std::set<std::string> mapped_;
  std::map<std::string, RemotePath> links_;
  std::set<std::string> occupied_;
  std::set<std::string> without_directory_;
};

}  // namespace longshore::smb
