// The two worlds that the suite of the system group runs in: this system's backend on a stand-in
// for what it asks, and the fake.
#pragma once

#include "tests/unit/system/fake_world.h"
#if defined(_WIN32)
#include "tests/unit/system/windows/windows_world.h"
#else
#include "tests/unit/system/linux_world.h"
#endif

namespace longshore::system {

#if defined(_WIN32)
using SystemWorld = WindowsWorld;
#else
using SystemWorld = BusWorld;
#endif

}  // namespace longshore::system
