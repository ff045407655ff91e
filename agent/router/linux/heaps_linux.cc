#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "router/heaps.h"

namespace longshore::router {

namespace {

// Less than this is soon used again.
constexpr size_t kWorthBytes = 512u << 10;
// Blocks of this size and more are mapped one by one.
constexpr int kMappedBytes = 256 << 10;
constexpr int kKeptAtEndBytes = 512 << 10;
// The C library gives back the end of the second heap when so much is freed in it at once, twice
// over.
constexpr size_t kNoticedBytes = 128u << 10;

// Lies in the second heap, wherever it is moved to. Null: there is none, or it is in use.
std::atomic<void*> second_heap_block{nullptr};

// malloc_trim gives back all pages of the second heap but those at its end. They go when something
// large is freed there: a part of its block, by whatever thread.
void give_back_end_of_second_heap() {
  void* block = second_heap_block.exchange(nullptr);
  for (const size_t size : {kNoticedBytes, size_t{1}}) {
    void* const fitted = block ? std::realloc(block, size) : nullptr;
    if (fitted) block = fitted;
  }
  second_heap_block = block;
}

}  // namespace

void share_heaps() {
  mallopt(M_ARENA_MAX, 2);
  // Set, they stay as they are. Otherwise a large message that is freed raises both, up to 32 and
  // 64 MiB, and what is free at the end of a heap is kept from then on.
  mallopt(M_MMAP_THRESHOLD, kMappedBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptAtEndBytes);
  try {
    // The first heap is the first thread's, and the second that of the next one.
    std::thread([] { second_heap_block = std::malloc(1); }).join();
  } catch (const std::system_error&) {
    // Without it the second heap keeps its end.
  }
}

void give_back_heaps() {
  if (mallinfo2().fordblks < kWorthBytes) return;
  malloc_trim(0);
  give_back_end_of_second_heap();
}

}  // namespace longshore::router
