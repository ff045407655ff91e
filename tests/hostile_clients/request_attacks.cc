// Requests that are begun, and never ended or never waited for: what they make the agent hold.
#include <chrono>

#include "tests/hostile_clients/attack.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/rpc/raw_peer.h"

namespace longshore::hostile_clients {
namespace {

using namespace std::chrono_literals;
using rpc::message_bytes;
using test::WireWriter;

constexpr int kPatience = 300;  // milliseconds, for a window to open

const std::string kOnlyOwnerMayCall = std::string(kOpenToAll) + "permissions.owner = {users = [\"" +
                                      kOwner + "\"], methods = [\"*\"]}\n";

struct Flood {
  std::string path = kSay;
  std::string bytes = {};  // of each stream's body
  bool ends = false;       // half closed
  int connections = 1;
  std::optional<unsigned> user = {};
  // Sends no more than the server lets it: who does not is sent away, and holds nothing any more.
  bool obeys_window = true;
};

// Then they stay for a while.
void flood(Attacker& attacker, const std::string& socket, const Flood& flood) {
  for (int number = 0; number < flood.connections && !attacker.has_enough(); ++number) {
    RawClient& client = attacker.greet(socket, 65535, flood.user);
    for (int stream = 0; stream < streams() && !client.closed() && !attacker.has_enough();
         ++stream) {
      if (flood.obeys_window && !client.may_send(flood.bytes.size(), kPatience)) break;
      const uint32_t id = client.open(flood.path, flood.ends && flood.bytes.empty());
      // A server that takes no more is left alone with what it has.
      if (!flood.bytes.empty() && !client.send_data(id, flood.bytes, flood.ends)) break;
      client.read();
    }
  }
  attacker.hold(500ms, true);
}

Attack on_echo(const std::string& name, Flood what, const std::string& configuration = {}) {
  return {name, [what](Attacker& attacker) { flood(attacker, attacker.agent.echo_socket(), what); },
          configuration};
}

Attack told(Attack attack) {
  attack.is_told = true;
  return attack;
}

// Calls that were whole and wait for their turn, or for a module's process that reads nothing.
void fill_stopped_process(Attacker& attacker) {
  const std::vector<ProcessId> children = children_of(attacker.agent.id());
  attacker.expect(!children.empty(), "there is no process of the module");
  for (const ProcessId child : children) suspend(child);
  const std::string request = WireWriter().text(1, std::string(60000, 'x'));
  flood(attacker, attacker.agent.echo_socket(),
        {.bytes = message_bytes(request), .ends = true, .connections = 8});
  attacker.disconnect_all();
  for (const ProcessId child : children) resume(child);
}

// A head is enough for the deadline to run.
void leave_heads(Attacker& attacker) {
  RawClient& client = attacker.greet(attacker.agent.echo_socket());
  for (int stream = 0; stream < 100; ++stream) client.open(kSay);
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (client.ended_streams() < 100 && std::chrono::steady_clock::now() < end) {
    attacker.hold(10ms, true);
  }
  attacker.expect(client.ended_streams() == 100, "calls that are heads only have no deadline");
}

// Whoever sends a little again and again has no more time than others.
void drip(Attacker& attacker) {
  RawClient& client = attacker.greet(attacker.agent.echo_socket());
  const std::string message = message_bytes(std::string(60000, 'x'));
  for (int stream = 0; stream < 100; ++stream) client.open(kSay);
  const auto end = std::chrono::steady_clock::now() + 20s;
  for (size_t at = 0; client.ended_streams() < 100 && std::chrono::steady_clock::now() < end;
       ++at) {
    for (uint32_t stream = 1; stream < 200; stream += 2) {
      client.send_data(stream, message.substr(at % message.size(), 1));
    }
    attacker.hold(20ms, true);
  }
  attacker.expect(client.ended_streams() == 100, "calls that come by bytes have no deadline");
}

// Each comma is one more value, which is kept with the whole key.
void send_many_values(Attacker& attacker) {
  for (int connection = 0; connection < 16 && !attacker.has_enough(); ++connection) {
    RawClient& client = attacker.greet(attacker.agent.echo_socket());
    client.open_with(kSay, {{std::string(8000, 'k') + "-bin", std::string(8000, ',')}}, true);
  }
  attacker.hold(500ms, true);
}

}  // namespace

std::vector<Attack> request_attacks() {
  const std::string small = message_bytes("");
  std::string many_messages;
  for (int i = 0; i < 10000; ++i) many_messages += small;
  const std::string part = message_bytes(std::string(60000, 'x')).substr(0, 50000);
  const std::string large = message_bytes(WireWriter().text(1, std::string(60000, 'x')).bytes());
  const std::string waits =
      message_bytes(WireWriter().number(1, 60000).text(3, std::string(60000, 'x')).bytes());
  return {
      on_echo("messages of who may call nothing",
              {.bytes = large, .connections = 4, .user = kNobody}, kOnlyOwnerMayCall),
      told(on_echo("whole messages left open", {.bytes = large, .connections = 4})),
      on_echo("more than the window lets through",
              {.bytes = large, .connections = 4, .obeys_window = false}),
      on_echo("parts of messages", {.bytes = part, .connections = 4}),
      on_echo("heads alone", {.connections = 16}),
      {"heads with a key of many values", send_many_values},
      on_echo(
          "calls that wait for their turn",
          {.path = "/longshore.echo.v1.Echo/Wait", .bytes = waits, .ends = true, .connections = 4}),
      on_echo("many small messages in a call", {.bytes = many_messages}),
      on_echo("messages for unknown methods",
              {.path = "/longshore.echo.v1.Echo/None", .bytes = large, .connections = 4}),
      on_echo("health checks left open",
              {.path = "/grpc.health.v1.Health/Check", .bytes = large, .connections = 4}),
      {.name = "messages on the control socket",
       .run =
           [large](Attacker& attacker) {
             flood(
                 attacker, attacker.agent.control_socket(),
                 {.path = "/longshore.admin.v1.Admin/GetStatus", .bytes = large, .connections = 4});
           },
       .on_control = true},
      {"a module's process that reads nothing", fill_stopped_process, {}, kInProcess},
      {"heads without an end", leave_heads, {}, "call_timeout = \"1s\"\n"},
      {"requests byte by byte", drip, {}, "call_timeout = \"1s\"\n"},
  };
}

}  // namespace longshore::hostile_clients
