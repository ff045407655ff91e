#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "endpoint/socket_file.h"
#include "longshore/linux/file_descriptor.hpp"
#include "observe/other_process.h"

namespace longshore::endpoint {
namespace {

namespace fs = std::filesystem;

constexpr int kBacklog = 1024;

Error cannot_listen(const std::string& path, StatusCode code = StatusCode::kUnknown) {
  return Error(code, "listen on the socket", path);
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return cannot_listen(path, StatusCode::kInvalidArgument)
        .because("the path has " + std::to_string(path.size()) + " bytes and a socket's may have " +
                 std::to_string(sizeof(address.sun_path) - 1))
        .advise("choose a shorter run_dir");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

int make_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

constexpr int kSomebody = 0;

// The process that listens, or nothing. Somebody does unless the kernel says that nobody does; a
// full backlog is an answer.
std::optional<int> listener_of(const sockaddr_un& address) {
  const int probe = make_socket();
  if (probe < 0) return kSomebody;
  std::optional<int> listener = kSomebody;
  if (connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    ucred credentials{};
    socklen_t size = sizeof(credentials);
    getsockopt(probe, SOL_SOCKET, SO_PEERCRED, &credentials, &size);
    listener = credentials.pid;
  } else if (errno == ECONNREFUSED) {
    listener.reset();
  }
  close(probe);
  return listener;
}

// Makes room for the socket: nothing there, or a socket that a dead process left.
Result<void> clear_place(const std::string& path, const sockaddr_un& address) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return cannot_listen(path).because(last_error());
  }
  if (!S_ISSOCK(status.st_mode)) {
    return cannot_listen(path, StatusCode::kFailedPrecondition)
        .because("there is something that is not a socket")
        .advise("remove it if nobody needs it");
  }
  if (const std::optional<int> listener = listener_of(address)) {
    return observe::taken_by(*listener, cannot_listen(path, StatusCode::kFailedPrecondition),
                             "listens on it", "run_dir and control_dir");
  }
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return cannot_listen(path).because(last_error());
  }
  return {};
}

Result<void> make_directory(const SocketFileOptions& options) {
  const std::string folder = fs::path(options.path).parent_path().string();
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  if (error) return cannot_listen(options.path).because(error);
  if (mkdir(folder.c_str(), options.directory_mode) != 0) {
    if (errno == EEXIST) return {};  // an administrator's choice of mode stays
    return cannot_listen(options.path).because(last_error());
  }
  // Past the umask.
  if (chmod(folder.c_str(), options.directory_mode) != 0) {
    return cannot_listen(options.path).because(last_error());
  }
  return {};
}

}  // namespace

Result<SocketFile> SocketFile::listen(const SocketFileOptions& options) {
  const Result<sockaddr_un> address = address_of(options.path);
  if (!address) return address.error();
  if (auto made = make_directory(options); !made) return std::move(made).error();
  if (auto cleared = clear_place(options.path, *address); !cleared) {
    return std::move(cleared).error();
  }
  SocketFile file;
  file.path_ = options.path;
  file.descriptor_ = make_socket();
  const auto* generic = reinterpret_cast<const sockaddr*>(&*address);
  if (file.descriptor_ < 0 || bind(file.descriptor_, generic, sizeof(*address)) != 0) {
    return cannot_listen(options.path).because(last_error());
  }
  file.remove_at_end_ = true;
  struct stat status {};
  if (lstat(options.path.c_str(), &status) != 0) {
    return cannot_listen(options.path).because(last_error());
  }
  file.inode_ = status.st_ino;
  // Nobody can connect before `listen`, so the rights are right from the first moment.
  if (auto applied = file.apply_access(options); !applied) return std::move(applied).error();
  if (::listen(file.descriptor_, kBacklog) != 0) {
    return cannot_listen(options.path).because(last_error());
  }
  return file;
}

Result<void> SocketFile::apply_access(const SocketFileOptions& options) const {
  if (!is_ours()) return {};
  const unsigned owner = options.owner.value_or(geteuid());
  const unsigned group = options.group.value_or(getegid());
  struct stat status {};
  if (lstat(path_.c_str(), &status) != 0) return cannot_listen(path_).because(last_error());
  if (status.st_uid != owner || status.st_gid != group) {
    // Neither the old group with the new mode nor the new group with the old one.
    if (chmod(path_.c_str(), options.mode & 0600) != 0 ||
        lchown(path_.c_str(), owner, group) != 0) {
      return cannot_listen(path_).because(last_error());
    }
  }
  if (chmod(path_.c_str(), options.mode) != 0) return cannot_listen(path_).because(last_error());
  return {};
}

bool SocketFile::lacks_access(const SocketFileOptions& options) const {
  struct stat status {};
  if (is_ours() || lstat(path_.c_str(), &status) != 0) return false;
  const bool other_mode =
      options.mode != SocketFileOptions().mode && options.mode != (status.st_mode & 07777);
  return other_mode || options.owner.value_or(status.st_uid) != status.st_uid ||
         options.group.value_or(status.st_gid) != status.st_gid;
}

SocketFile SocketFile::adopt(int descriptor, std::string path) {
  SocketFile file;
  file.descriptor_ = descriptor;
  file.path_ = std::move(path);
  return file;
}

Result<SocketFile> SocketFile::copy() const {
  const int descriptor = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) return cannot_listen(path_).because(last_error());
  return adopt(descriptor, path_);
}

SocketFile::SocketFile(SocketFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      remove_at_end_(std::exchange(other.remove_at_end_, false)),
      inode_(other.inode_) {}

SocketFile::~SocketFile() {
  if (descriptor_ >= 0) close(descriptor_);
  remove_name();
}

void SocketFile::remove_name() {
  if (!std::exchange(remove_at_end_, false)) return;
  struct stat status {};
  if (lstat(path_.c_str(), &status) == 0 && status.st_ino == inode_) unlink(path_.c_str());
}

int SocketFile::release_descriptor() { return std::exchange(descriptor_, -1); }

void close_on_exec(int connection) { ::fcntl(connection, F_SETFD, FD_CLOEXEC); }

}  // namespace longshore::endpoint
