// Answers that nobody reads: on the socket, or for want of a window.
#include <chrono>
#include <functional>
#include <utility>

#include "tests/hostile_clients/attack.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/rpc/raw_peer.h"

namespace longshore::hostile_clients {
namespace {

using namespace std::chrono_literals;
using rpc::message_bytes;
using test::WireWriter;

constexpr uint32_t kLargestWindow = 0x7fffffff;
// What a connection may make the agent hold: answers that nobody has read, up to 1 MiB of them;
// what it may send before any of it is taken, its window; and its thousand calls.
constexpr size_t kUnsent = 1u << 20;
constexpr size_t kWindow = 1u << 20;
constexpr size_t kSlack = 2u << 20;
// Each of a module's streams may have one message besides, whatever the others leave unread. That
// is bounded by what a peer may make the agent hold, 16 MiB, which these connections share. Behind
// each of those there is another one: in the agent the module's own, which it has made and may not
// send yet; of a process what that has sent and the stream does not take yet.
constexpr size_t kOfModule = 2 * (16u << 20) / 2 + kSlack;
constexpr const char* kReflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

std::string symbol_request() {
  return message_bytes(WireWriter().text(4, "longshore.echo.v1.Echo").bytes());
}

// Requests on one stream as long as the server takes them; a window of 0 lets no answer out.
void ask_reflection(Attacker& attacker, uint32_t window) {
  std::string requests;
  for (int i = 0; i < 500; ++i) requests += symbol_request();
  for (int connection = 0; connection < 4; ++connection) {
    RawClient& client = attacker.greet(attacker.agent.echo_socket(), window);
    const uint32_t stream = client.open(kReflection);
    for (int round = 0; round < times(40) && !attacker.has_enough(); ++round) {
      if (!client.send_data(stream, requests)) break;
      if (window == 0) client.read();
    }
  }
  attacker.hold(500ms, window == 0);
}

struct Question {
  std::string socket;
  std::string path;
  std::string request;
  uint32_t window = kLargestWindow;
  int connections = 2;
};

// A call on each stream that may be; with a window of 0 the socket is read.
void ask_often(Attacker& attacker, const Question& question) {
  const std::string request = message_bytes(question.request);
  for (int connection = 0; connection < question.connections; ++connection) {
    RawClient& client = attacker.greet(question.socket, question.window);
    for (int stream = 0; stream < streams() && !client.closed() && !attacker.has_enough();
         ++stream) {
      const uint32_t id = client.open(question.path);
      if (!client.send_data(id, request, true)) break;
      if (question.window == 0) client.read();
    }
  }
  attacker.hold(500ms, question.window == 0);
}

// Percent-encoding makes three bytes of each.
void ask_for_long_errors(Attacker& attacker) {
  const std::string path = "/" + std::string(15000, '%') + "/x";
  for (int connection = 0; connection < 8; ++connection) {
    RawClient& client = attacker.greet(attacker.agent.echo_socket());
    for (int stream = 0; stream < streams() && !client.closed() && !attacker.has_enough();
         ++stream) {
      if (!client.send({})) break;
      client.open(path, true);
    }
  }
  attacker.hold(500ms, false);
}

Attack bounded(const std::string& name, std::function<void(Attacker&)> run, size_t slack = kSlack) {
  return {name, std::move(run), {}, {}, kUnsent + kWindow + slack};
}

// One call of each connection, so there is no slack for a thousand.
Attack on_reflection(const std::string& name, uint32_t window) {
  return bounded(
      name, [=](Attacker& attacker) { ask_reflection(attacker, window); }, 0);
}

Attack on_echo(const std::string& name, const std::string& method, const std::string& request,
               uint32_t window) {
  return bounded(name, [=](Attacker& attacker) {
    ask_often(attacker, {attacker.agent.echo_socket(), method, request, window});
  });
}

// Answers of the module's, and not of the agent's own.
Attack of_module(const std::string& name, const std::string& method, const std::string& request,
                 uint32_t window, const std::string& echo_module = {}) {
  Attack attack = on_echo(name, "/longshore.echo.v1.Echo/" + method, request, window);
  attack.echo_module = echo_module;
  attack.connection_bytes = kOfModule;
  return attack;
}

Attack on_control(const std::string& name, uint32_t window) {
  return bounded(name, [=](Attacker& attacker) {
    ask_often(attacker, {attacker.agent.control_socket(), kGetStatus, {}, window});
  });
}

}  // namespace

std::vector<Attack> answer_attacks() {
  const std::string count = WireWriter().number(1, 1'000'000).number(2, 65536);
  const std::string say = WireWriter().text(1, std::string(30000, 'x'));
  return {
      on_reflection("reflection, unread", kLargestWindow),
      on_reflection("reflection, no window", 0),
      on_echo("health checks, unread", "/grpc.health.v1.Health/Check", {}, kLargestWindow),
      on_echo("health checks, no window", "/grpc.health.v1.Health/Check", {}, 0),
      on_echo("health watches, unread", "/grpc.health.v1.Health/Watch", {}, kLargestWindow),
      of_module("streams, unread", "CountAsync", count, kLargestWindow),
      of_module("streams, no window", "CountAsync", count, 0),
      of_module("answers, unread", "Say", say, kLargestWindow),
      of_module("answers, no window", "Say", say, 0),
      of_module("streams of a process, unread", "CountAsync", count, kLargestWindow, kInProcess),
      of_module("streams of a process, no window", "CountAsync", count, 0, kInProcess),
      of_module("answers of a process, unread", "Say", say, kLargestWindow, kInProcess),
      bounded("errors with long texts, unread", ask_for_long_errors),
      on_control("status on the control socket, unread", kLargestWindow),
      on_control("status on the control socket, no window", 0),
  };
}

}  // namespace longshore::hostile_clients
