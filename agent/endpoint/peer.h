// Who is at the other end of a local connection, as the system says it at the moment of accepting.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"
#include "router/caller.h"

namespace longshore::endpoint {

struct Peer {
  unsigned user = 0;
  unsigned group = 0;
  std::vector<unsigned> supplementary_groups;
  // Only logged, and asked for its namespace: a number can be used again by another process.
  int process = 0;
  // Root, or the user that the agent runs as.
  bool own_user = false;
  // False for a peer in a container, whose root is not ours.
  bool same_pid_namespace = false;

  // As rules of permissions name it.
  router::UserIds ids() const {
    router::UserIds ids{user, supplementary_groups};
    ids.groups.push_back(group);
    return ids;
  }
  // "uid:0": how the router and the modules see it.
  std::string identity() const { return "uid:" + std::to_string(user); }
};

// Asks the system about the peer of a connected Unix socket.
Result<Peer> peer_of(int descriptor);

}  // namespace longshore::endpoint
