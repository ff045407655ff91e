// The suite of the iscsi group on the fake and on the system's backend with a stand-in for its
// initiator: open-iscsi, or Windows' own.
#include <tuple>

#include "tests/unit/iscsi/fake_world.h"
#if defined(_WIN32)
#include "tests/unit/iscsi/windows/windows_world.h"
#else
#include "tests/unit/iscsi/worlds.h"
#endif

namespace longshore::iscsi {
#if defined(_WIN32)
using Worlds = std::tuple<FakeWorld, WindowsWorld>;
#else
using Worlds = std::tuple<FakeWorld, StandInWorld>;
#endif
}  // namespace longshore::iscsi

#include "tests/unit/iscsi/iscsi_suite.h"
