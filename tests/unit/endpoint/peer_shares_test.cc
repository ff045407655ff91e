// Who may have how much of an endpoint.
#include "endpoint/peer_shares.h"

#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "rpc/server.h"

namespace longshore::endpoint {
namespace {

using Connection = PeerShares::Connection;

const PeerKey kDriver{{}, 1};
const PeerKey kContainer{{}, 2};
// A number on Linux, a text on Windows.
config::UserId other_user() {
  config::UserId user{};
  user += 7;
  return user;
}

constexpr size_t kMiB = 1u << 20;

std::shared_ptr<rpc::MemoryAccount> process_account(size_t limit) {
  return std::make_shared<rpc::MemoryAccount>(
      rpc::MemoryAccount::Options{.name = "the agent", .limit = limit});
}

TEST_CASE("Connections are counted by endpoint and by user and PID namespace") {
  PeerShares shares("test", nullptr, {.max_connections = 3, .max_connections_per_peer = 2});
  std::vector<Connection> open;
  for (int i = 0; i < 2; ++i) open.push_back(*shares.admit(kDriver));
  const auto third = shares.admit(kDriver);
  REQUIRE_FALSE(third);
  CHECK(third.error().message() == "the peer has too many connections");
  open.push_back(*shares.admit(kContainer));
  const auto fourth = shares.admit(PeerKey{other_user(), 1});
  REQUIRE_FALSE(fourth);
  CHECK(fourth.error().message() == "there are too many connections");
  open.clear();
  CHECK(shares.connections() == 0);
  CHECK(shares.memory().used() == 0);
  CHECK(shares.admit(kDriver));
}

TEST_CASE("A connection that gives way leaves its place to the same peer, as few do at a time") {
  PeerShares shares("test", nullptr, {.max_connections = 12, .max_connections_per_peer = 4});
  std::deque<Connection> open;
  for (int i = 0; i < 4; ++i) open.push_back(*shares.admit(kDriver));
  Connection& third = open[2];
  CHECK_FALSE(shares.has_place(kDriver));
  CHECK(shares.has_place(kContainer));
  for (size_t i = 0; i < 2; ++i) {  // a quarter of four, and one
    CHECK(open[i].give_way());
    CHECK(shares.has_place(kDriver));
    open.push_back(*shares.admit(kDriver));
  }
  CHECK_FALSE(third.give_way());
  CHECK(shares.connections() == 4);
  open.pop_front();
  CHECK(third.give_way());
  CHECK(shares.connections() == 3);
  open.clear();
  CHECK(shares.connections() == 0);
  CHECK(shares.memory().used() == 0);
}

TEST_CASE("What a peer may hold leaves something for the others of its endpoint") {
  PeerShares shares("test", nullptr, {.max_memory = 4 * kMiB, .max_memory_per_peer = 3 * kMiB});
  const auto greedy = shares.admit(kDriver);
  REQUIRE(greedy);
  CHECK(greedy->account()->charge(2 * kMiB) == nullptr);
  const auto* full = greedy->account()->charge(kMiB);
  REQUIRE(full);
  CHECK(full->name() == "the peer (agent.limits.max_memory_per_peer)");
  const auto other = shares.admit(kContainer);
  REQUIRE(other);
  CHECK(other->account()->charge(kMiB) == nullptr);
  full = other->account()->charge(kMiB);
  REQUIRE(full);
  CHECK(full->name() == "the endpoint test (agent.limits.max_memory_per_endpoint)");
}

TEST_CASE("However much its peer holds, a connection has room for a small call") {
  PeerShares shares("test", nullptr, {.max_memory_per_peer = kMiB});
  const auto quiet = shares.admit(kDriver);
  const auto greedy = shares.admit(kDriver);
  REQUIRE((quiet && greedy));
  while (!greedy->account()->charge(rpc::kCallBytes)) continue;
  CHECK(quiet->account()->charge(2 * rpc::kCallBytes) == nullptr);
  CHECK(quiet->account()->charge(1) != nullptr);
  quiet->account()->release(2 * rpc::kCallBytes);
  CHECK(greedy->account()->charge(rpc::kCallBytes) != nullptr);
}

TEST_CASE("However much others hold, an endpoint has its guaranteed part") {
  const auto process = process_account(2 * kMiB);
  PeerShares greedy("greedy", process, {.guaranteed_memory = 128u << 10});
  PeerShares victim("victim", process, {.guaranteed_memory = 128u << 10});
  const auto first = greedy.admit(kDriver);
  REQUIRE(first);
  while (!first->account()->charge(32u << 10)) continue;
  CHECK(process->used() == process->limit());
  const auto second = victim.admit(kDriver);
  REQUIRE(second);
  CHECK(second->account()->charge(64u << 10) == nullptr);
  CHECK(second->account()->charge(128u << 10) == process.get());
}

TEST_CASE("A connection for which there is no memory leaves nothing behind") {
  const auto process = process_account(100u << 10);
  PeerShares shares("test", process, {.guaranteed_memory = 0});
  std::vector<Connection> open;
  for (;;) {
    auto next = shares.admit(kDriver);
    if (!next) break;
    open.push_back(std::move(*next));
  }
  CHECK(open.size() == (100u << 10) / PeerShares::kReservedBytes);
  CHECK(shares.connections() == open.size());
  const auto refused = shares.admit(kContainer);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kResourceExhausted);
  open.clear();
  CHECK(process->used() == 0);
}

TEST_CASE("A user has one share however many PID namespaces it makes, and root has one in each") {
  PeerShares shares("test", nullptr, {.max_connections = 20, .max_connections_per_peer = 4});
  const auto admit = [&](uint64_t pid_namespace, const std::optional<PeerUser>& user) {
    return shares.admit(PeerKey{{}, pid_namespace}, user);
  };
  const PeerUser in_container{other_user(), true};
  std::deque<Connection> open;
  for (const uint64_t pid_namespace : {11u, 12u})
    open.push_back(*admit(pid_namespace, in_container));
  const auto third = admit(13, in_container);
  REQUIRE_FALSE(third);
  CHECK(third.error().message() ==
        "the user has too many connections in all PID namespaces together");
  CHECK_FALSE(shares.has_place(PeerKey{{}, 13}, in_container));
  // The user itself has what is left of its share, and root in other containers all of its own.
  const PeerKey host{other_user(), 1};
  for (int i = 0; i < 2; ++i) open.push_back(*shares.admit(host, PeerUser{other_user(), false}));
  CHECK_FALSE(shares.admit(host, PeerUser{other_user(), false}));
  for (const uint64_t pid_namespace : {11u, 14u}) {
    for (int i = 0; i < 3; ++i) open.push_back(*admit(pid_namespace, std::nullopt));
  }
  // And the container's root that becomes other users no more than a container has.
  CHECK_FALSE(admit(11, PeerUser{config::UserId(), true}));
  // Who gives way leaves its place to the user.
  CHECK(open.front().give_way());
  CHECK(admit(13, in_container));
  open.clear();
  CHECK(shares.connections() == 0);
  CHECK(admit(13, in_container));
}

TEST_CASE("A user has one share of the memory however many PID namespaces it makes") {
  PeerShares shares("test", nullptr, {.max_memory = 6 * kMiB, .max_memory_per_peer = 4 * kMiB});
  const auto admit = [&](uint64_t pid_namespace) {
    return shares.admit(PeerKey{{}, pid_namespace}, PeerUser{other_user(), true});
  };
  const auto first = admit(11);
  const auto second = admit(12);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->account()->charge(kMiB) == nullptr);
  const auto* full = second->account()->charge(kMiB);
  REQUIRE(full);
  CHECK(full->name() == "the user in containers (half of agent.limits.max_memory_per_peer)");
  const auto itself = shares.admit(PeerKey{other_user(), 1}, PeerUser{other_user(), false});
  REQUIRE(itself);
  CHECK(itself->account()->charge(kMiB) == nullptr);
  full = itself->account()->charge(2 * kMiB);
  REQUIRE(full);
  CHECK(full->name() == "the user in all PID namespaces (agent.limits.max_memory_per_peer)");
  const auto root = shares.admit(PeerKey{{}, 12});
  REQUIRE(root);
  CHECK(root->account()->charge(3 * kMiB) == nullptr);
}

TEST_CASE("Where three quarters of something are used, it is scarce") {
  PeerShares shares("test", nullptr, {.max_connections = 100, .max_connections_per_peer = 4});
  std::vector<Connection> open;
  for (int i = 0; i < 2; ++i) open.push_back(*shares.admit(kDriver));
  CHECK_FALSE(shares.is_scarce(kDriver));
  open.push_back(*shares.admit(kDriver));
  CHECK(shares.is_scarce(kDriver));
  CHECK_FALSE(shares.is_scarce(kContainer));
}

}  // namespace
}  // namespace longshore::endpoint
