// How much of an endpoint each of its peers may have and has: connections, and memory for requests
// and unsent responses.
//
// A peer is a user in the agent's PID namespace, or all users of another one: a container is a peer
// of its own. That is for accounting only, and nobody is authorised by it: most drivers are root.
//
//   process ◄── endpoint ◄── peer ◄── connection      (accounts of memory, each with a limit)
//                            user ◄──────┘
//
// Whoever may make PID namespaces, as everybody may on most nodes, could be as many peers as it
// likes. So all that a user has in all of them together is bounded as one peer is, unless it is
// root: drivers are root, each in the namespace of its pod, and none may take what another needs.
// Of a container's namespace as a whole there is still the one share, because its root can become
// any user. For the same reason what calls itself a user in containers has no more than half of
// that user's: the other half is there for the user itself, in the agent's namespace.
//
// Where a limit of connections is reached, a peer's idle connection may give way to a new one of
// the same peer: it takes no place any more while its client is told to go. Few do so at a time.
//
// A part of each endpoint's memory is guaranteed, so that no other endpoint can use it up.
//
// Threads: the I/O thread. Owner: the endpoint.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config/user_id.h"
#include "longshore/result.hpp"
#include "rpc/memory_account.h"
#include "rpc/server.h"

namespace longshore::endpoint {

struct PeerKey {
  config::UserId user = {};    // none for all users of another PID namespace than the agent's
  uint64_t pid_namespace = 0;  // 0: nobody can tell

  auto operator<=>(const PeerKey&) const = default;
};

// A user whose peers are bounded together.
struct PeerUser {
  config::UserId user = {};
  bool is_in_container = false;  // in another PID namespace than the agent's
};

// What the configuration says in `[agent.limits]`.
struct ShareLimits {
  size_t max_connections = 512;
  size_t max_connections_per_peer = 256;
  size_t max_memory = 20u << 20;
  size_t max_memory_per_peer = 16u << 20;
  size_t max_memory_per_connection = 16u << 20;
  size_t guaranteed_memory = 256u << 10;
};

class PeerShares {
 public:
  // What each connection has of its peer's share, whatever others use up: itself, and a small call
  // or two.
  static constexpr size_t kReservedBytes = rpc::kConnectionBytes + (8u << 10);

  // `above`: the account of the process; null: the endpoint is on its own.
  PeerShares(const std::string& endpoint, std::shared_ptr<rpc::MemoryAccount> above,
             const ShareLimits& limits);

  // One connection, counted until its end. Owner: the connection's session.
  class Connection {
   public:
    Connection(PeerShares& shares, const PeerKey& peer, const std::optional<PeerUser>& user,
               std::shared_ptr<rpc::MemoryAccount> account)
        : shares_(&shares), peer_(peer), user_(user), account_(std::move(account)) {}
    ~Connection() {
      if (!shares_) return;
      // Not only when the last operation of the connection lets go of the account.
      account_->release(rpc::kConnectionBytes);
      shares_->leave(*this);
    }
    Connection(Connection&& other) noexcept
        : shares_(std::exchange(other.shares_, nullptr)),
          peer_(other.peer_),
          user_(other.user_),
          account_(std::move(other.account_)),
          gives_way_(other.gives_way_) {}
    Connection& operator=(Connection&&) = delete;

    // Its place is for others of the peer from now on. False: too many have given theirs, and are
    // there yet.
    bool give_way() { return gives_way_ = shares_->give_way(*this); }
    bool gives_way() const { return gives_way_; }

    const PeerKey& peer() const { return peer_; }
    // Has what the connection itself holds.
    const std::shared_ptr<rpc::MemoryAccount>& account() const { return account_; }

   private:
    friend class PeerShares;

    PeerShares* shares_;
    PeerKey peer_;
    std::optional<PeerUser> user_;
    std::shared_ptr<rpc::MemoryAccount> account_;
    bool gives_way_ = false;
  };

  // Counts a connection. An error says why there is no room.
  Result<Connection> admit(const PeerKey& peer, const std::optional<PeerUser>& user = {});

  // Whether the numbers of connections allow another one; its memory is another matter.
  bool has_place(const PeerKey& peer, const std::optional<PeerUser>& user = {}) const;

  // Whether so much is used that it matters who is still there: three quarters of some limit.
  bool is_scarce(const PeerKey& peer) const;

  // Those that have a place.
  size_t connections() const { return connections_; }
  const rpc::MemoryAccount& memory() const { return *account_; }

 private:
  // What a user has in all namespaces.
  struct UserShare {
    size_t connections = 0;    // that have a place
    size_t in_containers = 0;  // of those
    size_t total = 0;          // with those that have given theirs
    std::shared_ptr<rpc::MemoryAccount> account;
    std::shared_ptr<rpc::MemoryAccount> account_in_containers;
  };
  using Users = std::map<config::UserId, UserShare>;

  void leave(const Connection& connection);
  bool give_way(const Connection& connection);
  void count(const std::optional<PeerUser>& user, bool is_more);
  bool has_place(const PeerUser& user) const;
  std::shared_ptr<rpc::MemoryAccount> account_of(const PeerUser& user);

  struct Share {
    size_t connections = 0;
    size_t giving_way = 0;
    bool is_used() const { return connections + giving_way > 0; }
    std::shared_ptr<rpc::MemoryAccount> account;
  };

  const ShareLimits limits_;
  const std::shared_ptr<rpc::MemoryAccount> account_;
  size_t connections_ = 0;
  size_t giving_way_ = 0;
  std::map<PeerKey, Share> peers_;  // those that are connected
  Users users_;                     // likewise
};

}  // namespace longshore::endpoint
