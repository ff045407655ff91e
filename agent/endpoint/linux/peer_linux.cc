#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "endpoint/peer.h"
#include "longshore/linux/file_descriptor.hpp"

namespace longshore::endpoint {
namespace {

constexpr int kPeerPidfd = 77;  // SO_PEERPIDFD, which older headers lack

// How many PID namespaces a process is in, counted from that of /proc; 0 when nobody can tell.
size_t pid_namespaces(const std::string& process) {
  std::ifstream status("/proc/" + process + "/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word != "NSpid:") continue;
    return static_cast<size_t>(std::distance(std::istream_iterator<pid_t>(words), {}));
  }
  return 0;
}

// A peer that we can see (its id here is not 0) is in our namespace or in one below, where it has
// one id more. Unlike /proc/<process>/ns/pid this may be read whatever the peer is allowed to.
bool shares_pid_namespace(pid_t process) {
  const size_t own = pid_namespaces("self");
  return process > 0 && own > 0 && pid_namespaces(std::to_string(process)) == own;
}

// Whether the process that connected is gone, and reaped; its number may be another's by now. Linux
// before 6.5 cannot be asked, and there the number has to do.
bool has_ended(int descriptor, pid_t process) {
  if (process <= 0) return false;  // where we cannot see it
  struct stat status {};
  if (stat(("/proc/" + std::to_string(process)).c_str(), &status) != 0 && errno == ENOENT) {
    return true;
  }
  int number = -1;
  socklen_t size = sizeof(number);
  if (getsockopt(descriptor, SOL_SOCKET, kPeerPidfd, &number, &size) != 0) {
    return errno == ESRCH || errno == EINVAL;
  }
  const FileDescriptor held(number);
  std::ifstream facts("/proc/self/fdinfo/" + std::to_string(number));
  for (std::string line; std::getline(facts, line);) {
    if (line.starts_with("Pid:")) return line.ends_with("-1");
  }
  return false;
}

// The control group of a process, which everybody may know, as a number that is no inode's.
uint64_t control_group_of(const std::string& process) {
  constexpr uint64_t kNoInode = uint64_t{1} << 63;
  std::ifstream file("/proc/" + process + "/cgroup");
  const std::string group(std::istreambuf_iterator<char>(file), {});
  return group.empty() ? 0 : std::hash<std::string>()(group) | kNoInode;
}

// The inode that stands for the namespace. AppArmor keeps it from an agent under a profile when the
// peer's own profile, as those of containers, does not name the agent's. A container has a control
// group of its own as well, which it cannot leave.
uint64_t pid_namespace_of(pid_t process) {
  if (process <= 0) return 0;
  struct stat status {};
  const std::string number = std::to_string(process);
  if (stat(("/proc/" + number + "/ns/pid").c_str(), &status) == 0) return status.st_ino;
  return errno == EACCES ? control_group_of(number) : 0;
}

}  // namespace

Result<Peer> peer_of(intptr_t connection) {
  const int descriptor = static_cast<int>(connection);
  const auto failed = [](const std::error_code& error) {
    return Error(StatusCode::kUnknown, "ask who connected").because(error);
  };
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  std::error_code error =
      error_unless(getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0);
  if (error) return failed(error);
  Peer peer;
  peer.user = credentials.uid;
  peer.process = credentials.pid;
  peer.own_user = credentials.uid == 0 || credentials.uid == geteuid();
  peer.pid_namespace = pid_namespace_of(credentials.pid);
  peer.same_pid_namespace = shares_pid_namespace(credentials.pid);
  if (credentials.uid != 0) {
    peer.bounded_user = PeerUser{credentials.uid, !peer.same_pid_namespace};
  }
  // Asked last: what was read of the process is true if it is there yet. Who connects, ends and
  // leaves the connection to others is nobody whose share could be counted: as many processes as
  // one likes would each come with another share.
  if (has_ended(descriptor, credentials.pid)) {
    return Error(StatusCode::kFailedPrecondition, "ask who connected")
        .because("the process that connected has ended already");
  }

  // ERANGE says how much room the list takes.
  size = 0;
  getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, nullptr, &size);
  peer.groups.resize(size / sizeof(gid_t));
  if (size > 0) {
    error = error_unless(
        getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, peer.groups.data(), &size) == 0);
    if (error) return failed(error);
  }
  peer.groups.push_back(credentials.gid);
  return peer;
}

}  // namespace longshore::endpoint
