#include "tests/support/freed_memory.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LONGSHORE_SANITIZER_HAS_DELETE
#include <sanitizer/allocator_interface.h>
#endif

namespace longshore::test {
namespace {

std::atomic<bool> g_looks{false};
std::atomic<size_t> g_found{0};

size_t size_of(void* piece) {
#if defined(LONGSHORE_SANITIZER_HAS_DELETE)
  return __sanitizer_get_allocated_size(piece);
#elif defined(_WIN32)
  return _msize(piece);
#else
  return malloc_usable_size(piece);
#endif
}

void look_at(void* piece) {
  const std::string_view bytes(static_cast<const char*>(piece), size_of(piece));
  if (bytes.find(FreedMemory::kSecret) != std::string_view::npos) ++g_found;
}

#if defined(LONGSHORE_SANITIZER_HAS_DELETE)
void on_allocation(const volatile void*, size_t) {}
void on_free(const volatile void* piece) {
  if (piece && g_looks) look_at(const_cast<void*>(piece));
}
[[maybe_unused]] const int g_hooks =
    __sanitizer_install_malloc_and_free_hooks(on_allocation, on_free);
#endif

}  // namespace

std::string FreedMemory::secret_of(size_t bytes) {
  std::string text;
  text.reserve(bytes + sizeof(kSecret));
  while (text.size() < bytes) text += kSecret;
  text.resize(bytes);
  return text;
}

FreedMemory::FreedMemory() {
  g_found = 0;
  g_looks = true;
}

FreedMemory::~FreedMemory() { g_looks = false; }

size_t FreedMemory::found() const { return g_found; }

}  // namespace longshore::test

#if !defined(LONGSHORE_SANITIZER_HAS_DELETE)
using namespace longshore::test;

// Not into their callers, where gcc would see memory of malloc() go to operator delete.
[[gnu::noinline]] void* operator new(size_t size) {
  if (void* const piece = std::malloc(size > 0 ? size : 1)) return piece;
  throw std::bad_alloc();
}

[[gnu::noinline]] void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size > 0 ? size : 1);
}

void operator delete(void* piece) noexcept {
  if (piece && g_looks) look_at(piece);
  std::free(piece);
}

void operator delete(void* piece, size_t) noexcept { operator delete(piece); }
#endif
