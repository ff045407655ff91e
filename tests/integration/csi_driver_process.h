// A CSI driver as a process, for tests of the livenessprobe, whichever program runs that.
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
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

  void run() {
    process = std::make_unique<conformance::ChildProcess>(std::vector<std::string>{
        built_program("csi_driver"), "--socket", socket, "--answer", answers, "--calls", calls});
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

// Where the last /healthz of the agent's log is.
inline uint16_t port_of(const AgentDirectory& directory) {
  const std::string line = "/healthz is served on 127.0.0.1:";
  REQUIRE(eventually([&] { return directory.log().find(line) != std::string::npos; }));
  const std::string log = directory.log();
  return static_cast<uint16_t>(std::stoul(log.substr(log.rfind(line) + line.size())));
}

}  // namespace longshore::test
