// Calls and answers in frames that cost only the server.
#include <chrono>

#include "tests/hostile_clients/attack.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/rpc/raw_peer.h"

namespace longshore::hostile_clients {
namespace {

using namespace std::chrono_literals;
using rpc::frame_bytes;
using rpc::FrameType;
using rpc::number_bytes;

constexpr int kHeapOfConnections = 100;
constexpr size_t kMaxModuleBytes = 64u << 20;

// The server itself has to reset each stream, whose call goes on: no reset of the client's is
// counted.
void have_streams_reset(Attacker& attacker) {
  const std::string request = rpc::message_bytes(test::WireWriter().number(1, 60000).bytes());
  const std::string too_wide = number_bytes(0x7fffffff, 4);
  for (int connection = 0; connection < 2; ++connection) {
    RawClient& client = attacker.greet(attacker.agent.echo_socket());
    for (int i = 0; i < times(2000) && !client.closed(); ++i) {
      const uint32_t stream = client.open("/longshore.echo.v1.Echo/Wait");
      client.send_data(stream, request, true);
      client.send(frame_bytes(FrameType::kWindowUpdate, 0, stream, too_wide));
      client.read();
    }
  }
  attacker.hold(300ms, true);
}

// Calls that a module has begun, all given up at once: what the agent tells the module's process of
// them goes through a pipe. Only "echo" has calls that wait.
void give_calls_up(Attacker& attacker) {
  const std::vector<ProcessId> children = children_of(attacker.agent.id());
  const size_t before = children.empty() ? 0 : own_bytes(children[0]);
  const std::string request = rpc::message_bytes(test::WireWriter().number(1, 60000).bytes());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(times(1000));
  while (std::chrono::steady_clock::now() < end && !attacker.has_enough()) {
    attacker.disconnect_all();
    RawClient& client = attacker.greet(attacker.agent.echo_socket());
    for (int i = 0; i < 500 && !client.closed(); ++i) {
      client.send_data(client.open("/longshore.echo.v1.Echo/Wait"), request, true);
    }
    client.read();
  }
  attacker.disconnect_all();
  attacker.expect(children_of(attacker.agent.id()) == children, "the module's process has ended");
  if (children.empty() || !kMemoryComesBack) return;
  attacker.expect(own_bytes(children[0]) < before + kMaxModuleBytes,
                  "the module's process has become large");
}

// Answers that may be sent one byte at a time.
void take_answers_by_bytes(Attacker& attacker) {
  const std::string request =
      rpc::message_bytes(test::WireWriter().text(1, std::string(30000, 'x')).bytes());
  for (int connection = 0; connection < 4; ++connection) {
    RawClient& client = attacker.greet(attacker.socket(), 0);
    std::string bytes;
    for (int i = 0; i < 100; ++i) {
      const uint32_t stream = client.open(attacker.method());
      client.send_data(stream, request, true);
      bytes += frame_bytes(FrameType::kWindowUpdate, 0, stream, number_bytes(1, 4));
    }
    for (int i = 0; i < times(200) && !client.closed(); ++i) {
      client.send(bytes);
      client.read();
    }
  }
}

// A window that opens and shuts while answers wait for it.
void change_windows(Attacker& attacker) {
  const auto settings = [](uint32_t window) {
    return frame_bytes(FrameType::kSettings, 0, 0, number_bytes(4, 2) + number_bytes(window, 4));
  };
  const std::string changes = many(settings(0x7fffffff) + settings(0), 5);
  const std::string request =
      rpc::message_bytes(test::WireWriter().text(1, std::string(30000, 'x')).bytes());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(times(1000));
  while (std::chrono::steady_clock::now() < end && !attacker.has_enough()) {
    attacker.disconnect_all();
    RawClient& client = attacker.greet(attacker.socket(), 0);
    for (int i = 0; i < 200; ++i) client.send_data(client.open(attacker.method()), request, true);
    for (int i = 0; i < 4 && !client.closed(); ++i) {
      client.send(changes);
      client.read();
    }
  }
}

// A message, each byte in a frame of its own.
void send_bytes_in_frames(Attacker& attacker) {
  const std::string message = rpc::message_bytes(std::string(60000, 'x'));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(times(1000));
  while (std::chrono::steady_clock::now() < end && !attacker.has_enough()) {
    RawClient& client = attacker.greet(attacker.socket());
    for (uint32_t stream = 1; stream < 64 && !client.closed(); stream += 2) {
      client.open(attacker.method());
      std::string frames;
      for (const char byte : message.substr(0, 10000)) {
        frames += frame_bytes(FrameType::kData, 0, stream, {&byte, 1});
      }
      client.send(frames);
      client.read();
    }
    if (attacker.clients.size() == 8) attacker.disconnect_all();
  }
}

// Heads that are a few bytes each, since their fields are in the compression table: one read of the
// server's brings hundreds of calls. On many connections at once.
void call_in_few_bytes(Attacker& attacker) {
  const rpc::RawFields fields = rpc::RawPeer::request_fields(attacker.method());
  std::string first;
  std::string again;
  for (const auto& [name, value] : fields) {
    // To be remembered, and then meant by the number that it has after all of them.
    first += '\x40' + std::string(1, static_cast<char>(name.size())) + name +
             std::string(1, static_cast<char>(value.size())) + value;
    again += static_cast<char>(0x80 + 62 + fields.size() - 1 - again.size());
  }
  const std::string nothing = rpc::message_bytes("");
  for (int i = 0; i < kHeapOfConnections; ++i) attacker.greet(attacker.socket());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(times(1000));
  for (uint32_t stream = 1; std::chrono::steady_clock::now() < end && !attacker.has_enough();) {
    std::string calls;
    for (int i = 0; i < 500; ++i, stream += 2) {
      calls +=
          frame_bytes(FrameType::kHeaders, rpc::kEndHeaders, stream, stream == 1 ? first : again);
      calls += frame_bytes(FrameType::kData, rpc::kEndStream, stream, nothing);
    }
    for (const auto& client : attacker.clients) client->send(calls);
    for (const auto& client : attacker.clients) {
      while (client->ended_streams() < stream / 2 && !client->closed() &&
             std::chrono::steady_clock::now() < end) {
        client->hears(client->heard() + 1, 10);
      }
    }
  }
}

}  // namespace

std::vector<Attack> call_attacks() {
  return {
      {"answers taken byte by byte", take_answers_by_bytes},
      {"windows that open and shut", change_windows},
      {"messages byte by byte", send_bytes_in_frames},
      {"calls in a few bytes each", call_in_few_bytes},
  };
}

std::vector<Attack> waiting_call_attacks() {
  return {
      {"streams that the server resets", have_streams_reset},
      {"calls given up", give_calls_up},
      {"calls given up, module's process", give_calls_up, {}, kInProcess},
  };
}

std::vector<Attack> control_attacks() {
  std::vector<Attack> attacks = frame_attacks();
  for (Attack& attack : call_attacks()) attacks.push_back(std::move(attack));
  for (Attack& attack : attacks) {
    attack.name += ", control";
    attack.on_control = true;
  }
  return attacks;
}

}  // namespace longshore::hostile_clients
