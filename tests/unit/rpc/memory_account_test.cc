// Accounts of memory: limits at each level, guaranteed parts, and the same sums in any order.
#include "rpc/memory_account.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace longshore::rpc;

namespace {

using Options = MemoryAccount::Options;

std::shared_ptr<MemoryAccount> account(Options options) {
  return std::make_shared<MemoryAccount>(std::move(options));
}

}  // namespace

TEST_CASE("A charge counts at each level, or at none") {
  const auto process = account({.name = "process", .limit = 1000});
  const auto endpoint = account({.name = "endpoint", .limit = 600, .parent = process});
  const auto connection = account({.name = "connection", .limit = 500, .parent = endpoint});
  CHECK(connection->charge(400) == nullptr);
  CHECK(process->used() == 400);

  CHECK(connection->charge(101) == connection.get());
  CHECK(connection->used() == 400);
  CHECK(process->used() == 400);
  CHECK(connection->refusals() == 1);
  CHECK(endpoint->refusals() == 1);
  CHECK(process->refusals() == 1);

  const auto neighbour = account({.name = "neighbour", .parent = endpoint});
  CHECK(neighbour->charge(201) == endpoint.get());
  CHECK(neighbour->used() == 0);
  CHECK(neighbour->refusals() == 1);
  CHECK(connection->refusals() == 1);  // which has asked for nothing
  CHECK(endpoint->refusals() == 2);
  CHECK(process->refusals() == 2);
  CHECK(neighbour->charge(200) == nullptr);
  CHECK(neighbour->charge(static_cast<size_t>(-1)) == neighbour.get());
  CHECK(endpoint->refusal() ==
        "endpoint has no more memory for this: 600 bytes are in use, the limit is 600");

  connection->release(400);
  CHECK(process->used() == 200);
}

TEST_CASE("A charge counts in both accounts above, or in none") {
  const auto endpoint = account({.name = "endpoint", .limit = 100});
  const auto user = account({.name = "user", .limit = 60});
  {
    const auto first = account({.parent = endpoint, .second_parent = user});
    const auto second = account({.parent = endpoint, .second_parent = user});
    CHECK(first->charge(50) == nullptr);
    CHECK(second->charge(20) == user.get());
    CHECK(second->charge(10) == nullptr);
    CHECK(endpoint->used() == 60);
    CHECK(user->used() == 60);
    first->release(50);
    const auto other = account({.parent = endpoint});
    CHECK(other->charge(80) == nullptr);
    CHECK(first->charge(20) == endpoint.get());
    CHECK(user->used() == 10);
    CHECK(endpoint->used() == 90);
    second->charge_always(5);
    CHECK(user->used() == 15);
    CHECK(user->refusals() == 1);
    CHECK(endpoint->refusals() == 2);  // what the user's limit refused, and its own
  }
  CHECK(endpoint->used() == 0);
  CHECK(user->used() == 0);
}

TEST_CASE("What is guaranteed is not charged above") {
  const auto process = account({.name = "process", .limit = 100});
  const auto first = account({.guaranteed = 50, .parent = process});
  const auto second = account({.guaranteed = 50, .parent = process});
  CHECK(first->charge(150) == nullptr);
  CHECK(process->used() == 100);
  CHECK(first->charge(1) == process.get());
  CHECK(second->charge(50) == nullptr);
  CHECK(second->charge(1) == process.get());
  first->release(120);
  CHECK(process->used() == 0);
  CHECK(second->charge(20) == nullptr);
  CHECK(process->used() == 20);
}

TEST_CASE("An account that ends releases what it still has") {
  const auto process = account({.limit = 100});
  {
    const auto endpoint = account({.guaranteed = 10, .parent = process});
    endpoint->charge_always(200);
    CHECK(process->used() == 190);
  }
  CHECK(process->used() == 0);
}

TEST_CASE("A charge is released once, by whoever has it last") {
  const auto owner = account({.limit = 100});
  const MemoryAccount* full = nullptr;
  MemoryCharge charge = MemoryCharge::take(owner, 60, full);
  CHECK(full == nullptr);
  MemoryCharge other = MemoryCharge::take(owner, 60, full);
  CHECK(full == owner.get());
  CHECK(other.bytes() == 0);
  other = std::move(charge);
  CHECK(owner->used() == 60);
  other = MemoryCharge::take(owner, 40, full);
  CHECK(owner->used() == 40);
  other.clear();
  other.clear();
  CHECK(owner->used() == 0);
}

TEST_CASE("The watcher is told once, when less is used, and at once if it is so already") {
  const auto owner = account({});
  int told = 0;
  owner->watch([&] { ++told; });
  owner->charge_always(100);
  owner->notify_below(50);
  CHECK(told == 0);
  owner->release(50);
  CHECK(told == 0);
  owner->release(1);
  CHECK(told == 1);
  owner->release(1);
  CHECK(told == 1);
  owner->notify_below(50);
  CHECK(told == 2);
}

// A thread has charged the account below and is about to charge this one; another has released
// there meanwhile, and here first.
TEST_CASE("A release that overtakes its charge refuses nobody anything") {
  const auto process = account({.name = "process", .limit = 10'000});
  const auto connection = account({.name = "connection", .limit = 10'000, .parent = process});
  bool is_told = false;
  process->watch([&] { is_told = true; });
  process->release(4096);
  CHECK(process->used() == 0);
  CHECK(connection->charge(1000) == nullptr);
  CHECK(process->refusals() == 0);
  CHECK(process->used() == 0);
  process->notify_below(1);
  CHECK(is_told);
  process->charge_always(4096);
  CHECK(process->used() == 1000);
  CHECK(connection->charge(9001) == connection.get());
  CHECK(connection->charge(9000) == nullptr);
}

TEST_CASE("Whatever order threads charge and release in, nothing is lost") {
  const auto process = account({.limit = 3000});
  std::vector<std::shared_ptr<MemoryAccount>> endpoints;
  for (int i = 0; i < 3; ++i) {
    endpoints.push_back(account({.limit = 2500, .guaranteed = 700, .parent = process}));
  }
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::minstd_rand random(seed);
      std::vector<MemoryCharge> charges;
      for (int i = 0; i < 5000; ++i) {
        const MemoryAccount* full = nullptr;
        charges.push_back(MemoryCharge::take(endpoints[random() % 3], random() % 900, full));
        if (full || random() % 3 == 0) charges.erase(charges.begin());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& endpoint : endpoints) CHECK(endpoint->used() == 0);
  CHECK(process->used() == 0);
  CHECK(process->refusals() > 0);
}
