#include "endpoint/peer_shares.h"

#include <utility>

#include "rpc/server.h"

namespace longshore::endpoint {
namespace {

// What a connection takes of its peer's share at a time, beyond its reserve.
constexpr size_t kStep = 8u << 10;

bool is_three_quarters(size_t used, size_t limit) { return used >= limit - limit / 4; }

// Connections that may be there beyond a limit, until they have given way.
size_t most_beyond(size_t limit) { return limit / 4 + 1; }

size_t most_in_containers(size_t limit) { return limit - limit / 2; }

Error no_room(std::string why) {
  return Error::of_text(StatusCode::kResourceExhausted, std::move(why));
}

}  // namespace

PeerShares::PeerShares(const std::string& endpoint, std::shared_ptr<rpc::MemoryAccount> above,
                       const ShareLimits& limits)
    : limits_(limits),
      account_(std::make_shared<rpc::MemoryAccount>(rpc::MemoryAccount::Options{
          .name = "the endpoint " + endpoint + " (agent.limits.max_memory_per_endpoint)",
          .limit = limits.max_memory,
          .guaranteed = limits.guaranteed_memory,
          .parent = std::move(above)})) {}

Result<PeerShares::Connection> PeerShares::admit(const PeerKey& peer,
                                                 const std::optional<PeerUser>& user) {
  if (connections_ >= limits_.max_connections) return no_room("there are too many connections");
  if (user && !has_place(*user)) {
    return no_room("the user has too many connections in all PID namespaces together");
  }
  Share& share = peers_[peer];
  if (share.connections >= limits_.max_connections_per_peer) {
    return no_room("the peer has too many connections");
  }
  if (!share.account) {
    share.account = std::make_shared<rpc::MemoryAccount>(
        rpc::MemoryAccount::Options{.name = "the peer (agent.limits.max_memory_per_peer)",
                                    .limit = limits_.max_memory_per_peer,
                                    .parent = account_});
  }
  auto account = std::make_shared<rpc::MemoryAccount>(
      rpc::MemoryAccount::Options{.name = "the connection (agent.limits.max_memory_per_connection)",
                                  .limit = limits_.max_memory_per_connection,
                                  .step = kStep,
                                  .reserve = kReservedBytes,
                                  .parent = share.account,
                                  .second_parent = user ? account_of(*user) : nullptr});
  if (const auto* full = account->charge(rpc::kConnectionBytes)) {
    Error error = no_room(full->refusal());
    if (!share.is_used()) peers_.erase(peer);
    if (user && users_.at(user->user).total == 0) users_.erase(user->user);
    return error;
  }
  ++share.connections;
  ++connections_;
  if (user) {
    ++users_.at(user->user).total;
    count(user, /*is_more=*/true);
  }
  return Connection(*this, peer, user, std::move(account));
}

void PeerShares::count(const std::optional<PeerUser>& user, bool is_more) {
  if (!user) return;
  UserShare& share = users_.at(user->user);
  is_more ? ++share.connections : --share.connections;
  if (user->is_in_container) is_more ? ++share.in_containers : --share.in_containers;
}

bool PeerShares::has_place(const PeerUser& user) const {
  const auto share = users_.find(user.user);
  if (share == users_.end()) return true;
  return share->second.connections < limits_.max_connections_per_peer &&
         (!user.is_in_container ||
          share->second.in_containers < most_in_containers(limits_.max_connections_per_peer));
}

std::shared_ptr<rpc::MemoryAccount> PeerShares::account_of(const PeerUser& user) {
  UserShare& share = users_[user.user];
  if (!share.account) {
    auto account = std::make_shared<rpc::MemoryAccount>(rpc::MemoryAccount::Options{
        .name = "the user in all PID namespaces (agent.limits.max_memory_per_peer)",
        .limit = limits_.max_memory_per_peer});
    share.account_in_containers = std::make_shared<rpc::MemoryAccount>(rpc::MemoryAccount::Options{
        .name = "the user in containers (half of agent.limits.max_memory_per_peer)",
        .limit = most_in_containers(limits_.max_memory_per_peer),
        .parent = account});
    share.account = std::move(account);  // last: there is memory for both, or for none
  }
  return user.is_in_container ? share.account_in_containers : share.account;
}

void PeerShares::leave(const Connection& connection) {
  const bool has_given_way = connection.gives_way_;
  const auto share = peers_.find(connection.peer_);
  --(has_given_way ? giving_way_ : connections_);
  --(has_given_way ? share->second.giving_way : share->second.connections);
  if (!share->second.is_used()) peers_.erase(share);
  if (!connection.user_) return;
  if (!has_given_way) count(connection.user_, /*is_more=*/false);
  const auto user = users_.find(connection.user_->user);
  if (--user->second.total == 0) users_.erase(user);
}

bool PeerShares::give_way(const Connection& connection) {
  Share& share = peers_.at(connection.peer_);
  if (giving_way_ >= most_beyond(limits_.max_connections) ||
      share.giving_way >= most_beyond(limits_.max_connections_per_peer)) {
    return false;
  }
  --connections_;
  --share.connections;
  ++giving_way_;
  ++share.giving_way;
  count(connection.user_, /*is_more=*/false);
  return true;
}

bool PeerShares::has_place(const PeerKey& peer, const std::optional<PeerUser>& user) const {
  const auto share = peers_.find(peer);
  return (!user || has_place(*user)) && connections_ < limits_.max_connections &&
         (share == peers_.end() || share->second.connections < limits_.max_connections_per_peer);
}

bool PeerShares::is_scarce(const PeerKey& peer) const {
  if (is_three_quarters(connections_, limits_.max_connections)) return true;
  if (is_three_quarters(account_->used(), limits_.max_memory)) return true;
  const auto share = peers_.find(peer);
  return share != peers_.end() &&
         (is_three_quarters(share->second.connections, limits_.max_connections_per_peer) ||
          is_three_quarters(share->second.account->used(), limits_.max_memory_per_peer));
}

}  // namespace longshore::endpoint
