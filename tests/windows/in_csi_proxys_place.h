// longshored.exe in csi-proxy's place: with its command line, at its pipes.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/temporary_directory.h"
#include "tests/windows/agent_program.h"

namespace longshore::test {

inline std::string csi_proxy_pipe(const std::string& group, const std::string& version) {
  return R"(\\.\pipe\csi-proxy-)" + group + "-" + version;
}

// Every test starts it anew: it has csi-proxy's own pipes.
struct InCsiProxysPlace {
  InCsiProxysPlace() { REQUIRE(agent.serves()); }

  std::string path(const std::string& name) const { return kubelet.path().string() + "\\" + name; }

  const TemporaryDirectory kubelet;
  const AgentFolder folder;
  const AgentProgram agent{folder,
                           {"-kubelet-path=" + kubelet.path().string(), "-logtostderr", "-v", "5"}};
};

}  // namespace longshore::test
