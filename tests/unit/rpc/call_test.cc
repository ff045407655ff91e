// Calls between our client and our server: what goes in comes out.
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/rpc/rpc_pair.h"

using namespace longshore;
using namespace longshore::rpc;
using namespace std::chrono_literals;

TEST_CASE("A unary call is answered") {
  RpcPair pair;
  const auto record = pair.finish_call("/t/Echo", "hello");
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kOk);
  CHECK(record->messages == std::vector<std::string>{"hello"});
  CHECK(pair.service.last().head.path == "/t/Echo");
  CHECK_FALSE(pair.service.last().head.timeout);
  CHECK(pair.service.last().head.metadata.empty());
  CHECK(pair.service.last().handler_destroyed);
  CHECK(pair.service.last().cancels == 0);
}

TEST_CASE("Calls work when bytes arrive one at a time") {
  RpcPair pair;
  pair.link.to_server().portion = 1;
  pair.link.to_client().portion = 1;
  ClientCallOptions options;
  options.metadata = {{"key", "value"}};
  const auto first = pair.finish_call("/t/Echo", std::string(1000, 'x'), options);
  const auto second = pair.finish_call("/t/Unknown", "");
  REQUIRE(first->outcome);
  CHECK(first->messages.at(0) == std::string(1000, 'x'));
  REQUIRE(second->outcome);
  CHECK(second->outcome->code == StatusCode::kUnimplemented);
}

TEST_CASE("An answer is one write, head, message and trailers together") {
  RpcPair pair;
  pair.finish_call("/t/Echo", "settle the settings first");
  const size_t before = pair.link.to_client().writes;
  pair.finish_call("/t/Echo", "hello");
  CHECK(pair.link.to_client().writes == before + 1);
}

TEST_CASE("Many answers that one read caused are one write") {
  RpcPair pair;
  pair.finish_call("/t/Echo", "settle the settings first");
  const size_t before = pair.link.to_client().writes;
  std::vector<std::shared_ptr<ClientRecord>> records;
  for (size_t i = 0; i < 50; ++i) records.push_back(pair.call("/t/Echo", std::to_string(i)));
  pair.link.run();
  for (size_t i = 0; i < 50; ++i) CHECK(records[i]->messages.at(0) == std::to_string(i));
  CHECK(pair.link.to_client().writes <= before + 3);
}

TEST_CASE("Answers of another thread that gather are one wake-up and one write") {
  RpcPair pair;
  std::vector<std::shared_ptr<ClientRecord>> records;
  for (size_t i = 0; i < 50; ++i) records.push_back(pair.call("/t/Wait", ""));
  pair.link.run();
  const size_t before = pair.link.to_client().writes;
  std::thread([&] {
    for (const auto& call : pair.service.calls) call->stream->send_and_finish("answer");
  }).join();
  pair.context.restart();
  CHECK(pair.context.poll_one() == 1);
  CHECK(pair.link.to_client().writes == before + 1);
  pair.link.run();
  for (const auto& record : records) CHECK(record->messages.size() == 1);
}

TEST_CASE("Every status code arrives with its text, whatever is in it") {
  RpcPair pair;
  const std::vector<std::string> texts = {"", "plain", "100% of \xc3\xa9\n\t\r",
                                          std::string("\0\x01\xff", 3), " space at both ends "};
  for (int code = 0; code <= 16; ++code) {
    for (const std::string& text : texts) {
      const auto record = pair.call("/t/Wait", "");
      pair.link.run();
      pair.service.last().stream->finish(static_cast<StatusCode>(code), text, {});
      pair.link.run();
      REQUIRE(record->outcome);
      CHECK(record->outcome->code == static_cast<StatusCode>(code));
      CHECK(record->outcome->text == text);
      CHECK_FALSE(record->outcome->unseen);
    }
  }
}

TEST_CASE("A status after messages arrives in trailers") {
  RpcPair pair;
  const auto record = pair.call("/t/Wait", "");
  pair.link.run();
  const auto stream = pair.service.last().stream;
  CHECK(stream->send("one"));
  CHECK(stream->send(""));
  pair.link.run();
  CHECK(record->messages == std::vector<std::string>{"one", ""});
  CHECK_FALSE(record->outcome);
  stream->send("three");
  stream->finish(StatusCode::kDataLoss, "lost", {{"left", "2"}});
  pair.link.run();
  CHECK(record->messages.size() == 3);
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kDataLoss);
  CHECK(record->outcome->text == "lost");
  CHECK(record->outcome->trailers == Metadata{{"left", "2"}});
}

TEST_CASE("Metadata travels both ways, binary and repeated") {
  RpcPair pair;
  const std::string all_bytes = [] {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    return bytes;
  }();
  const Metadata metadata = {{"empty", ""},          {"twice", "1"},         {"twice", "2"},
                             {"all-bin", all_bytes}, {"empty-bin", ""},      {"twice-bin", "a"},
                             {"twice-bin", "b"},     {"text", "a, b; c=%20"}};
  ClientCallOptions options;
  options.metadata = metadata;
  const auto record = pair.finish_call("/t/Wait", "", options);
  CHECK(pair.service.last().head.metadata == metadata);
  pair.service.last().stream->finish(StatusCode::kOk, "", metadata);
  pair.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->trailers == metadata);
}

TEST_CASE("Metadata that gRPC forbids is left out, and the call goes on") {
  RpcPair pair;
  ClientCallOptions options;
  options.metadata = {
      {"Upper", "x"}, {"grpc-timeout", "1S"}, {"ok", "1"}, {"line", "a\nb"}, {":path", "/"}};
  const auto record = pair.finish_call("/t/Wait", "", options);
  CHECK(pair.service.last().head.metadata == Metadata{{"ok", "1"}});
  CHECK_FALSE(pair.service.last().head.timeout);
  pair.service.last().stream->finish(StatusCode::kOk, "",
                                     {{"grpc-status", "5"}, {"te", "x"}, {"ok", "2"}});
  pair.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kOk);
  CHECK(record->outcome->trailers == Metadata{{"ok", "2"}});
}

TEST_CASE("The deadline travels, and is kept by the client when the server is stuck") {
  RpcPair pair;
  ClientCallOptions options;
  options.timeout = 1s;
  const auto record = pair.call("/t/Wait", "", options);
  CHECK(pair.run_until([&] { return record->outcome.has_value(); }));
  REQUIRE(pair.service.last().head.timeout);
  CHECK(*pair.service.last().head.timeout <= 1s);
  CHECK(*pair.service.last().head.timeout > 1ms);
  CHECK(record->outcome->code == StatusCode::kDeadlineExceeded);
  CHECK(pair.run_until([&] { return pair.service.last().cancels == 1; }));
}

TEST_CASE("A deadline in the past ends the call at once") {
  RpcPair pair;
  ClientCallOptions options;
  options.timeout = -1s;
  const auto record = pair.call("/t/Wait", "", options);
  CHECK_FALSE(record->outcome);
  CHECK(pair.run_until([&] { return record->outcome.has_value(); }));
  CHECK(record->outcome->code == StatusCode::kDeadlineExceeded);
}

TEST_CASE("Several messages of a request arrive in order") {
  RpcPair pair;
  auto record = std::make_shared<ClientRecord>();
  const auto call = pair.client->open({"/t/Wait", {}, {}, false}, record);
  pair.link.run();
  CHECK(pair.service.last().messages.empty());
  call->send("one");
  call->send("two");
  pair.link.run();
  CHECK(pair.service.last().messages == std::vector<std::string>{"one", "two"});
  CHECK_FALSE(pair.service.last().half_closed);
  pair.service.last().stream->send("answer to two");
  pair.link.run();
  CHECK(record->messages.size() == 1);
  call->half_close();
  call->send("after the end");
  pair.link.run();
  CHECK(pair.service.last().half_closed);
  CHECK(pair.service.last().messages.size() == 2);
  pair.service.last().stream->finish(StatusCode::kOk, "", {});
  pair.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kOk);
}

TEST_CASE("Answers come from any thread, in each thread's order") {
  RpcPair pair;
  constexpr int kThreads = 4;
  constexpr int kMessages = 250;
  std::vector<std::shared_ptr<ClientRecord>> records;
  for (size_t i = 0; i < kThreads; ++i) records.push_back(pair.call("/t/Wait", ""));
  pair.link.run();
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([stream = pair.service.calls[i]->stream] {
      for (size_t n = 0; n < kMessages; ++n) stream->send(std::to_string(n));
      stream->finish(StatusCode::kOk, "done", {});
    });
  }
  CHECK(pair.run_until([&] {
    for (const auto& record : records) {
      if (!record->outcome) return false;
    }
    return true;
  }));
  for (std::thread& thread : threads) thread.join();
  for (const auto& record : records) {
    REQUIRE(record->messages.size() == kMessages);
    for (size_t n = 0; n < kMessages; ++n) CHECK(record->messages[n] == std::to_string(n));
    CHECK(record->outcome->text == "done");
  }
}

TEST_CASE("Of several answers to a call the first counts") {
  RpcPair pair;
  const auto record = pair.call("/t/Wait", "");
  pair.link.run();
  const auto stream = pair.service.last().stream;
  stream->send_and_finish("first");
  stream->send_and_finish("second");
  stream->finish(StatusCode::kAborted, "third", {});
  stream->send("fourth");
  pair.link.run();
  CHECK(record->messages == std::vector<std::string>{"first"});
  CHECK(record->outcome->code == StatusCode::kOk);
  stream->finish(StatusCode::kAborted, "after the end of the stream", {});
  pair.link.run();
  CHECK(record->finishes == 1);
}

TEST_CASE("A thousand calls run side by side on one connection") {
  RpcPair pair;
  std::vector<std::shared_ptr<ClientRecord>> records;
  for (size_t i = 0; i < 1000; ++i) records.push_back(pair.call("/t/Wait", std::to_string(i)));
  pair.link.run();
  REQUIRE(pair.service.calls.size() == 1000);
  for (const auto& call : pair.service.calls) call->stream->send_and_finish(call->messages.at(0));
  pair.link.run();
  for (size_t i = 0; i < 1000; ++i) {
    REQUIRE(records[i]->outcome);
    CHECK(records[i]->messages.at(0) == std::to_string(i));
  }
}

TEST_CASE("Calls beyond the server's limit of streams wait for their turn") {
  Limits deadline;
  deadline.max_concurrent_streams = 2;
  RpcPair pair(deadline);
  pair.finish_call("/t/Echo", "settle the settings first");
  std::vector<std::shared_ptr<ClientRecord>> records;
  for (size_t i = 0; i < 6; ++i) records.push_back(pair.call("/t/Wait", std::to_string(i)));
  for (size_t i = 0; i < 6; ++i) {
    pair.link.run();
    REQUIRE(pair.service.calls.size() >= i + 2);
    pair.service.calls[i + 1]->stream->send_and_finish("x");
  }
  pair.link.run();
  for (const auto& record : records) CHECK(record->outcome->code == StatusCode::kOk);
}

TEST_CASE("A long text and large trailers are cut to what the peer takes") {
  Limits client_limits;
  client_limits.max_header_bytes = 2000;
  RpcPair pair({}, client_limits);
  const auto record = pair.call("/t/Wait", "");
  pair.link.run();
  pair.service.last().stream->finish(StatusCode::kNotFound, std::string(100000, '\n'),
                                     {{"large", std::string(5000, 'x')}, {"small", "y"}});
  pair.link.run();
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kNotFound);
  CHECK(record->outcome->text.size() > 500);
  CHECK(record->outcome->text.find_first_not_of('\n') == std::string::npos);

  const auto second = pair.call("/t/Wait", "");
  pair.link.run();
  pair.service.last().stream->finish(StatusCode::kNotFound, "short",
                                     {{"large", std::string(5000, 'x')}, {"small", "y"}});
  pair.link.run();
  REQUIRE(second->outcome);
  CHECK(second->outcome->text == "short");
  CHECK(second->outcome->trailers == Metadata{{"small", "y"}});
}

TEST_CASE("Request metadata that the server would not take fails here") {
  Limits deadline;
  deadline.max_header_bytes = 1000;
  RpcPair pair(deadline);
  pair.link.run();
  ClientCallOptions options;
  options.metadata = {{"large", std::string(2000, 'x')}};
  const auto record = pair.finish_call("/t/Echo", "", options);
  REQUIRE(record->outcome);
  CHECK(record->outcome->code == StatusCode::kResourceExhausted);
  CHECK(pair.service.calls.empty());
}

TEST_CASE("Messages over a limit fail with RESOURCE_EXHAUSTED, each way") {
  Limits deadline;
  deadline.max_message_bytes = 1000;
  deadline.max_send_message_bytes = 2000;
  SECTION("inbound at the server") {
    RpcPair pair(deadline);
    CHECK(pair.finish_call("/t/Echo", std::string(1000, 'x'))->outcome->code == StatusCode::kOk);
    const auto record = pair.finish_call("/t/Echo", std::string(1001, 'x'));
    REQUIRE(record->outcome);
    CHECK(record->outcome->code == StatusCode::kResourceExhausted);
    CHECK(record->outcome->text.find("1001") != std::string::npos);
    CHECK(pair.service.last().cancels == 1);
  }
  SECTION("outbound at the server") {
    RpcPair pair(deadline);
    const auto record = pair.finish_call("/t/Wait", "");
    pair.service.last().stream->send_and_finish(std::string(2001, 'x'));
    pair.link.run();
    REQUIRE(record->outcome);
    CHECK(record->outcome->code == StatusCode::kResourceExhausted);
  }
  SECTION("inbound at the client") {
    RpcPair pair({}, deadline);
    const auto record = pair.finish_call("/t/Wait", "");
    pair.service.last().stream->send_and_finish(std::string(1001, 'x'));
    pair.link.run();
    REQUIRE(record->outcome);
    CHECK(record->outcome->code == StatusCode::kResourceExhausted);
  }
  SECTION("outbound at the client") {
    RpcPair pair({}, deadline);
    const auto record = pair.call("/t/Echo", std::string(2001, 'x'));
    CHECK_FALSE(record->outcome);
    pair.link.run();
    REQUIRE(record->outcome);
    CHECK(record->outcome->code == StatusCode::kResourceExhausted);
    CHECK(pair.service.calls.empty());
  }
}
