#include "router/handle_table.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace longshore::router {
namespace {

TEST_CASE("A handle finds its object until it is removed, and nothing afterwards") {
  HandleTable<int> table;
  const uint64_t handle = table.insert(std::make_shared<int>(7));
  CHECK(handle != 0);
  REQUIRE(table.find(handle));
  CHECK(*table.find(handle) == 7);
  CHECK(table.size() == 1);
  const auto removed = table.remove(handle);
  REQUIRE(removed);
  CHECK(*removed == 7);
  CHECK_FALSE(table.find(handle));
  CHECK_FALSE(table.remove(handle));
  CHECK(table.size() == 0);
}

TEST_CASE("A slot that is used again has another handle, and the old one stays stale") {
  HandleTable<int> table;
  const uint64_t first = table.insert(std::make_shared<int>(1));
  table.remove(first);
  const uint64_t second = table.insert(std::make_shared<int>(2));
  CHECK(static_cast<uint32_t>(first) == static_cast<uint32_t>(second));
  CHECK(first != second);
  CHECK_FALSE(table.find(first));
  CHECK_FALSE(table.remove(first));
  CHECK(*table.find(second) == 2);
}

TEST_CASE("Invented handles find nothing") {
  HandleTable<int> table;
  const uint64_t handle = table.insert(std::make_shared<int>(1));
  for (const uint64_t invented : {uint64_t{0}, handle + 1, handle + (uint64_t{1} << 32),
                                  handle - (uint64_t{1} << 32), handle | 0xffffffff, UINT64_MAX}) {
    CHECK_FALSE(table.find(invented));
    CHECK_FALSE(table.remove(invented));
  }
  CHECK(table.find(handle));
}

TEST_CASE("All objects are listed, without those that are gone") {
  HandleTable<int> table;
  table.insert(std::make_shared<int>(1));
  const uint64_t gone = table.insert(std::make_shared<int>(2));
  table.insert(std::make_shared<int>(3));
  table.remove(gone);
  const auto all = table.all();
  REQUIRE(all.size() == 2);
  CHECK(*all[0] + *all[1] == 4);
}

TEST_CASE("Of many threads that remove the same object, one gets it") {
  HandleTable<int> table;
  for (int round = 0; round < 200; ++round) {
    const uint64_t handle = table.insert(std::make_shared<int>(round));
    std::atomic<int> winners = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] { winners += table.remove(handle) != nullptr; });
    }
    for (auto& thread : threads) thread.join();
    REQUIRE(winners == 1);
  }
}

}  // namespace
}  // namespace longshore::router
