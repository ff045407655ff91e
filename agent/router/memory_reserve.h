// Memory that is kept for the moment when the system gives none. An allocation by operator new that
// fails takes a block of it and succeeds, so work that has begun is carried through. From then on
// the router refuses new calls, with RESOURCE_EXHAUSTED, until the reserve is whole again, which
// each of them tries.
//
//   whole ──an allocation fails──► spent ──a call comes, and the system gives memory──► whole
//                                    └──all of it is used up──► a connection ends, or the process
//
// What needs more than all of the reserve meets std::bad_alloc where a connection can end by it
// (rpc/bad_alloc_scope.h). Anywhere else the process ends at that very place, as Envoy does, with a
// crash record and "out of memory" in the log, and who runs it starts it again. To unwind would be
// worse: a call that is half begun would never be answered and keep its place for ever, protobuf
// crashes where a message is destroyed in whose midst memory ran out, and a change could be half
// done. An end at any place, on the other hand, is what state files and records are made for:
// whatever was acknowledged is there afterwards, as after `kill -9`.
//
// The blocks are never touched, so they cost addresses and no memory.
// Threads: any. Owner: the process, which has one, before it has other threads; a library in
// somebody else's program has none. Modules whose C++ library is their own have no part in it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <mutex>

namespace longshore::router {

class MemoryReserve {
 public:
  using Allocate = void* (*)(size_t bytes);
  using End = void (*)();

  // Sets operator new's handler. Throws std::bad_alloc when there is not even this much. `end` ends
  // the process and may not need memory; `allocate` is where the blocks come from, which std::free
  // takes.
  explicit MemoryReserve(End end, Allocate allocate = std::malloc);
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  // Whether all of it is there, be it that it has just been taken from the system again.
  bool is_whole() { return !is_spent_.load(std::memory_order_relaxed) || refill(); }

  // So often has an allocation taken a block.
  size_t uses() const { return uses_; }

  // Frees a block; false when none is left. What operator new's handler does.
  bool give();
  // Where none is left: the process ends, or the thread is prepared for std::bad_alloc.
  [[noreturn]] void fail() const;

 private:
  static constexpr size_t kBlocks = 8;
  static constexpr size_t kBlockBytes = 256u << 10;

  bool refill();

  const End end_;
  const Allocate allocate_;
  std::array<std::atomic<void*>, kBlocks> blocks_{};
  std::atomic<bool> is_spent_{false};
  std::atomic<size_t> uses_{0};
  std::mutex refilling_;
};

}  // namespace longshore::router
