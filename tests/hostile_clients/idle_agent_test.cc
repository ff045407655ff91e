// An agent that everybody has left: nothing in it wakes up any more.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "tests/hostile_clients/attack.h"
#include "tests/hostile_clients/attacked_agent.h"
#include "tests/support/process_status.h"
#include "tests/unit/rpc/raw_peer.h"

using namespace longshore::hostile_clients;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

// How often its threads were given a processor, for whatever reason.
uint64_t wake_ups_of(pid_t process) {
  uint64_t sum = 0;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    const pid_t thread = std::stoi(task.path().filename());
    for (const char* const name : {"voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"}) {
      const std::string count = longshore::test::proc_status(thread, name);
      if (!count.empty()) sum += std::stoull(count);
    }
  }
  return sum;
}

// Whether nothing of it runs for so long, within the time.
bool comes_to_rest(pid_t process, std::chrono::seconds rest, std::chrono::seconds within) {
  const auto end = steady_clock::now() + within;
  uint64_t seen = wake_ups_of(process);
  for (auto since = steady_clock::now(); steady_clock::now() < end;) {
    std::this_thread::sleep_for(50ms);
    if (const uint64_t now = wake_ups_of(process); now != seen) {
      seen = now;
      since = steady_clock::now();
    } else if (steady_clock::now() - since >= rest) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("An agent that everybody has left does not wake up", "[idle]") {
  AttackedAgent agent;
  const AgentWatch watch(agent.id());
  {
    Attacker attacker(agent, watch);
    for (int i = 0; i < 100; ++i) {
      attacker.connect(agent.echo_socket());
      attacker.greet(agent.echo_socket()).open(kSay);
      RawClient& client = attacker.greet(agent.echo_socket());
      client.send_data(client.open(kSay), longshore::rpc::message_bytes(""), true);
      attacker.connect(agent.http_socket()).send("GET /status HTTP/1.1\r\nHost: l\r\n\r\n");
    }
    attacker.hold(200ms, true);
  }
  // Until then threads that have nothing to do end, memory goes back, and times that were set for
  // calls pass by.
  CHECK(comes_to_rest(agent.id(), 10s, 60s));
  CHECK(agent.stop() == 0);
}
