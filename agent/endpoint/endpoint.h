// One socket on which clients connect, and what it serves.
//
//   listening ──drain──► draining (accepts no more; calls end) ──► closed
//
// A socket is a capability: an endpoint serves its own services and answers everything else as if
// it did not exist. Who may connect is decided by the socket's mode and, beyond that, by user and
// group at the moment of accepting.
//
// Threads: everything in the I/O context, where one thread at a time works. Owner: the agent, by
// shared pointer.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "endpoint/peer.h"
#include "endpoint/socket_file.h"
#include "loader/service_catalog.h"
#include "longshore/result.hpp"
#include "observe/log.h"
#include "router/router.h"
#include "rpc/executor_thread.h"
#include "rpc/limits.h"

namespace longshore::endpoint {

struct EndpointOptions {
  std::string name;  // for logs and `longshorectl status`
  SocketFileOptions socket;
  std::set<std::string, std::less<>> services;
  bool all_services = false;  // those too that modules will bring later
  // Who may connect, by id. Both empty: whoever the socket's mode lets. Otherwise a peer must be
  // one of these users or in one of these groups.
  std::vector<unsigned> allow_users;
  std::vector<unsigned> allow_groups;
  // What those who may connect may call; null: everything that it serves.
  std::shared_ptr<const router::Permissions> permissions;
  // For the control socket: only the agent's own user and root, and nobody from a container.
  bool own_user_only = false;
  size_t max_connections = 1024;
  size_t max_connections_per_user = 512;
  rpc::Limits limits;
};

// What endpoints share.
struct EndpointContext {
  boost::asio::io_context& io;
  router::Router& router;
  router::CallRunner& runner;
  rpc::ExecutorThread* executor_thread;  // of `io`; null where it is no more than that
  const loader::CatalogHolder& catalog;
  observe::Log& log;
};

class Endpoint : public std::enable_shared_from_this<Endpoint> {
 public:
  // Starts to listen: on `activated` if systemd handed it in, else on a new socket.
  static Result<std::shared_ptr<Endpoint>> open(EndpointOptions options, EndpointContext context,
                                                std::optional<SocketFile> activated);
  virtual ~Endpoint() = default;

  virtual const EndpointOptions& options() const = 0;
  virtual size_t connections() const = 0;
  // Whether its socket was handed in with another mode or owner than its options ask for.
  virtual bool lacks_access() const = 0;

  // Other services and rights from now on. Connections and running calls go on, but whom
  // allow_users and allow_groups do not name any more is told to go. The socket's path must be the
  // same. An error means that the file has the old mode or owner, or lets fewer in; all else
  // holds.
  virtual Result<void> update(EndpointOptions options) = 0;

  // Accepts no more, tells every client to go, and calls `done` when the last has gone or its
  // drain timeout is over.
  virtual void drain(std::function<void()> done) = 0;

  // Ends all connections at once.
  virtual void close() = 0;
};

}  // namespace longshore::endpoint
