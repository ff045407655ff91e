// Where std::bad_alloc may be thrown once the process's reserve of memory is used up
// (router/memory_reserve.h): in what a connection does by itself. That is made to be left in the
// midst, and ends with the connection, which gives back what it held.
//
// Nowhere else. A call that was begun has its place in tables, queues and limits of others, and
// protobuf crashes when it destroys a message in whose midst an allocation failed. So where calls
// begin the scope ends again, until they are back.
//
// Threads: each has its own. Owner: a function; scopes lie within each other.
#pragma once

namespace longshore::rpc {

class BadAllocScope {
 public:
  enum class Kind : bool { kIsCaught, kIsNotCaught };

  explicit BadAllocScope(Kind kind) : outer_(is_caught_on_this_thread) {
    is_caught_on_this_thread = kind == Kind::kIsCaught;
  }
  ~BadAllocScope() { is_caught_on_this_thread = outer_; }
  BadAllocScope(const BadAllocScope&) = delete;
  BadAllocScope& operator=(const BadAllocScope&) = delete;

  static bool is_caught() { return is_caught_on_this_thread; }

 private:
  static inline constinit thread_local bool is_caught_on_this_thread = false;

  const bool outer_;
};

}  // namespace longshore::rpc
