// Clients that go on while the agent ends: it ends in order all the same.
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>
#include <vector>

#include "tests/hostile_clients/attack.h"
#include "tests/hostile_clients/attacked_agent.h"
#include "tests/unit/rpc/raw_peer.h"

using namespace longshore::hostile_clients;

namespace {

// What each of them says before it goes, hearing nothing.
const std::vector<std::function<void(RawClient&)>> kCallers = {
    [](RawClient&) {},
    [](RawClient& client) { client.greet(); },
    [](RawClient& client) {
      client.greet();
      client.open(kSay);
    },
    [](RawClient& client) {
      client.greet();
      client.send_data(client.open(kSay), longshore::rpc::message_bytes(""), true);
      client.read();
    },
};

}  // namespace

TEST_CASE("An agent whose clients come and go ends in order", "[end]") {
  for (int round = 0; round < times(8); ++round) {
    CAPTURE(round);
    AttackedAgent agent;
    std::atomic<bool> has_ended = false;
    std::vector<std::thread> threads;
    for (int number = 0; number < 2; ++number) {
      threads.emplace_back([&, number] {
        Traffic traffic;
        for (size_t turn = static_cast<size_t>(number); !has_ended; ++turn) {
          // The sockets are gone before the agent is.
          RawClient client(agent.echo_socket(), traffic);
          if (!client.closed()) kCallers[turn / 50 % kCallers.size()](client);
        }
      });
    }
    // So that they have begun.
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + 7 * round % 50));
    const int status = agent.stop();
    has_ended = true;
    for (std::thread& thread : threads) thread.join();
    INFO(agent.log());
    CHECK(status == 0);
  }
}
