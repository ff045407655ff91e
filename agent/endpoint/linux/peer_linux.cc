#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "endpoint/peer.h"

namespace longshore::endpoint {
namespace {

// Two processes share a namespace when these files are the same inode.
bool shares_pid_namespace(pid_t process) {
  struct stat ours {};
  struct stat theirs {};
  const std::string path = "/proc/" + std::to_string(process) + "/ns/pid";
  return process > 0 && stat("/proc/self/ns/pid", &ours) == 0 && stat(path.c_str(), &theirs) == 0 &&
         ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

}  // namespace

Result<Peer> peer_of(int descriptor) {
  const auto failed = [] {
    return Error(StatusCode::kUnknown, "ask who connected")
        .because(std::error_code(errno, std::generic_category()));
  };
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return failed();
  Peer peer;
  peer.user = credentials.uid;
  peer.group = credentials.gid;
  peer.process = credentials.pid;
  peer.own_user = credentials.uid == 0 || credentials.uid == geteuid();
  peer.same_pid_namespace = shares_pid_namespace(credentials.pid);

  // ERANGE says how much room the list takes.
  size = 0;
  getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, nullptr, &size);
  peer.supplementary_groups.resize(size / sizeof(gid_t));
  if (size > 0 && getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS,
                             peer.supplementary_groups.data(), &size) != 0) {
    return failed();
  }
  return peer;
}

}  // namespace longshore::endpoint
