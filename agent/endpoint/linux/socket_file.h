// A listening Unix socket in the file system: made, owned, and removed again.
//
// Each socket has a directory of its own, so that the directory can be given to a container and
// the socket in it can be replaced while the container lives. What a crashed process left behind is
// replaced; a socket on which somebody listens is not.
//
// Who has the directory may write there after all, and put a link in the socket's place. So nothing
// is done by the path: see files/linux/trusted_folder.h.
#pragma once

#include <memory>
#include <string>

#include "endpoint/listener.h"
#include "longshore/result.hpp"

namespace longshore::endpoint {

// Owner: its listener. Removes the file at the end, unless another took its place, or unless
// systemd handed it in (it keeps the socket over restarts).
class SocketFile {
 public:
  // Binds and listens. Makes missing directories.
  static Result<SocketFile> listen(const ListenerOptions& options);
  // Takes over a socket that is listening already.
  static SocketFile adopt(int descriptor, std::string path);
  // The same socket once more, of one that was handed in.
  Result<SocketFile> copy() const;

  SocketFile(SocketFile&& other) noexcept;
  SocketFile& operator=(SocketFile&&) = delete;
  ~SocketFile();

  // Sets mode and owner of the file that was made, and checks its place.
  // Those of a socket that was handed in are left as they are.
  Result<void> apply_access(const ListenerOptions& options) const;

  // An error where somebody has removed or replaced the file that was made, or moved its folder, so
  // that nobody finds it any more. A socket that was handed in is not looked at.
  Result<void> check_place() const;

  // Whether somebody asked for a mode or an owner that the file does not have, because it was
  // handed in. The default mode counts as not asked for.
  bool lacks_access(const ListenerOptions& options) const;

  // Removes the file now, so that nobody else connects; what is in the queue still can be accepted.
  // Does nothing where the socket was handed in.
  void remove_name();

  // False when the socket was handed in, and once the file is removed.
  bool is_ours() const { return made_ != nullptr; }

  // The descriptor, which becomes the caller's to close.
  int release_descriptor();
  const std::string& path() const { return path_; }

 private:
  struct Made;
  SocketFile();

  std::string path_;
  int descriptor_ = -1;
  std::unique_ptr<Made> made_;  // null once the file is removed, and where it was handed in
};

// Keeps an accepted connection from the programs that modules start: Asio accepts without
// SOCK_CLOEXEC, and a client waits for as long as anybody has its connection open.
void close_on_exec(int connection);

}  // namespace longshore::endpoint
