#include "tests/support/freed_memory.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

namespace longshore::test {
namespace {

std::atomic<bool> g_looks{false};
std::atomic<size_t> g_found{0};

size_t size_of(void* piece) {
#ifdef _WIN32
  return _msize(piece);
#else
  return malloc_usable_size(piece);
#endif
}

void look_at(void* piece) {
  const std::string_view bytes(static_cast<const char*>(piece), size_of(piece));
  if (bytes.find(FreedMemory::kSecret) != std::string_view::npos) ++g_found;
}

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

using namespace longshore::test;

void* operator new(size_t size) {
  if (void* const piece = std::malloc(size > 0 ? size : 1)) return piece;
  throw std::bad_alloc();
}

// A sanitizer's own would not go with the delete below.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size > 0 ? size : 1);
}

void operator delete(void* piece) noexcept {
  if (piece && g_looks) look_at(piece);
  std::free(piece);
}

void operator delete(void* piece, size_t) noexcept { operator delete(piece); }
