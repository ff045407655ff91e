// The worlds that the suite of the volume group runs in: on Linux disks made of files, and the
// fake; on Windows disks and directories of a node that is made up.
//
// Each has the disks that a test describes, by their places in its list, an allowed root and a
// place outside of it, and lets a test put things there without going through the backend.
#pragma once

#include <tuple>

#if defined(_WIN32)
#include "tests/unit/volume/windows/windows_world.h"
#else
#include "tests/unit/volume/fake_world.h"
#include "tests/unit/volume/real_world.h"
#endif

namespace longshore::volume {

#if defined(_WIN32)
using Worlds = std::tuple<WindowsWorld>;
#else
using Worlds = std::tuple<RealWorld, FakeWorld>;
#endif

}  // namespace longshore::volume
