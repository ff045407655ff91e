// Clients of HTTP's that do not read, do not end what they begin, or do not speak it.
#include <chrono>
#include <functional>
#include <utility>

#include "tests/hostile_clients/attack.h"
#include "tests/unit/rpc/raw_peer.h"

namespace longshore::hostile_clients {
namespace {

using namespace std::chrono_literals;
using rpc::frame_bytes;
using rpc::FrameType;

constexpr int kHttpConnections = 32;
// All of them may leave 8 MiB unread; a page is made before it is counted.
constexpr size_t kBytesOfConnection = (8u << 20) / kHttpConnections + (128u << 10);

std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

// Whether somebody who comes now is answered.
bool page_is_had(Attacker& attacker) {
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < end) {
    RawClient client(attacker.agent.http_socket(), attacker.traffic);
    client.send(get("/healthz"));
    if (client.hears(12, 1000)) return true;
  }
  return false;
}

// As many connections as HTTP has, each with many requests and nobody who reads the answers.
void read_no_pages(Attacker& attacker, const std::string& path) {
  const std::string requests = many(get(path), 200);
  for (int i = 0; i < kHttpConnections; ++i)
    attacker.connect(attacker.agent.http_socket()).send(requests);
  attacker.hold(300ms, false);
  attacker.expect(page_is_had(attacker), "slow readers keep others from HTTP");
}

void hold_http(Attacker& attacker, const std::string& bytes) {
  for (int i = 0; i < kHttpConnections; ++i)
    attacker.connect(attacker.agent.http_socket()).send(bytes);
  attacker.hold(300ms, false);
  attacker.expect(page_is_had(attacker), "silent clients keep others from HTTP");
}

// A request that does not end, for a page or to a page.
void send_pages_without_end(Attacker& attacker, const std::string& begin, const std::string& more) {
  for (int i = 0; i < 20; ++i) attacker.connect(attacker.agent.http_socket()).send(begin);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(times(1000));
  while (std::chrono::steady_clock::now() < end && !attacker.has_enough()) {
    for (const auto& client : attacker.clients) {
      client->send(more);
      client->read();
    }
    attacker.hold(1ms, true);
  }
  attacker.expect(page_is_had(attacker), "requests without an end keep others from HTTP");
}

// The other protocol: what follows its greeting is not read as one request after the other.
void speak_http2(Attacker& attacker) {
  const std::string bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" +
                            frame_bytes(FrameType::kSettings, 0, 0, {}) +
                            many(frame_bytes(FrameType::kPing, 0, 0, std::string(8, 'x')), 1000);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(times(1000));
  while (std::chrono::steady_clock::now() < end) {
    RawClient& client = attacker.connect(attacker.agent.http_socket());
    client.send(bytes);
    attacker.expect(client.closes_within(60000), "HTTP goes on with who speaks HTTP/2");
    attacker.disconnect_all();
  }
  attacker.expect(page_is_had(attacker), "who speaks HTTP/2 keeps others from HTTP");
}

// The server's answers to many requests, taken as they come.
void ask_without_pause(Attacker& attacker) {
  const std::string requests = many(get("/healthz"), 200);
  RawClient& client = attacker.connect(attacker.agent.http_socket());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(times(1000));
  while (std::chrono::steady_clock::now() < end && !client.closed()) {
    client.send(requests);
    client.read();
  }
  attacker.expect(page_is_had(attacker), "one who asks without a pause keeps others from HTTP");
}

Attack bounded_page(const std::string& name, std::function<void(Attacker&)> run) {
  return {name, std::move(run), {}, {}, kBytesOfConnection};
}

}  // namespace

std::vector<Attack> http_attacks() {
  return {
      bounded_page("HTTP metrics, unread", [](Attacker& a) { read_no_pages(a, "/metrics"); }),
      bounded_page("HTTP status, unread", [](Attacker& a) { read_no_pages(a, "/status"); }),
      {"HTTP, silent clients", [](Attacker& a) { hold_http(a, {}); }},
      {"HTTP, half a head", [](Attacker& a) { hold_http(a, "GET / HTTP/1.1\r\nHost: l"); }},
      {"HTTP, a head without an end",
       [](Attacker& a) {
         send_pages_without_end(a, "GET / HTTP/1.1\r\n",
                                "X-Filler: " + std::string(4000, 'x') + "\r\n");
       }},
      {"HTTP, a body without an end",
       [](Attacker& a) {
         send_pages_without_end(a,
                                "POST /metrics HTTP/1.1\r\nHost: l\r\n"
                                "Content-Length: 10000000000\r\n\r\n",
                                std::string(60000, 'x'));
       }},
      {"HTTP, many chunks",
       [](Attacker& a) {
         std::string chunks;
         for (int i = 0; i < 5000; ++i) chunks += "1\r\nx\r\n";
         send_pages_without_end(a,
                                "POST /metrics HTTP/1.1\r\nHost: l\r\n"
                                "Transfer-Encoding: chunked\r\n\r\n",
                                chunks);
       }},
      {"HTTP, requests without a pause", ask_without_pause},
      {"HTTP, frames of HTTP/2", speak_http2},
      needing(Need::kDescriptors,
              {"HTTP, descriptors sent along",
               [](Attacker& a) { send_descriptors(a, a.agent.http_socket()); }}),
  };
}

}  // namespace longshore::hostile_clients
