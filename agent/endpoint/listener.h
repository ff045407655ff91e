// Where clients connect to an endpoint: a Unix socket in the file system, or the instances of a
// named pipe.
//
//   listening ──stop──► closed
//
// Threads: the I/O context's, where one thread at a time works. Owner: the endpoint.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "config/user_id.h"
#include "endpoint/peer.h"
#include "longshore/result.hpp"
#include "rpc/transport.h"

namespace longshore::endpoint {

struct ListenerOptions {
  std::string path;  // of the socket's file, or the name of the pipe: "\\.\pipe\csi-proxy-disk-v1"
  // Of a Unix socket.
  unsigned mode = 0600;                 // write permission is what lets a user connect
  unsigned directory_mode = 0755;       // of its directory, if it is made
  std::optional<config::UserId> owner;  // the agent's own if not given
  std::optional<config::UserId> group;
  std::string setting = "run_dir and control_dir";  // that changes the path, for advice
  // Of a named pipe: who may open it, in Windows' security descriptor language.
  std::string sddl;
};

// Somebody who has connected, and who that is.
struct Client {
  std::unique_ptr<rpc::Transport> transport;
  Result<Peer> peer;
};

class Listener {
 public:
  // An error and nobody, or somebody. May be called after `stop`, with operation_aborted.
  using OnClient = std::function<void(std::error_code, std::optional<Client>)>;

  // Makes it. What a process that is gone has left in its place is replaced, and where somebody
  // listens already that is an error.
  static Result<std::unique_ptr<Listener>> open(boost::asio::io_context& io,
                                                const ListenerOptions& options);
  virtual ~Listener() = default;

  // Tells of the next client, once; not while one is waited for.
  virtual void accept(OnClient on_client) = 0;

  // Takes nobody new from now on. Whom the system has let in already is told of first, unless
  // `on_client` is empty, or the socket is one that the service manager keeps for the next agent.
  virtual void stop(const OnClient& on_client) = 0;

  // Sets who may connect, and checks the place.
  virtual Result<void> apply_access(const ListenerOptions& options) = 0;

  // Whether somebody asked for rights that it does not have, because it was handed in.
  virtual bool lacks_access(const ListenerOptions& options) const = 0;

  // An error where no client finds it any more, since somebody has removed or replaced it.
  virtual Result<void> check_place() const = 0;
};

// Makes a listener in its own way, as of a socket that the service manager holds.
using MakeListener = std::function<Result<std::unique_ptr<Listener>>(boost::asio::io_context&,
                                                                     const ListenerOptions&)>;

}  // namespace longshore::endpoint
