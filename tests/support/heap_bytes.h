// How much of the heap is in use, for tests of what is given back. Not for Windows.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LONGSHORE_TEST_SANITIZED_HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LONGSHORE_TEST_SANITIZED_HEAP 1
#endif
#endif

#ifdef LONGSHORE_TEST_SANITIZED_HEAP
#include <sanitizer/allocator_interface.h>
#else
#include <malloc.h>
#endif

namespace longshore::test {

inline size_t heap_bytes() {
#ifdef LONGSHORE_TEST_SANITIZED_HEAP
  return __sanitizer_get_current_allocated_bytes();
#else
  const auto figures = ::mallinfo2();
  return figures.uordblks + figures.hblkhd;
#endif
}

}  // namespace longshore::test
