// A CSI driver as a process, for tests of its sidecars, whichever program runs those.
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/conformance/child_process.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"

namespace longshore::test {

// The driver, its socket and what it is told to answer.
struct Driver {
  explicit Driver(const AgentDirectory& directory)
      : socket(directory / "csi.sock"), answers(directory / "answers"), calls(directory / "calls") {
    answer("ready");
  }

  void run(const std::string& name = "test.csi.example") {
    process = std::make_unique<conformance::ChildProcess>(
        std::vector<std::string>{built_program("csi_driver"), "--socket", socket, "--answer",
                                 answers, "--calls", calls, "--name", name});
  }
  void kill() { process.reset(); }
  void answer(const std::string& command) const { std::ofstream(answers) << command << '\n'; }
  // How many probes have come, or were cancelled.
  size_t count(const std::string& what) const {
    std::ifstream file(calls);
    size_t lines = 0;
    for (std::string line; std::getline(file, line);) lines += line == what ? 1 : 0;
    return lines;
  }

  const std::string socket;
  const std::string answers;
  const std::string calls;
  std::unique_ptr<conformance::ChildProcess> process;
};

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
