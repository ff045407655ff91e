// What a caller wants of a file server: host, share, and what lies below the share.
//
// Servers, shares and their mappings do not tell large letters from small ones, so host and share
// are kept in small letters; what lies below is kept as it was written, for it is the server's to
// say. Names are held to what hosts and shares can be called, so that none can be read as a path of
// the node or as an option of a mount.
//
// Threads: immutable.
#pragma once

#include <string>
#include <string_view>

#include "longshore/result.hpp"

namespace longshore::smb {

class RemotePath {
 public:
  // `\\host\share\a\b`, or with slashes, which may be repeated. The host is a name, an IPv4
  // address, or an IPv6 address without brackets. INVALID_ARGUMENT for all else, and for the names
  // `.` and `..`, control characters and what is too long. `operation` completes "cannot ...".
  static Result<RemotePath> parse(std::string_view text, const std::string& operation);

  const std::string& host() const { return host_; }
  const std::string& share() const { return share_; }
  // "a/b", or "" for the share itself.
  const std::string& below() const { return below_; }

  // "//host/share": what is mapped once.
  std::string mapping() const { return "//" + host_ + "/" + share_; }
  // "//host/share/a/b".
  std::string text() const { return mapping() + (below_.empty() ? "" : "/" + below_); }

 private:
  RemotePath() = default;

  std::string host_;
  std::string share_;
  std::string below_;
};

}  // namespace longshore::smb
