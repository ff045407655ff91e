#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "endpoint/linux/found_socket.h"
#include "endpoint/linux/socket_file.h"
#include "files/linux/other_process.h"
#include "files/linux/trusted_folder.h"
#include "longshore/linux/file_descriptor.hpp"

namespace longshore::endpoint {
namespace {

namespace fs = std::filesystem;

constexpr int kBacklog = 1024;
constexpr mode_t kModeUntilListening = 0600;

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return cannot_listen(path, StatusCode::kInvalidArgument)
        .because("the path has " + std::to_string(path.size()) + " bytes and a socket's may have " +
                 std::to_string(sizeof(address.sun_path) - 1))
        .advise("choose a shorter folder for it");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

int make_socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

constexpr int kSomebody = 0;

// The process that listens on the socket that an O_PATH descriptor stands for, or nothing. Somebody
// does unless the kernel says that nobody does; a full backlog is an answer.
std::optional<int> listener_of(int socket_file) {
  const Result<sockaddr_un> address = address_of(files::path_of_descriptor(socket_file));
  const FileDescriptor probe(make_socket());
  if (!address || !probe) return kSomebody;
  const auto* generic = reinterpret_cast<const sockaddr*>(&*address);
  if (connect(probe.get(), generic, sizeof(*address)) != 0) {
    return errno == ECONNREFUSED ? std::nullopt : std::optional<int>(kSomebody);
  }
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  getsockopt(probe.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size);
  return credentials.pid;
}

// Makes room for the socket: nothing there, or a socket that a dead process left.
Result<void> clear_place(const files::TrustedFolder& folder, const std::string& name,
                         const ListenerOptions& options) {
  const std::string& path = options.path;
  const auto found = find_socket(folder, name, path);
  if (!found) return found.error();
  if (!*found) return {};
  if (const std::optional<int> listener = listener_of(found->get())) {
    return files::taken_by(*listener, cannot_listen(path, StatusCode::kFailedPrecondition),
                           "listens on it", options.setting);
  }
  const std::error_code error = error_unless(unlinkat(folder.descriptor(), name.c_str(), 0) == 0);
  if (error && error != std::errc::no_such_file_or_directory) {
    return cannot_listen(path).because(error);
  }
  return {};
}

// What has the name right after the bind, if it is as the bind has made it: nobody else's, nothing
// but a socket, and without another name.
Result<FileDescriptor> bound_file(const files::TrustedFolder& folder, const std::string& name,
                                  const std::string& path) {
  FileDescriptor file = look_up(folder, name);
  struct stat status {};
  const std::error_code error = file ? error_unless(fstat(file.get(), &status) == 0) : file.error();
  if (error) return cannot_listen(path).because(error);
  if (S_ISSOCK(status.st_mode) && status.st_uid == geteuid() && status.st_nlink == 1 &&
      (status.st_mode & 07777 & ~kModeUntilListening) == 0) {
    return file;
  }
  return cannot_listen(path, StatusCode::kFailedPrecondition)
      .because("somebody has put something else in the place of the socket that was just made")
      .advise("find out who may write to its folder; mount it read-only into containers");
}

}  // namespace

// The file of a socket that was made here. All that is done to it later is done to this very file,
// whatever has its name by then.
struct SocketFile::Made {
  files::TrustedFolder folder;
  std::string name;
  FileDescriptor file;  // O_PATH

  bool has_its_name() const { return is_at(folder.descriptor(), name); }
  bool is_at(int start, const std::string& path) const {
    struct stat here {};
    struct stat there {};
    return fstat(file.get(), &here) == 0 &&
           fstatat(start, path.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev;
  }
};

Result<SocketFile> SocketFile::listen(const ListenerOptions& options) {
  const fs::path path(options.path);
  const Result<sockaddr_un> address = address_of(options.path);
  if (!address) return address.error();
  auto folder = files::TrustedFolder::make(path.parent_path().string(), options.directory_mode);
  if (!folder) {
    return cannot_listen(options.path, folder.error().code()).because(folder.error().message());
  }
  const std::string name = path.filename().string();
  if (auto cleared = clear_place(*folder, name, options); !cleared) {
    return std::move(cleared).error();
  }
  SocketFile file;
  file.path_ = options.path;
  file.descriptor_ = make_socket();
  std::error_code error = error_unless(file.descriptor_ >= 0);
  const auto* generic = reinterpret_cast<const sockaddr*>(&*address);
  // The socket's own mode becomes that of the file. By the whole path, as lists of sockets show it:
  // a bind follows no link in the socket's place, and where it came out is looked at next.
  if (!error) error = error_unless(fchmod(file.descriptor_, kModeUntilListening) == 0);
  if (!error) error = error_unless(bind(file.descriptor_, generic, sizeof(*address)) == 0);
  if (error) return cannot_listen(options.path).because(error);
  auto bound = bound_file(*folder, name, options.path);
  if (!bound) return std::move(bound).error();
  file.made_.reset(new Made{std::move(*folder), name, std::move(*bound)});
  // Nobody can connect before `listen`, so the rights are right from the first moment.
  if (auto applied = file.apply_access(options); !applied) return std::move(applied).error();
  error = error_unless(::listen(file.descriptor_, kBacklog) == 0);
  if (error) return cannot_listen(options.path).because(error);
  return file;
}

Result<void> SocketFile::apply_access(const ListenerOptions& options) const {
  if (!is_ours()) return {};
  const int file = made_->file.get();
  const std::string by_descriptor = files::path_of_descriptor(file);
  const unsigned owner = options.owner.value_or(geteuid());
  const unsigned group = options.group.value_or(getegid());
  struct stat status {};
  std::error_code error = error_unless(fstat(file, &status) == 0);
  if (!error && (status.st_uid != owner || status.st_gid != group)) {
    // Neither the old group with the new mode nor the new group with the old one.
    error = error_unless(chmod(by_descriptor.c_str(), options.mode & 0600) == 0);
    if (!error) error = error_unless(fchownat(file, "", owner, group, AT_EMPTY_PATH) == 0);
  }
  if (!error) error = error_unless(chmod(by_descriptor.c_str(), options.mode) == 0);
  if (error) return cannot_listen(path_).because(error);
  return check_place();
}

Result<void> SocketFile::check_place() const {
  // By the whole path, as clients look for it.
  if (!is_ours() || made_->is_at(AT_FDCWD, path_)) return {};
  return cannot_listen(path_, StatusCode::kFailedPrecondition)
      .because("somebody has removed or replaced the socket's file")
      .advise("find out who may write to its folder; mount it read-only into containers");
}

bool SocketFile::lacks_access(const ListenerOptions& options) const {
  struct stat status {};
  if (is_ours() || lstat(path_.c_str(), &status) != 0) return false;
  const bool other_mode =
      options.mode != ListenerOptions().mode && options.mode != (status.st_mode & 07777);
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
  if (const std::error_code error = error_unless(descriptor >= 0)) {
    return cannot_listen(path_).because(error);
  }
  return adopt(descriptor, path_);
}

SocketFile::SocketFile(SocketFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      made_(std::move(other.made_)) {}

SocketFile::SocketFile() = default;

SocketFile::~SocketFile() {
  if (descriptor_ >= 0) close(descriptor_);
  remove_name();
}

void SocketFile::remove_name() {
  const std::unique_ptr<Made> made = std::move(made_);
  if (made && made->has_its_name()) unlinkat(made->folder.descriptor(), made->name.c_str(), 0);
}

int SocketFile::release_descriptor() { return std::exchange(descriptor_, -1); }

void close_on_exec(int connection) { ::fcntl(connection, F_SETFD, FD_CLOEXEC); }

}  // namespace longshore::endpoint
