// Instances of a pipe that wait for clients. Other tests' clients come again where a pipe is busy,
// which csi-proxy's do not: these have one try.
#include <windows.h>

#include <algorithm>
#include <barrier>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "longshore/admin/v1.pb.h"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/windows/agent_program.h"

using namespace longshore;
using namespace longshore::test;

namespace {

constexpr size_t kAtOnce = 8;  // as many as always wait
constexpr int kRounds = 25;

struct Opened {
  Handle pipe;
  DWORD error = ERROR_SUCCESS;
};

std::vector<Opened> open_at_once(const std::string& pipe) {
  const std::wstring name = wide(pipe);
  std::vector<Opened> all(kAtOnce);
  std::barrier together(kAtOnce);
  std::vector<std::jthread> clients;
  for (Opened& each : all) {
    clients.emplace_back([&] {
      together.arrive_and_wait();
      const HANDLE opened = CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr,
                                        OPEN_EXISTING, 0, nullptr);
      each.error = opened == INVALID_HANDLE_VALUE ? GetLastError() : ERROR_SUCCESS;
      each.pipe = Handle(opened);
    });
  }
  clients.clear();
  return all;
}

size_t connections(TestClient& control, const std::string& endpoint) {
  const auto answer = control.call("longshore.admin.v1.Admin/GetStatus", "");
  admin::v1::GetStatusResponse status;
  REQUIRE(status.ParseFromString(answer->messages.at(0)));
  for (const auto& each : status.endpoints()) {
    if (each.name() == endpoint) return static_cast<size_t>(each.connections());
  }
  FAIL("there is no endpoint " << endpoint);
  return 0;
}

}  // namespace

TEST_CASE("clients that come at once find a pipe that is not busy, each at the first try") {
  AgentFolder folder;
  folder.configure();
  const AgentProgram agent(folder);
  CAPTURE(folder.log());
  REQUIRE(agent.serves());
  TestClient control(folder.control_pipe());
  for (int round = 0; round < kRounds; ++round) {
    CAPTURE(round);
    {
      const std::vector<Opened> opened = open_at_once(folder.echo_pipe());
      for (const Opened& each : opened) CHECK(each.error == ERROR_SUCCESS);
      // Who was let in has left his place to another instance.
      REQUIRE(eventually([&] { return connections(control, "echo") == kAtOnce; }));
    }
    REQUIRE(eventually([&] { return connections(control, "echo") == 0; }));
  }
}
