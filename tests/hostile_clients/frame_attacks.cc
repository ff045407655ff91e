// Frames that cost only the server.
#include <algorithm>
#include <chrono>

#include "tests/hostile_clients/attack.h"
#include "tests/unit/rpc/raw_peer.h"

namespace longshore::hostile_clients {
namespace {

using namespace std::chrono_literals;
using rpc::frame_bytes;
using rpc::FrameType;
using rpc::number_bytes;

constexpr uint32_t kCancel = 8;

// The same bytes again and again, on a new connection whenever the server has ended one.
void repeat(Attacker& attacker, const std::string& bytes, bool reads = true) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(times(1000));
  RawClient* client = nullptr;
  while (std::chrono::steady_clock::now() < end && !attacker.has_enough()) {
    if (client == nullptr || client->closed()) {
      attacker.disconnect_all();
      client = &attacker.greet(attacker.socket());
      client->open(attacker.method());
    }
    client->send(bytes);
    if (reads) client->read();
  }
}

Attack flood(const std::string& name, const std::string& frame, bool reads = true) {
  return {name, [=](Attacker& attacker) { repeat(attacker, many(frame, 1000), reads); }};
}

// A hundred streams in each write: one by one, a slow client stays within the rate that is allowed.
void reset_rapidly(Attacker& attacker) {
  const std::string block = rpc::block_bytes(rpc::RawPeer::request_fields(attacker.method()));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(times(1000));
  while (std::chrono::steady_clock::now() < end) {
    attacker.disconnect_all();
    RawClient& client = attacker.greet(attacker.socket());
    for (uint32_t stream = 1; stream < 10'000 && !client.closed();) {
      std::string burst;
      for (const uint32_t next = stream + 200; stream < next; stream += 2) {
        burst += frame_bytes(FrameType::kHeaders, rpc::kEndHeaders, stream, block) +
                 frame_bytes(FrameType::kReset, 0, stream, number_bytes(kCancel, 4));
      }
      client.send(burst);
    }
    attacker.expect(client.closes_within(60000), "rapid resets do not end the connection");
  }
}

// Heads of the largest size that a call may have, on all streams.
void send_large_heads(Attacker& attacker) {
  rpc::RawFields more = {{"x-filler", std::string(12000, 'x')}};
  const std::string block = rpc::block_bytes(rpc::RawPeer::request_fields(attacker.method(), more));
  for (int connection = 0; connection < 8; ++connection) {
    RawClient& client = attacker.greet(attacker.socket());
    for (uint32_t stream = 1; stream < 2048 && !client.closed(); stream += 2) {
      client.send(frame_bytes(FrameType::kHeaders, rpc::kEndHeaders, stream, block));
      client.read();
    }
  }
  attacker.hold(500ms, true);
}

void open_heads_without_end(Attacker& attacker) {
  const std::string block = rpc::block_bytes(rpc::RawPeer::request_fields(attacker.method()));
  const std::string more = rpc::block_bytes({{"x", std::string(8000, 'x')}});
  for (int connection = 0; connection < 100; ++connection) {
    RawClient& client = attacker.greet(attacker.socket());
    client.send(frame_bytes(FrameType::kHeaders, 0, 1, block));
    for (int i = 0; i < 100 && !client.closed(); ++i) {
      client.send(frame_bytes(FrameType::kContinuation, 0, 1, more));
      client.read();
    }
  }
}

// Empty CONTINUATION frames: the head's size never grows.
void continue_with_nothing(Attacker& attacker) {
  const std::string block = rpc::block_bytes(rpc::RawPeer::request_fields(attacker.method()));
  const std::string nothing = many(frame_bytes(FrameType::kContinuation, 0, 1, {}), 1000);
  for (int connection = 0; connection < 20; ++connection) {
    RawClient& client = attacker.greet(attacker.socket());
    client.send(frame_bytes(FrameType::kHeaders, 0, 1, block));
    for (int i = 0; i < times(20) && !client.closed(); ++i) {
      client.send(nothing);
      client.read();
    }
  }
}

// One long field that the server is to remember, and then one byte for each time it is meant again.
void repeat_fields_by_number(Attacker& attacker) {
  std::string block = rpc::block_bytes(rpc::RawPeer::request_fields(attacker.method()));
  block += std::string("\x40\x01x\x7f\xa1\x1e", 6) + std::string(4000, 'x');
  block += std::string(10000, '\xbe');
  for (int connection = 0; connection < 8; ++connection) {
    RawClient& client = attacker.greet(attacker.socket());
    for (uint32_t stream = 1; stream < 400 && !client.closed(); stream += 2) {
      client.send(frame_bytes(FrameType::kHeaders, rpc::kEndHeaders, stream, block));
      client.read();
    }
  }
  attacker.hold(500ms, true);
}

// Whoever waits for the rest of them waits for these clients alone.
void stop_within_frames(Attacker& attacker) {
  const std::string block = rpc::block_bytes(rpc::RawPeer::request_fields(attacker.method()));
  const std::string head = frame_bytes(FrameType::kHeaders, rpc::kEndHeaders, 1, block);
  const std::string data = frame_bytes(FrameType::kData, 0, 1, std::string(1000, 'x'));
  for (int i = 0; i < 20; ++i) {
    attacker.greet(attacker.socket()).send(head.substr(0, head.size() / 2));
    attacker.greet(attacker.socket()).send(head + data.substr(0, data.size() / 2));
    attacker.greet(attacker.socket()).send(frame_bytes(FrameType::kHeaders, 0, 1, block));
  }
  attacker.hold(200ms, true);
}

}  // namespace

void send_descriptors(Attacker& attacker, const std::string& socket) {
  const size_t before = open_handles(attacker.agent.id());
  size_t most = before;
  for (int i = 0; i < times(50); ++i) {
    RawClient& client = attacker.connect(socket);
    client.send_with_descriptors("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 100);
    client.greet_settings();
    client.hears(kGreetingBytes, 1000);
    most = std::max(most, open_handles(attacker.agent.id()));
    if (attacker.clients.size() == 10) attacker.disconnect_all();
  }
  attacker.expect(most < before + 50, "descriptors of clients come into the agent");
}

std::vector<Attack> frame_attacks() {
  const std::string settings_ack = frame_bytes(FrameType::kSettings, rpc::kAck, 0, {});
  const std::string idle_setting = number_bytes(4, 2) + number_bytes(0, 4);
  return {
      {"rapid reset", reset_rapidly},
      flood("PING", frame_bytes(FrameType::kPing, 0, 0, std::string(8, 'x'))),
      flood("PING, unread", frame_bytes(FrameType::kPing, 0, 0, std::string(8, 'x')), false),
      flood("SETTINGS", frame_bytes(FrameType::kSettings, 0, 0, idle_setting)),
      flood("empty DATA", frame_bytes(FrameType::kData, 0, 1, {})),
      flood("PRIORITY", frame_bytes(FrameType::kPriority, 0, 1, std::string(5, '\1'))),
      flood("WINDOW_UPDATE", frame_bytes(FrameType::kWindowUpdate, 0, 0, number_bytes(1, 4))),
      flood("answers to no SETTINGS", settings_ack),
      flood("GOAWAY", frame_bytes(FrameType::kGoaway, 0, 0, number_bytes(0, 8))),
      flood("frames of no known type", frame_bytes(static_cast<FrameType>(0xbb), 0, 1, "unknown")),
      {"large heads", send_large_heads},
      {"heads that go on and on", open_heads_without_end},
      {"heads that go on with nothing", continue_with_nothing},
      {"fields repeated by number", repeat_fields_by_number},
      {"frames that stop in their midst", stop_within_frames},
      needing(Need::kDescriptors,
              {"descriptors sent along", [](Attacker& a) { send_descriptors(a, a.socket()); }}),
  };
}

}  // namespace longshore::hostile_clients
