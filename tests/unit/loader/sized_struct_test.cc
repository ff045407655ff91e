// Structs of modules that were built with another header than ours, or lie about their size.
#include "loader/sized_struct.h"

#include <catch2/catch.hpp>
#include <memory>

#include "longshore/abi.h"

namespace longshore::loader {
namespace {

// A table of `size` bytes, in memory of just that size so that sanitizers see a byte too much, in
// which every byte after the size is 0xaa.
std::unique_ptr<char[]> table_of(uint32_t size) {
  auto memory = std::make_unique<char[]>(size);
  std::memset(memory.get(), 0xaa, size);
  std::memcpy(memory.get(), &size, sizeof(size));
  return memory;
}

longshore_instance copy_of_table(uint32_t size) {
  const auto memory = table_of(size);
  return copy_of(reinterpret_cast<const longshore_instance*>(memory.get()));
}

}  // namespace

TEST_CASE("What a struct lacks is zero, and of a field that is cut nothing is taken") {
  for (uint32_t size = 4; size < sizeof(longshore_instance); ++size) {
    CAPTURE(size);
    const longshore_instance copy = copy_of_table(size);
    CHECK((copy.start != nullptr) == (size >= offsetof(longshore_instance, start) + 8));
    CHECK((copy.writable != nullptr) == (size >= offsetof(longshore_instance, writable) + 8));
    CHECK(copy.destroy == nullptr);
  }
}

TEST_CASE("A struct that is longer than ours is read as far as we know it") {
  CHECK(copy_of_table(sizeof(longshore_instance)).destroy != nullptr);
  CHECK(copy_of_table(sizeof(longshore_instance) + 24).struct_size ==
        sizeof(longshore_instance) + 24);
  CHECK(common_bytes<longshore_call_info>(UINT32_MAX) == sizeof(longshore_call_info));
  CHECK(common_bytes<longshore_call_info>(0) == 0);
}

}  // namespace longshore::loader
