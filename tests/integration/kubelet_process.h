// The kubelet's plugin watcher as a process, with its folder, for tests of the registrar.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/conformance/child_process.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"

namespace longshore::test {

// Where drivers' sockets are on the node, as the kubelet is told; nothing is there.
inline const std::string kKubeletPath = "/var/lib/kubelet/plugins/disk.example.com/csi.sock";

struct Kubelet {
  explicit Kubelet(const AgentDirectory& directory)
      : folder(directory / "plugins_registry"),
        answer_file(directory / "kubelet"),
        log(directory / "kubelet.log") {
    std::filesystem::create_directory(folder);
    answer("true");
    process = std::make_unique<conformance::ChildProcess>(
        std::vector<std::string>{built_program("kubelet_stand_in"), "--folder", folder, "--answer",
                                 answer_file, "--log", log});
  }

  // What it says from now on.
  void answer(const std::string& text) const {
    std::ofstream(answer_file + ".new") << text << '\n';
    std::filesystem::rename(answer_file + ".new", answer_file);
  }
  // How often it has answered so to a driver of this name.
  size_t answered(const std::string& text, const std::string& driver) const {
    const std::string line = driver + " CSIPlugin " + kKubeletPath + " 1.0.0 " + text;
    std::ifstream file(log);
    size_t count = 0;
    for (std::string each; std::getline(file, each);) count += each == line ? 1 : 0;
    return count;
  }
  bool answers(size_t count, const std::string& text, const std::string& driver) const {
    return eventually([&] { return answered(text, driver) >= count; });
  }
  std::string socket(const std::string& driver) const {
    return folder + '/' + driver + "-reg.sock";
  }

  const std::string folder;
  const std::string answer_file;
  const std::string log;
  std::unique_ptr<conformance::ChildProcess> process;
};

}  // namespace longshore::test
