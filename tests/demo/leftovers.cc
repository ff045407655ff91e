#include "tests/demo/leftovers.h"

#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "support/linux/mount_table.h"
#include "tests/demo/demo_directory.h"
#include "tests/support/loop_disk.h"

namespace longshore::demo {
namespace {

namespace fs = std::filesystem;

constexpr int kEndMilliseconds = 10'000;

// Who listens at the socket: a descriptor of the process, or none.
FileDescriptor listener_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return {};
  path.copy(address.sun_path, path.size());
  const FileDescriptor connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
          0 ||
      ::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      peer.uid != ::geteuid() || peer.pid <= 0) {
    return {};
  }
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, peer.pid, 0)));
}

// At once: the bus, begun by a demonstration that holds interrupts back, heeds no other signal.
Result<void> end_process(const FileDescriptor& process, const std::string& socket) {
  ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  pollfd ended{process.get(), POLLIN, 0};
  if (::poll(&ended, 1, kEndMilliseconds) == 1) return {};
  return Error(StatusCode::kInternal, "end what listens at", socket);
}

// The agent and the bus.
Result<void> end_listeners() {
  std::vector<std::string> sockets;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(kDirectory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (fs::is_socket(entry->symlink_status(ignored))) sockets.push_back(entry->path());
  }
  for (const std::string& socket : sockets) {
    const FileDescriptor process = listener_at(socket);
    if (!process) continue;
    if (auto ended = end_process(process, socket); !ended) return ended;
  }
  return {};
}

}  // namespace

Result<void> unmount_all() {
  const Result<std::vector<support::Mount>> mounts = support::read_mounts();
  if (!mounts) return mounts.error();
  for (auto mount = mounts->rbegin(); mount != mounts->rend(); ++mount) {
    if (!mount->point.starts_with(std::string(kDirectory) + "/")) continue;
    // What somebody still uses goes when they are done.
    if (::umount2(mount->point.c_str(), UMOUNT_NOFOLLOW) == 0) continue;
    if (const std::error_code error =
            error_unless(::umount2(mount->point.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH) == 0)) {
      return Error(StatusCode::kUnknown, "unmount", mount->point).because(error);
    }
  }
  return {};
}

Result<void> end_leftovers() {
  if (auto ended = end_listeners(); !ended) return ended;
  if (auto unmounted = unmount_all(); !unmounted) return unmounted;
  try {
    test::LoopDisk::clear_all_below(kDirectory);
  } catch (const std::exception& error) {
    return Error::of_text(StatusCode::kInternal, error.what());
  }
  return {};
}

}  // namespace longshore::demo
