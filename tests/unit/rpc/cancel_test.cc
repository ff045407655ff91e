// The end of calls and connections that did not run to their end: every phase, every side.
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "tests/unit/rpc/rpc_pair.h"

using namespace longshore;
using namespace longshore::rpc;

TEST_CASE("A call that is cancelled before it was sent never reaches the handler's end") {
  RpcPair pair;
  const auto record = pair.call("/t/Wait", "");
  pair.last_call->cancel();
  CHECK_FALSE(record->outcome);
  pair.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kCancelled);
  for (const auto& call : pair.service.calls) CHECK(call->cancels == 1);
}

TEST_CASE("A running call is cancelled at the server") {
  RpcPair pair;
  const auto record = pair.call("/t/Wait", "");
  pair.link.run();
  REQUIRE(pair.service.calls.size() == 1);
  CHECK(pair.service.last().half_closed);
  pair.last_call->cancel();
  pair.link.run();
  CHECK(record->outcome->code == StatusCode::kCancelled);
  CHECK(pair.service.last().cancels == 1);
  CHECK(pair.service.last().handler_destroyed);
  // Answers that come too late do nothing.
  pair.service.last().stream->send("late");
  pair.service.last().stream->finish(StatusCode::kOk, "", {});
  pair.link.run();
  CHECK(record->messages.empty());
  CHECK(record->finishes == 1);
  CHECK(pair.finish_call("/t/Echo", "the connection lives")->outcome->code == StatusCode::kOk);
}

TEST_CASE("A call is cancelled between two messages of its answer") {
  RpcPair pair;
  const auto record = pair.call("/t/Wait", "");
  pair.link.run();
  pair.service.last().stream->send("one");
  pair.link.run();
  CHECK(record->messages.size() == 1);
  pair.last_call->cancel();
  pair.service.last().stream->send("two");
  pair.link.run();
  CHECK(record->messages.size() == 1);
  CHECK(record->outcome->code == StatusCode::kCancelled);
  CHECK(pair.service.last().cancels == 1);
}

TEST_CASE("Cancelling a call that is over does nothing") {
  RpcPair pair;
  const auto record = pair.finish_call("/t/Echo", "x");
  pair.last_call->cancel();
  pair.last_call->cancel();
  pair.link.run();
  CHECK(record->finishes == 1);
  CHECK(record->outcome->code == StatusCode::kOk);
  CHECK(pair.service.last().cancels == 0);
}

TEST_CASE("Cancel races with the answer and one of them wins") {
  for (int round = 0; round < 20; ++round) {
    RpcPair pair;
    const auto record = pair.call("/t/Wait", "");
    pair.link.run();
    std::thread canceller([call = pair.last_call] { call->cancel(); });
    std::thread answerer(
        [stream = pair.service.last().stream] { stream->send_and_finish("answer"); });
    CHECK(pair.run_until([&] { return record->outcome.has_value(); }));
    canceller.join();
    answerer.join();
    pair.link.run();
    CHECK(record->finishes == 1);
    CHECK(pair.service.last().handler_destroyed);
    CHECK(pair.service.last().cancels <= 1);
  }
}

TEST_CASE("A cancelled upload of a large message frees its place for the next") {
  Limits limits;
  limits.max_buffered_bytes = 2u << 20;
  limits.stream_window_bytes = 64u << 10;
  RpcPair pair(limits);
  pair.link.to_server().capacity = 100000;
  pair.link.to_server().portion = 1;
  const auto first = pair.call("/t/Echo", std::string(3u << 20, 'x'));
  pair.context.restart();
  for (int i = 0; i < 2000; ++i) pair.context.poll_one();
  pair.last_call->cancel();
  pair.link.to_server().portion = MemoryLink::kUnlimited;
  pair.link.run();
  CHECK(first->outcome->code == StatusCode::kCancelled);
  const auto second = pair.finish_call("/t/Echo", std::string(3u << 20, 'y'));
  REQUIRE(second->outcome);
  CHECK(second->outcome->code == StatusCode::kOk);
}

TEST_CASE("Closing the client ends its calls on both sides") {
  RpcPair pair;
  const auto record = pair.call("/t/Wait", "");
  pair.link.run();
  pair.client->close();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kUnavailable);
  CHECK(pair.client_closed == "closed by the client");
  pair.link.run();
  CHECK(pair.service.last().cancels == 1);
  CHECK(pair.service.last().handler_destroyed);
  CHECK(pair.server_closed.find("the peer is gone") == 0);
  const auto late = pair.call("/t/Echo", "");
  CHECK_FALSE(late->outcome);
  pair.link.run();
  CHECK(late->outcome->code == StatusCode::kUnavailable);
  CHECK(late->outcome->unseen);
}

TEST_CASE("Closing the server ends its calls on both sides") {
  RpcPair pair;
  const auto record = pair.call("/t/Wait", "");
  pair.link.run();
  pair.server->close();
  CHECK(pair.service.last().cancels == 1);
  CHECK(pair.service.last().handler_destroyed);
  CHECK(pair.server_closed == "closed by the server");
  pair.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kUnavailable);
  CHECK_FALSE(record->outcome->unseen);
  CHECK_FALSE(pair.client->accepts_calls());
}

TEST_CASE("A finished call whose answer could not leave is not cancelled") {
  RpcPair pair;
  const auto record = pair.call("/t/Wait", "");
  pair.link.run();
  pair.link.to_client().capacity = 0;
  pair.service.last().stream->send_and_finish("stuck");
  pair.link.run();
  pair.server->close();
  CHECK(pair.service.last().cancels == 0);
  CHECK(pair.service.last().handler_destroyed);
}

TEST_CASE("A write that fails ends the connection and its calls") {
  RpcPair pair;
  const auto record = pair.call("/t/Wait", "");
  pair.link.run();
  pair.link.to_client().write_error = std::make_error_code(std::errc::broken_pipe);
  SECTION("while an answer is written") { pair.service.last().stream->send("answer"); }
  SECTION("while other threads answer") {
    std::thread([stream = pair.service.last().stream] { stream->send("answer"); }).join();
  }
  CHECK(pair.run_until([&] { return !pair.server_closed.empty(); }));
  CHECK(pair.service.last().cancels == 1);
  CHECK(pair.service.last().handler_destroyed);
}

TEST_CASE("A write that has to wait and then fails ends the connection") {
  RpcPair pair;
  const auto record = pair.call("/t/Wait", "");
  pair.link.run();
  pair.link.to_client().capacity = 10;
  pair.service.last().stream->send(std::string(1000, 'x'));
  pair.link.to_client().portion = 0;
  pair.link.run();
  CHECK(pair.server_closed.empty());
  pair.link.close();
  pair.link.run();
  CHECK_FALSE(pair.server_closed.empty());
  CHECK(pair.service.last().cancels == 1);
}

TEST_CASE("A server that refuses a stream unseen gets it once more") {
  Limits limits;
  limits.max_concurrent_streams = 1;  // two of them may be alive, then streams are refused
  RpcPair pair(limits);
  for (int i = 0; i < 2; ++i) {
    const auto cancelled = pair.call("/t/Wait", "");
    pair.link.run();
    pair.last_call->cancel();
    pair.link.run();
  }
  REQUIRE(pair.service.calls.size() == 2);
  const auto refused = pair.finish_call("/t/Echo", "x");
  REQUIRE(refused->outcome);
  CHECK(refused->outcome->code == StatusCode::kUnavailable);
  CHECK(refused->outcome->unseen);
  CHECK(pair.service.calls.size() == 2);
  // The abandoned calls let go.
  pair.service.calls.clear();
  CHECK(pair.finish_call("/t/Echo", "x")->outcome->code == StatusCode::kOk);
}

TEST_CASE("Streams may be answered when everything else is gone") {
  std::shared_ptr<ServerStream> stream;
  {
    RpcPair pair;
    pair.call("/t/Wait", "");
    pair.link.run();
    stream = pair.service.last().stream;
    pair.link.to_client().capacity = 0;
  }
  CHECK(stream->send("nobody listens"));
  stream->finish(StatusCode::kOk, "", {});
}

TEST_CASE("Connections may be dropped with the io_context while operations are under way") {
  auto service = std::make_unique<TestService>();
  auto record = std::make_shared<ClientRecord>();
  {
    boost::asio::io_context context{1};
    MemoryLink link{context};
    auto server = make_server_connection(link.make_server(), *service, {});
    auto client = make_client_connection(link.make_client(), "localhost", {});
    server->start([](std::string) {});
    client->start([](std::string) {});
    client->call({"/t/Wait", {}, {}, false}, "", record);
    link.run();
    REQUIRE(service->calls.size() == 1);
    // The transports refer to each other's readers through the link; cut that.
    link.to_client().reader = nullptr;
    link.to_server().reader = nullptr;
  }
  CHECK(service->last().cancels == 1);
  CHECK(service->last().handler_destroyed);
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kUnavailable);
}
