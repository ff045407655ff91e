// GUIDs that nobody has.
//
// Threads: any.
#pragma once

#include <windows.h>
// After windows.h.
#include <objbase.h>

#include <functional>

namespace longshore::support {

// Where they come from; a test knows what it is given.
using NewGuid = std::function<GUID()>;

inline GUID new_guid() {
  GUID guid{};
  // It fails only where the system has no more locks, and then gives one that is unique here.
  static_cast<void>(CoCreateGuid(&guid));
  return guid;
}

}  // namespace longshore::support
