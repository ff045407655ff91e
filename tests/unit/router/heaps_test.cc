// What the process holds after it has freed much. A program of its own: the heaps are the
// process's.
#include "router/heaps.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "observe/recent_lines.h"
#include "tests/support/process_figures.h"

namespace longshore::router {
namespace {

// A list in blocks of its own, so that nothing else is in the heap between them.
struct Block {
  Block* next;
};

Block* use(size_t bytes, size_t count) {
  Block* first = nullptr;
  for (size_t i = 0; i < count; ++i) {
    void* const memory = std::malloc(bytes);
    std::memset(memory, 'x', bytes);
    first = new (memory) Block{first};
  }
  return first;
}

void free_all(Block* first) {
  while (first != nullptr) std::free(std::exchange(first, first->next));
}

// Leaves small blocks above large ones, which keep these from being the end of the heap as long as
// the C library has them ready for the next one who wants some.
void use_much() {
  constexpr size_t kSmall = 40;
  constexpr size_t kLarge = 60'000;
  Block* const kept_for_thread = use(kSmall, 7);  // as many as the C library keeps for each
  Block* const large = use(kLarge, 200);
  Block* const small = use(kSmall, 10'000);
  free_all(large);
  free_all(kept_for_thread);
  free_all(small);
}

size_t kib_left_of_much() {
  const size_t before = test::own_memory_kib(getpid());
  use_much();
  give_back_heaps();
  const size_t after = test::own_memory_kib(getpid());
  return after > before ? after - before : 0;
}

}  // namespace

TEST_CASE("What was freed goes back to the system, from whichever heap") {
  share_heaps();
  CHECK(kib_left_of_much() < 1024);
  size_t left = 0;
  for (int round = 0; round < 3; ++round) {
    std::thread([&] { left = kib_left_of_much(); }).join();
    CHECK(left < 1024);
  }
}

// Each of them would keep a page, if it lay between what else the burst has freed.
TEST_CASE("What is remembered of a burst keeps nothing else of it") {
  constexpr size_t kBlock = 4000;
  share_heaps();
  observe::RecentLines lines(1000);
  const observe::Fields fields = {{"request", "b5xq2-1"}, {"method", "v1.Disk/ListDiskLocations"}};
  const size_t before = test::own_memory_kib(getpid());
  Block* burst = nullptr;
  for (int i = 0; i < 2000; ++i) {
    void* const memory = std::malloc(kBlock);
    std::memset(memory, 'x', kBlock);
    burst = new (memory) Block{burst};
    lines.add({}, observe::Level::kWarning, "a call is stuck", fields);
  }
  CHECK(lines.all().size() == 1000);
  free_all(burst);
  give_back_heaps();
  CHECK(test::own_memory_kib(getpid()) < before + 1024);
}

}  // namespace longshore::router
