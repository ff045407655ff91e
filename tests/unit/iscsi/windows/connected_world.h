// A Windows node that is connected to its target.
#pragma once

#include <catch2/catch.hpp>

#include "tests/unit/iscsi/windows/windows_world.h"

namespace longshore::iscsi {

struct Connected {
  explicit Connected(const TargetSetup& setup = {}) : world(setup) {
    REQUIRE(world.service().add_portal(world.portal(), {}));
    REQUIRE(connect());
  }
  Result<void> connect() {
    return world.service().connect({.portal = world.portal(), .target = world.target()}, {});
  }
  Result<void> disconnect() {
    return world.service().disconnect(world.portal(), world.target(), {});
  }
  auto disks() { return world.service().disks(world.portal(), world.target(), {}); }

  WindowsWorld world;
};

}  // namespace longshore::iscsi
