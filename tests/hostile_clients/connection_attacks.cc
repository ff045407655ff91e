// Connections that come and go, say nothing, or are held; and failing calls, which are logged.
#include <algorithm>
#include <chrono>

#include "tests/hostile_clients/attack.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/rpc/raw_peer.h"

namespace longshore::hostile_clients {
namespace {

using namespace std::chrono_literals;
using rpc::FrameType;
using rpc::message_bytes;

// So many have once left 166 MiB behind.
constexpr int kComeAndGo = 8700;
// So many have once written 161 MB of log in six seconds. The plain run has a twentieth, which is
// over in a second and would have written 8 MB, thirty times what is allowed.
constexpr int kFailing = 200'000;
constexpr int kFailingInPlainRun = 10'000;

void come_and_go(Attacker& attacker, bool with_call) {
  for (int i = 0; i < times(kComeAndGo); ++i) {
    RawClient& client = attacker.connect(attacker.agent.echo_socket());
    if (with_call) {
      client.greet();
      client.send_data(client.open(kSay), message_bytes(""), true);
      client.hears(60, 1000);
    }
    // In heaps, so that many are open at once.
    if (attacker.clients.size() == 200) attacker.disconnect_all();
  }
}

// Those who do not begin to speak HTTP/2 are sent away: who says nothing, half a preface, or no
// SETTINGS.
void say_hardly_anything(Attacker& attacker) {
  for (const char* const bytes : {"", "PRI * HTT", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}) {
    for (int i = 0; i < 70; ++i) attacker.connect(attacker.agent.echo_socket()).send(bytes);
  }
  const auto end = std::chrono::steady_clock::now() + 25s;
  const auto all_closed = [&] {
    return std::all_of(attacker.clients.begin(), attacker.clients.end(),
                       [](const auto& client) { return client->closed(); });
  };
  while (!all_closed() && std::chrono::steady_clock::now() < end) attacker.hold(50ms, true);
  attacker.expect(all_closed(), "clients that say nothing stay");
}

// A byte now and then is not enough either.
void say_preface_by_bytes(Attacker& attacker) {
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) attacker.connect(attacker.agent.echo_socket());
  const auto all_closed = [&] {
    return std::all_of(attacker.clients.begin(), attacker.clients.end(),
                       [](const auto& client) { return client->closed(); });
  };
  for (size_t i = 0; !all_closed() && std::chrono::steady_clock::now() - begin < 25s; ++i) {
    // Half of it, and then nothing: it would be whole before the time is over.
    if (i < preface.size() / 2) {
      for (const auto& client : attacker.clients) client->send(preface.substr(i, 1));
    }
    attacker.hold(500ms, true);
  }
  attacker.expect(all_closed(), "clients that begin slowly stay");
}

// Whether somebody who comes now is greeted.
bool is_let_in(Attacker& attacker, const std::string& socket, std::optional<unsigned> user = {}) {
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (std::chrono::steady_clock::now() < end) {
    RawClient client(socket, attacker.traffic, user);
    client.greet();
    if (client.hears(kGreetingBytes, 500)) return true;
  }
  return false;
}

// As many connections as one user may have and more; all of them greet and are silent from then on.
void hold_connections(Attacker& attacker, std::optional<unsigned> user) {
  for (int i = 0; i < 600; ++i) {
    attacker.connect(attacker.agent.echo_socket(), user).greet();
  }
  attacker.expect(is_let_in(attacker, attacker.agent.echo_socket(), 1),
                  "another user is not let in while one holds the connections");
  attacker.expect(is_let_in(attacker, attacker.agent.control_socket()),
                  "the control socket lets nobody in while clients hold another socket");
}

// Who answers PINGs keeps a place for as long as the same user wants none for a new connection, and
// those who do not answer lose theirs where others want one.
void answer_pings_only(Attacker& attacker) {
  constexpr size_t kPlaces = 256;  // of one user
  constexpr size_t kSilent = 64;
  for (size_t i = 0; i < kPlaces; ++i) {
    RawClient& client = attacker.greet(attacker.agent.echo_socket(), 65535, kNobody);
    if (i >= kSilent) client.answer_pings();
  }
  const auto closed = [&](size_t from, size_t to) {
    return std::count_if(attacker.clients.begin() + static_cast<std::ptrdiff_t>(from),
                         attacker.clients.begin() + static_cast<std::ptrdiff_t>(to),
                         [](const auto& client) { return client->closed(); });
  };
  const auto end = std::chrono::steady_clock::now() + 50s;
  while (closed(0, kSilent) < static_cast<std::ptrdiff_t>(kSilent) &&
         std::chrono::steady_clock::now() < end) {
    attacker.hold(50ms, true);
    attacker.expect(is_let_in(attacker, attacker.agent.echo_socket(), 1),
                    "another user is not let in while one holds the connections");
  }
  attacker.expect(closed(0, kSilent) == kSilent, "who does not answer PINGs stays");
  attacker.expect(closed(kSilent, kPlaces) == 0, "who answers PINGs is sent away");
}

// One call after the other that fails, each another way if `names` are many.
void fail_often(Attacker& attacker, std::optional<unsigned> user, const std::string& path,
                bool new_names, const std::string& request) {
  const int calls = is_long() ? kFailing : times(kFailingInPlainRun);
  RawClient* client = nullptr;
  for (int i = 0; i < calls; ++i) {
    if (client == nullptr || client->closed()) {
      attacker.disconnect_all();
      client = &attacker.greet(attacker.agent.echo_socket(), 65535, user);
    }
    const uint32_t stream = client->open(new_names ? path + std::to_string(i) : path);
    client->send_data(stream, message_bytes(request), true);
    if (i % 200 == 199) {
      // No more streams at once than there may be.
      const auto end = std::chrono::steady_clock::now() + 5s;
      while (client->ended_streams() < stream / 2 && !client->closed() &&
             std::chrono::steady_clock::now() < end) {
        client->hears(client->heard() + 1, 10);
      }
    }
  }
}

Attack failing(const std::string& name, const std::string& path, bool new_names,
               const std::string& request, const std::string& configuration = {},
               std::optional<unsigned> user = {}) {
  return {name, [=](Attacker& attacker) { fail_often(attacker, user, path, new_names, request); },
          configuration};
}

}  // namespace

std::vector<Attack> connection_attacks() {
  const std::string fail = test::WireWriter().number(1, 13).text(2, std::string(1000, 'x'));
  const std::string owner = "[\"" + std::string(kOwner) + "\"]";
  const std::string only_owner = "permissions.owner = {users = " + owner + ", methods = [\"*\"]}\n";
  return {
      {"connections come and go", [](Attacker& a) { come_and_go(a, false); }},
      {"connections come, call and go", [](Attacker& a) { come_and_go(a, true); }},
      {"no preface, half of it, no SETTINGS", say_hardly_anything},
      {"a preface byte by byte", say_preface_by_bytes},
      needing(Need::kUsers, {"connections held by one user",
                             [](Attacker& a) { hold_connections(a, kNobody); }, kOpenToAll}),
      needing(Need::kUsers, {"connections that only answer PING", answer_pings_only, kOpenToAll}),
      failing("failing calls", "/longshore.echo.v1.Echo/Fail", false, fail),
      failing("requests that are no message", kSay, false, "\xff\xff\xff"),
      failing("calls that are not allowed", kSay, false, {}, kOpenToAll + only_owner, kNobody),
      failing("calls of methods made up", "/longshore.echo.v1.Echo/No", true, {}),
      failing("calls of services made up", "/made.up/No", true, {}),
      {"refused connections",
       [](Attacker& attacker) {
         for (int i = 0; i < times(2000); ++i) {
           attacker.connect(attacker.agent.echo_socket(), kNobody);
           if (attacker.clients.size() == 100) attacker.disconnect_all();
         }
       },
       kOpenToAll + ("allow_users = " + owner + "\n")},
  };
}

}  // namespace longshore::hostile_clients
