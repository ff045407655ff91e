// One socket on which clients connect, and what it serves.
//
//   listening ──drain──► draining (accepts no more; calls end) ──► closed
//
// A socket is a capability: an endpoint serves its own services and answers everything else as if
// it did not exist. Who may connect is decided by the socket's mode and, beyond that, by user and
// group at the moment of accepting.
//
// Texts of errors quote requests, disks and whatever modules say; what in them could forge a line
// or drive a terminal is escaped here, as in the log (text/escape.h).
//
// Threads: everything in the I/O context, where one thread at a time works. Owner: the agent, by
// shared pointer.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "endpoint/listener.h"
#include "endpoint/peer.h"
#include "endpoint/peer_shares.h"
#include "loader/service_catalog.h"
#include "longshore/result.hpp"
#include "observe/log.h"
#include "router/router.h"
#include "rpc/executor_thread.h"
#include "rpc/fair_queue.h"
#include "rpc/limits.h"
#include "rpc/memory_account.h"

namespace longshore::endpoint {

struct EndpointOptions {
  std::string name;  // for logs and `longshorectl status`
  ListenerOptions listener;
  std::set<std::string, std::less<>> services;
  bool is_unclaimed = false;  // what no module is known to serve, to be told why
  bool all_services = false;  // those too that modules will bring later
  // Who may connect, by id. Both empty: whoever the socket's mode lets. Otherwise a peer must be
  // one of these users or in one of these groups.
  std::vector<config::UserId> allow_users;
  std::vector<config::UserId> allow_groups;
  // What those who may connect may call; null: everything that it serves.
  std::shared_ptr<const router::Permissions> permissions;
  // For the control socket: only the agent's own user and root, and nobody from a container.
  bool own_user_only = false;
  ShareLimits shares;
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
  // What all endpoints hold for their clients is charged to it, but for the control socket, which
  // is for whoever mends what they have used up. Null: nothing is.
  std::shared_ptr<rpc::MemoryAccount> memory = nullptr;
  // Shares the time of `io` between the endpoints; null: who comes first is served first.
  rpc::FairQueue* fair_queue = nullptr;
  // Clients have gone: what they held can go back to the system. Called on the I/O thread, and does
  // not block. May be empty.
  std::function<void()> on_clients_gone = {};
};

class Endpoint : public std::enable_shared_from_this<Endpoint> {
 public:
  // Starts to listen.
  static Result<std::shared_ptr<Endpoint>> open(EndpointOptions options, EndpointContext context,
                                                const MakeListener& listen = &Listener::open);
  virtual ~Endpoint() = default;

  virtual const EndpointOptions& options() const = 0;
  virtual size_t connections() const = 0;
  // What is held for its clients.
  virtual const rpc::MemoryAccount& memory() const = 0;
  // Whether its socket was handed in with another mode or owner than its options ask for.
  virtual bool lacks_access() const = 0;

  // Other services and rights from now on. Connections and running calls go on, but whom
  // allow_users and allow_groups do not name any more is told to go. The socket's path must be the
  // same. An error means that the file has the old mode or owner, lets fewer in, or is not in its
  // place; all else holds.
  virtual Result<void> update(EndpointOptions options) = 0;

  // An error where nobody finds its socket any more: see Listener::check_place.
  virtual Result<void> check_place() const = 0;
  // Makes the socket anew where that is so. Connections go on.
  virtual Result<void> listen_again() = 0;

  // Accepts no more, tells every client to go, and calls `done` when the last has gone or its
  // drain timeout is over.
  virtual void drain(std::function<void()> done) = 0;

  // Ends all connections at once.
  virtual void close() = 0;
};

}  // namespace longshore::endpoint
