// The suite of the iscsi group on the fake and on the Linux backend with a stand-in for open-iscsi.
#include <tuple>

#include "tests/unit/iscsi/worlds.h"

namespace longshore::iscsi {
using Worlds = std::tuple<FakeWorld, StandInWorld>;
}

#include "tests/unit/iscsi/iscsi_suite.h"
