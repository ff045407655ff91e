// Any bytes as what a peer says to a server or to a client of ours.
//
// The first byte decides which, whether the peer greets properly first, and how small the portions
// are; the rest is what it says.
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/unit/rpc/raw_peer.h"
#include "tests/unit/rpc/test_service.h"

namespace longshore::rpc {
namespace {

constexpr uint8_t kClientRole = 1;
constexpr uint8_t kGreets = 2;
constexpr uint8_t kSmallPortions = 4;
constexpr uint8_t kAnswers = 8;

Limits small_limits() {
  Limits limits;
  limits.max_message_bytes = 4096;
  limits.max_header_bytes = 2048;
  limits.max_buffered_bytes = 16384;
  limits.stream_window_bytes = 4096;
  limits.max_concurrent_streams = 8;
  return limits;
}

// Answers what waits, in ways that differ from call to call.
void answer_calls(TestService& service) {
  for (size_t i = 0; i < service.calls.size(); ++i) {
    ServerStream& stream = *service.calls[i]->stream;
    if (i % 3 == 0) stream.send(std::string(i * 1000, 'x'));
    if (i % 3 != 1) stream.finish(StatusCode::kAborted, "enough", {{"x-bin", "bytes"}});
    if (i % 3 == 1) stream.send_and_finish("answer");
  }
}

void be_a_server(uint8_t choice, const std::string& bytes) {
  boost::asio::io_context context{1};
  MemoryLink link{context};
  TestService service;
  const auto server = make_server_connection(link.make_server(), service, small_limits());
  server->start([](const std::string&) {});
  RawPeer peer(link, RawPeer::Role::kClient);
  if ((choice & kGreets) != 0) peer.greet();
  if ((choice & kSmallPortions) != 0) link.to_server().portion = 7;
  peer.send(bytes);
  peer.receive();
  if ((choice & kAnswers) != 0) answer_calls(service);
  peer.receive();
  server->drain();
  peer.receive();
  server->close();
  link.run();
}

void be_a_client(uint8_t choice, const std::string& bytes) {
  boost::asio::io_context context{1};
  MemoryLink link{context};
  const auto client = make_client_connection(link.make_client(), "localhost", small_limits());
  client->start([](const std::string&) {});
  RawPeer peer(link, RawPeer::Role::kServer);
  if ((choice & kGreets) != 0) peer.greet();
  if ((choice & kSmallPortions) != 0) link.to_client().portion = 7;
  ClientCallOptions options;
  options.path = "/t/Any";
  options.manual_flow = (choice & kAnswers) != 0;
  const auto record = std::make_shared<ClientRecord>();
  const auto call = client->call(options, "request", record);
  client->call(options, std::string(2000, 'x'), std::make_shared<ClientRecord>());
  peer.receive();
  peer.send(bytes);
  peer.receive();
  call->grant(1);
  call->cancel();
  peer.receive();
  client->close();
  link.run();
  if (record->finishes != 1) __builtin_trap();
}

}  // namespace
}  // namespace longshore::rpc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & longshore::rpc::kClientRole) != 0) {
    longshore::rpc::be_a_client(data[0], bytes);
  } else {
    longshore::rpc::be_a_server(data[0], bytes);
  }
  return 0;
}
