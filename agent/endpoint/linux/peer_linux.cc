#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "endpoint/peer.h"
#include "longshore/linux/file_descriptor.hpp"

namespace longshore::endpoint {
namespace {

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

}  // namespace

Result<Peer> peer_of(int descriptor) {
  const auto failed = [] {
    return Error(StatusCode::kUnknown, "ask who connected").because(last_error());
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
