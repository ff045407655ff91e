// A CSI driver for tests of its sidecars, whichever program runs those, and where they answer.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <sstream>
#include <string>

#include "tests/support/agent_process.h"
#include "tests/support/csi_driver_process.h"
#include "tests/support/eventually.h"

namespace longshore::test {

// Where the last /healthz of the agent's log is, or the last of this controller.
inline uint16_t port_of(const AgentDirectory& directory, const std::string& controller = {}) {
  const std::string served = "/healthz is served on 127.0.0.1:";
  std::string port;
  REQUIRE(eventually([&] {
    std::istringstream log(directory.log());
    for (std::string line; std::getline(log, line);) {
      const size_t at = line.find(served);
      const bool is_its = controller.empty() || line.ends_with(" module=" + controller);
      if (at != line.npos && is_its) port = line.substr(at + served.size());
    }
    return !port.empty();
  }));
  return static_cast<uint16_t>(std::stoul(port));
}

}  // namespace longshore::test
