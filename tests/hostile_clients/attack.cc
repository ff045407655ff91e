#include "tests/hostile_clients/attack.h"

#include <thread>

namespace longshore::hostile_clients {
namespace {

constexpr size_t kEnoughBytes = 256u << 20;
constexpr int kServerSpeaksMilliseconds = 10000;
constexpr int kMostStreams = 1024;

}  // namespace

RawClient& Attacker::connect(const std::string& socket, std::optional<unsigned> user) {
  return *clients.emplace_back(std::make_unique<RawClient>(socket, traffic, user));
}

RawClient& Attacker::greet(const std::string& socket, uint32_t window,
                           std::optional<unsigned> user) {
  RawClient& client = connect(socket, user);
  client.greet(window);
  client.hears(kGreetingBytes, kServerSpeaksMilliseconds);
  return client;
}

void Attacker::hold(std::chrono::milliseconds time, bool reads) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end && !has_enough()) {
    for (const auto& client : clients) {
      if (reads) client->read();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

bool Attacker::has_enough() const { return watch.growth_bytes() > kEnoughBytes; }

std::string Attacker::socket() const {
  return on_control ? agent.control_socket() : agent.echo_socket();
}

const char* Attacker::method() const { return on_control ? kGetStatus : kSay; }

void Attacker::expect(bool is_so, const std::string& fault) {
  if (!is_so) faults.push_back(fault);
}

Attack needing(Need need, Attack attack) {
  attack.needs = need;
  return attack;
}

std::string many(const std::string& frame, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += frame;
  return bytes;
}

int times(int plain) {
  if (is_long()) return 10 * plain;
  return kMemoryComesBack ? plain : (plain + 3) / 4;
}

int streams() {
  if (is_long()) return kMostStreams;
  return test::kMemoryTellsLeaks || test::is_thorough() ? kPlainStreams : kPlainStreams / 4;
}

}  // namespace longshore::hostile_clients
