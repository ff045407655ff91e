// A CSI driver as a process, for tests of what calls it, whichever program that is in.
#pragma once

#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/conformance/child_process.h"
#include "tests/support/build_tree.h"

namespace longshore::test {

// The driver, its socket and what it is told to answer.
struct Driver {
  // `directory`: any with a `/`.
  explicit Driver(const auto& directory)
      : socket(directory / "csi.sock"), answers(directory / "answers"), calls(directory / "calls") {
    answer("ready");
  }

  void run(const std::string& name = "test.csi.example") {
    std::vector<std::string> arguments = {built_program("csi_driver"),
                                          "--socket",
                                          socket,
                                          "--answer",
                                          answers,
                                          "--calls",
                                          calls,
                                          "--name",
                                          name};
    arguments.insert(arguments.end(), controller.begin(), controller.end());
    process = std::make_unique<conformance::ChildProcess>(arguments);
  }
  void kill() { process.reset(); }
  void answer(const std::string& command) const { std::ofstream(answers) << command << '\n'; }
  // How many calls have come, or were cancelled, by the driver's lines.
  size_t count(const std::string& what) const {
    std::ifstream file(calls);
    size_t lines = 0;
    for (std::string line; std::getline(file, line);) lines += line == what ? 1 : 0;
    return lines;
  }

  const std::string socket;
  const std::string answers;
  const std::string calls;
  std::vector<std::string> controller;  // the flags of its service Controller; empty: it has none
  std::unique_ptr<conformance::ChildProcess> process;
};

}  // namespace longshore::test
