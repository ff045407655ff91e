// Who gives way when an HTTP server has no place for one more connection: of the address that has
// the most, whoever has kept the server waiting longest. So one address takes no place of
// another's, such as a kubelet's, whose failed probe ends a container.
//
// Threads: the server's. Owner: the server.
#pragma once

#include <algorithm>
#include <list>
#include <string>
#include <tuple>

namespace longshore::observe {

// What a connection takes.
struct HttpPlace {
  std::string peer;             // its address, without the port; empty on a Unix socket
  bool waits_for_page = false;  // which keeps it waiting, and not the server
  bool is_closed = false;       // and gone soon
};

// In the list the one that has made no progress for the longest time is the first, and goes first
// of equal ones. The end: all are closed already. A `Connection` is a HttpPlace.
template <typename Connection>
auto who_gives_way(std::list<Connection>& connections) {
  const auto claim = [&](const Connection& each) {
    const auto places = std::count_if(
        connections.begin(), connections.end(),
        [&](const Connection& other) { return !other.is_closed && other.peer == each.peer; });
    return std::tuple(!each.is_closed, places, !each.waits_for_page);
  };
  const auto most = std::max_element(
      connections.begin(), connections.end(),
      [&](const Connection& left, const Connection& right) { return claim(left) < claim(right); });
  return most == connections.end() || most->is_closed ? connections.end() : most;
}

}  // namespace longshore::observe
