// A listening Unix socket in the file system: made, owned, and removed again.
//
// Each socket has a directory of its own, so that the directory can be given to a container and
// the socket in it can be replaced while the container lives. What a crashed process left behind is
// replaced; a socket on which somebody listens is not.
#pragma once

#include <optional>
#include <string>

#include "longshore/result.hpp"

namespace longshore::endpoint {

struct SocketFileOptions {
  std::string path;
  unsigned mode = 0600;            // of the socket; write permission is what lets a user connect
  unsigned directory_mode = 0755;  // of its directory, if it is made
  std::optional<unsigned> owner;   // user id; the agent's own if not given
  std::optional<unsigned> group;
};

// Owner: the endpoint. Removes the file at the end, unless another took its place, or unless
// systemd handed it in (it keeps the socket over restarts).
class SocketFile {
 public:
  // Binds and listens. Makes missing directories.
  static Result<SocketFile> listen(const SocketFileOptions& options);
  // Takes over a socket that is listening already.
  static SocketFile adopt(int descriptor, std::string path);
  // The same socket once more, of one that was handed in.
  Result<SocketFile> copy() const;

  SocketFile(SocketFile&& other) noexcept;
  SocketFile& operator=(SocketFile&&) = delete;
  ~SocketFile();

  // Sets mode and owner of the file. Those of a socket that was handed in are left as they are.
  Result<void> apply_access(const SocketFileOptions& options) const;

  // Whether somebody asked for a mode or an owner that the file does not have, because it was
  // handed in. The default mode counts as not asked for.
  bool lacks_access(const SocketFileOptions& options) const;

  // Removes the file now, so that nobody else connects; what is in the queue still can be accepted.
  // Does nothing where the socket was handed in.
  void remove_name();

  // False when the socket was handed in, and once the file is removed.
  bool is_ours() const { return remove_at_end_; }

  // The descriptor, which becomes the caller's to close.
  int release_descriptor();
  const std::string& path() const { return path_; }

 private:
  SocketFile() = default;

  std::string path_;
  int descriptor_ = -1;
  bool remove_at_end_ = false;
  unsigned long inode_ = 0;
};

// Keeps an accepted connection from the programs that modules start: Asio accepts without
// SOCK_CLOEXEC, and a client waits for as long as anybody has its connection open.
void close_on_exec(int connection);

}  // namespace longshore::endpoint
