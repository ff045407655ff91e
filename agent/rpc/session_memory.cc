#include "rpc/session_memory.h"

#include <cstdlib>
#include <limits>
#include <new>

namespace longshore::rpc {
namespace {

// False: there is no more, and nothing that could be given up for it.
bool find_more() {
  const std::new_handler handler = std::get_new_handler();
  if (handler == nullptr) return false;
  try {
    handler();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

template <typename Allocate>
void* tried(const Allocate& allocate) {
  void* memory = allocate();
  while (memory == nullptr && find_more()) memory = allocate();
  return memory;
}

}  // namespace

struct SessionMemory::Functions {
  static SessionMemory& self(void* user) { return *static_cast<SessionMemory*>(user); }
  static Block* block_of(void* memory) { return static_cast<Block*>(memory) - 1; }

  template <typename Allocate>
  static void* taken(void* user, const Allocate& allocate) {
    void* const memory = tried(allocate);
    if (memory == nullptr) {
      self(user).has_failed_ = true;
      return nullptr;
    }
    auto* const block = static_cast<Block*>(memory);
    self(user).add(*block);
    return block + 1;
  }

  static void* allocate(size_t size, void* user) {
    return taken(user, [size] { return std::malloc(sizeof(Block) + size); });
  }

  static void* allocate_zeros(size_t count, size_t size, void* user) {
    if (size != 0 && count > (std::numeric_limits<size_t>::max() - sizeof(Block)) / size) {
      self(user).has_failed_ = true;
      return nullptr;
    }
    return taken(user, [bytes = count * size] { return std::calloc(1, sizeof(Block) + bytes); });
  }

  static void* resize(void* memory, size_t size, void* user) {
    if (memory == nullptr) return allocate(size, user);
    Block* const block = block_of(memory);
    // It may move. Where it cannot grow it stays as it is.
    self(user).remove(*block);
    void* const grown = tried([block, size] { return std::realloc(block, sizeof(Block) + size); });
    auto* const kept = grown != nullptr ? static_cast<Block*>(grown) : block;
    self(user).add(*kept);
    if (grown != nullptr) return kept + 1;
    self(user).has_failed_ = true;
    return nullptr;
  }

  static void release(void* memory, void* user) {
    if (memory == nullptr) return;
    self(user).remove(*block_of(memory));
    std::free(block_of(memory));
  }
};

SessionMemory::~SessionMemory() {
  while (first_ != nullptr) {
    Block* const block = first_;
    first_ = block->next;
    std::free(block);
  }
}

nghttp2_mem SessionMemory::functions() {
  return {this, Functions::allocate, Functions::release, Functions::allocate_zeros,
          Functions::resize};
}

void SessionMemory::add(Block& block) {
  block.before = nullptr;
  block.next = first_;
  if (first_ != nullptr) first_->before = &block;
  first_ = &block;
}

void SessionMemory::remove(const Block& block) {
  (block.before != nullptr ? block.before->next : first_) = block.next;
  if (block.next != nullptr) block.next->before = block.before;
}

}  // namespace longshore::rpc
