// The functions that allocate, before those of libc: some fail as the plan says. operator new of
// libstdc++, the agent's copy and the modules' own, calls them too.
#include <dlfcn.h>
#include <link.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "tests/faults/plan_of_process.h"

// What libc's own functions are called besides.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

using longshore::test::MemoryFaults;

// Modules are loaded from descriptors, and have their own copy of operator new.
bool is_in_module(void* place) {
  constexpr char kDescriptors[] = "/proc/self/fd/";
  dl_find_object found{};
  return _dl_find_object(place, &found) == 0 && found.dlfo_link_map != nullptr &&
         std::strncmp(found.dlfo_link_map->l_name, kDescriptors, sizeof(kDescriptors) - 1) == 0;
}

// `caller`: where the function that allocates returns to.
bool fails_now(void* caller) {
  longshore::test::FaultPlan* const plan = longshore::test::plan_of_process();
  if (plan == nullptr) return false;
  auto& memory = plan->memory;
  if (memory.of == MemoryFaults::Of::kModules && !is_in_module(caller)) return false;
  const uint64_t number = ++memory.allocations;
  if (number < memory.first || number > memory.last) return false;
  ++memory.failed;
  errno = ENOMEM;
  return true;
}

}  // namespace

#define CALLER __builtin_return_address(0)
#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void* malloc(size_t size) { return fails_now(CALLER) ? nullptr : __libc_malloc(size); }

EXPORTED void* calloc(size_t count, size_t size) {
  return fails_now(CALLER) ? nullptr : __libc_calloc(count, size);
}

// What becomes smaller need not move.
EXPORTED void* realloc(void* memory, size_t size) {
  return size != 0 && fails_now(CALLER) ? nullptr : __libc_realloc(memory, size);
}

EXPORTED void* aligned_alloc(size_t alignment, size_t size) {
  return fails_now(CALLER) ? nullptr : __libc_memalign(alignment, size);
}

EXPORTED int posix_memalign(void** memory, size_t alignment, size_t size) {
  if (fails_now(CALLER)) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
