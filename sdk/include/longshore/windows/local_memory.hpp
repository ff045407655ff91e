// Memory that a function of Windows has made and that is to be freed by LocalFree.
#pragma once

#include <windows.h>

#include <memory>

namespace longshore {

struct FreeLocalMemory {
  void operator()(void* memory) const { LocalFree(memory); }
};

template <typename T>
using LocalMemory = std::unique_ptr<T, FreeLocalMemory>;

}  // namespace longshore
