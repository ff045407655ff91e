// The memory of one HTTP/2 session, for nghttp2, which asks for it by functions: with the handler
// of operator new (router/memory_reserve.h), and known block by block.
//
// Where an allocation fails nghttp2 leaves objects that it would free twice (1.52, when a stream's
// data cannot be queued), so such a session must not be used any more, nor deleted by nghttp2:
// everything that it holds goes with this object.
//
// Threads: one at a time. Owner: the session, and it outlives nghttp2's part.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>

namespace longshore::rpc {

class SessionMemory {
 public:
  SessionMemory() = default;
  ~SessionMemory();
  SessionMemory(const SessionMemory&) = delete;
  SessionMemory& operator=(const SessionMemory&) = delete;

  // What nghttp2 takes to make a session with.
  nghttp2_mem functions();

  // An allocation has.
  bool has_failed() const { return has_failed_; }

 private:
  struct Functions;
  // In front of what nghttp2 gets.
  struct alignas(std::max_align_t) Block {
    Block* before;
    Block* next;
  };

  void add(Block& block);
  void remove(const Block& block);

  Block* first_ = nullptr;
  bool has_failed_ = false;
};

}  // namespace longshore::rpc
