// Who is at the other end of a local connection, as the system says it at the moment of accepting.
#pragma once

#include <boost/container_hash/hash.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/user_id.h"
#include "endpoint/peer_shares.h"
#include "longshore/result.hpp"
#include "router/caller.h"

namespace longshore::endpoint {

struct Peer {
  config::UserId user = {};
  std::vector<config::UserId> groups;  // its own and the supplementary ones
  // Only logged, and asked for its namespace: a number can be used again by another process.
  int process = 0;
  std::string image;  // its program, where the system tells that; only logged
  // Root, or the user that the agent runs as. On Windows the system's account or an elevated
  // administrator, or the agent's.
  bool own_user = false;
  // False for a peer in a container, whose root is not ours. Windows' containers see no pipe of the
  // host's but those that are given to them.
  bool same_pid_namespace = false;
  // For accounting. Its PID namespace, or what stands for that where it is not told; 0 when nobody
  // can tell. On Windows the process itself: nearly all drivers are the same user there.
  uint64_t pid_namespace = 0;

  // The user that bounds it across namespaces; none for root, and on Windows.
  std::optional<PeerUser> bounded_user;

  // As rules of permissions name it.
  router::UserIds ids() const { return {user, groups}; }
  // Whose share of the endpoint it uses. In a container's namespace the user does not count: its
  // root can become any. So all peers whose namespace nobody can tell have one share together.
  PeerKey key() const { return {same_pid_namespace ? user : config::UserId(), pid_namespace}; }
  // Its flow where callers take turns: that of its share, and for root and the agent's own user
  // of its process besides. Nearly all drivers are root; others could have as many processes as
  // they like.
  uint64_t flow() const {
    const PeerKey share = key();
    size_t number = 0;
    boost::hash_combine(number, share.user);
    boost::hash_combine(number, share.pid_namespace);
    if (own_user && same_pid_namespace) boost::hash_combine(number, process);
    return number;
  }
  std::string identity() const { return config::identity_of(user); }
};

// Asks the system about the peer of a connected Unix socket (a descriptor) or pipe (the handle of
// its server's end). An error also where the process that connected has ended.
Result<Peer> peer_of(intptr_t connection);

}  // namespace longshore::endpoint
