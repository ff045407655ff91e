// Clients that are strange or silent, and are served or borne all the same. What those do who mean
// harm is told by the tables of tests/hostile_clients, for pipes as for sockets.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/hostile_clients/raw_client.h"
#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/unit/rpc/raw_peer.h"
#include "tests/windows/agent_program.h"

using namespace longshore;
using namespace longshore::test;
using hostile_clients::RawClient;
using rpc::frame_bytes;
using rpc::FrameType;

namespace {

std::string call_head(const std::string& authority) {
  rpc::RawFields fields = rpc::RawPeer::request_fields("/longshore.echo.v1.Echo/Say");
  for (auto& [name, value] : fields) {
    if (name == ":authority") value = authority;
  }
  return frame_bytes(FrameType::kHeaders, rpc::kEndHeaders, 1, rpc::block_bytes(fields));
}

}  // namespace

TEST_CASE("the name that a client has for the server does not matter") {
  const AgentFolder folder;
  folder.configure();
  const AgentProgram agent(folder);
  CAPTURE(folder.log());
  REQUIRE(agent.serves());
  hostile_clients::Traffic traffic;
  for (const std::string authority : {"localhost", "", "%5C%5C.%5Cpipe%5Ccsi-proxy-disk-v1",
                                      "\\\\.\\pipe\\x", "a b", "[::1]:80"}) {
    CAPTURE(authority);
    RawClient client(folder.echo_pipe(), traffic);
    client.greet();
    client.send(call_head(authority));
    client.send_data(1, rpc::message_bytes(WireWriter().text(1, "here").bytes()), true);
    CHECK(eventually([&] {
      client.read();
      return client.ended_streams() == 1 || client.closed();
    }));
    CHECK(client.ended_streams() == 1);
  }
}

TEST_CASE("the first client of a pipe says nothing and stays, and so do those who stop midway") {
  const AgentFolder folder;
  folder.configure();
  const AgentProgram agent(folder);
  CAPTURE(folder.log());
  REQUIRE(agent.serves());
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const std::string all = preface + frame_bytes(FrameType::kSettings, 0, 0, {}) + call_head("x");
  hostile_clients::Traffic traffic;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 40; ++i) {
    for (const size_t part : {size_t{0}, size_t{9}, preface.size(), preface.size() + 4}) {
      clients.push_back(std::make_unique<RawClient>(folder.echo_pipe(), traffic));
      clients.back()->send(all.substr(0, part));
    }
  }
  // Another client of the same pipe is served.
  TestClient client(folder.echo_pipe());
  CHECK(client.call("longshore.echo.v1.Echo/Say", WireWriter().text(1, "here"))->code() ==
        StatusCode::kOk);
  // Who never begins to speak is sent away.
  CHECK(eventually([&] {
    return std::ranges::all_of(clients, [](const auto& each) {
      each->read();
      return each->closed();
    });
  }));
}
