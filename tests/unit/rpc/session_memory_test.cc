// The memory of an HTTP/2 session: what nghttp2 asks for, and that all of it goes in the end. Leaks
// and wrong frees are the sanitizers' to find.
#include "rpc/session_memory.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

using longshore::rpc::SessionMemory;

TEST_CASE("A session's memory is given, moved and taken back, and the rest goes with it") {
  SessionMemory memory;
  const nghttp2_mem functions = memory.functions();
  void* const user = functions.mem_user_data;
  void* first = functions.malloc(3, user);
  void* second = functions.calloc(5, 7, user);
  void* third = functions.realloc(nullptr, 11, user);
  REQUIRE((first && second && third));
  for (size_t i = 0; i < 35; ++i) CHECK(static_cast<char*>(second)[i] == 0);
  std::memcpy(first, "abc", 3);
  std::memset(third, 1, 11);
  first = functions.realloc(first, 100'000, user);  // one in the list's middle, end, beginning
  REQUIRE(first);
  CHECK(std::memcmp(first, "abc", 3) == 0);
  functions.free(second, user);
  functions.free(nullptr, user);
  third = functions.realloc(third, 1, user);
  CHECK(*static_cast<char*>(third) == 1);
  CHECK_FALSE(memory.has_failed());
}

TEST_CASE("A session's memory tells that there was not enough") {
  SessionMemory memory;
  const nghttp2_mem functions = memory.functions();
  REQUIRE(functions.malloc(1, functions.mem_user_data));
  constexpr size_t kMost = std::numeric_limits<size_t>::max();
  CHECK(functions.calloc(kMost / 2, 3, functions.mem_user_data) == nullptr);
  CHECK(memory.has_failed());
}
