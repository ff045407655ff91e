#include "router/memory_reserve.h"

#include <cstdlib>
#include <new>

#include "rpc/bad_alloc_scope.h"

namespace longshore::router {
namespace {

// operator new's handler has no argument.
std::atomic<MemoryReserve*> reserve_of_process{nullptr};

void give_or_fail() {
  MemoryReserve* const reserve = reserve_of_process;
  if (reserve == nullptr) throw std::bad_alloc();
  if (!reserve->give()) reserve->fail();
}

}  // namespace

MemoryReserve::MemoryReserve(End end, Allocate allocate) : end_(end), allocate_(allocate) {
  if (!refill()) {
    for (auto& block : blocks_) std::free(block.exchange(nullptr));
    throw std::bad_alloc();
  }
  reserve_of_process = this;
  std::set_new_handler(give_or_fail);
}

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(nullptr);
  reserve_of_process = nullptr;
  for (auto& block : blocks_) std::free(block.exchange(nullptr));
}

bool MemoryReserve::give() {
  is_spent_ = true;
  for (auto& block : blocks_) {
    if (void* const memory = block.exchange(nullptr)) {
      std::free(memory);
      ++uses_;
      return true;
    }
  }
  return false;
}

void MemoryReserve::fail() const {
  if (!rpc::BadAllocScope::is_caught()) end_();
  throw std::bad_alloc();
}

bool MemoryReserve::refill() {
  const std::lock_guard lock(refilling_);
  // First, so that what is taken meanwhile is seen the next time.
  is_spent_ = false;
  for (auto& block : blocks_) {
    if (block.load() != nullptr) continue;
    void* const memory = allocate_(kBlockBytes);
    if (memory == nullptr) {
      is_spent_ = true;
      return false;
    }
    block = memory;
  }
  return true;
}

}  // namespace longshore::router
