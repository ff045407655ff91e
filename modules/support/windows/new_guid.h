// GUIDs that nobody has.
//
// Threads: any.
#pragma once

#include <windows.h>
// After windows.h.
#include <objbase.h>

#include <bit>
#include <functional>

#include "support/windows/guid.h"

namespace longshore::support {

// Where they come from; a test knows what it is given.
using NewGuid = std::function<Guid()>;

inline Guid new_guid() {
  GUID guid{};
  // It fails only where the system has no more locks, and then gives one that is unique here.
  static_cast<void>(CoCreateGuid(&guid));
  return std::bit_cast<Guid>(guid);
}

}  // namespace longshore::support
