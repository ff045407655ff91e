// Our client against servers of the gRPC C++ library, and some that say nothing.
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "child_process.h"
#include "peer_service.h"
#include "rpc/asio_transport.h"
#include "rpc/client.h"
#include "tests/support/build_tree.h"

using namespace longshore;
using namespace longshore::rpc;
using namespace longshore::conformance;
using namespace std::chrono_literals;

namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

struct Record final : ClientCallHandler {
  void on_message(std::string message) override { messages.push_back(std::move(message)); }
  void on_finish(Outcome result) override { outcome = std::move(result); }

  std::vector<std::string> messages;
  std::optional<Outcome> outcome;
};

// A client that connects again when the server says GOAWAY.
class Client {
 public:
  explicit Client(std::string socket) : socket_(std::move(socket)) {
    limits_.max_message_bytes = kMaxMessageBytes;
  }
  ~Client() {
    if (connection_) connection_->close();
    context_.restart();
    context_.poll();
  }

  ClientConnection& connection() {
    if (!connection_ || !connection_->accepts_calls()) {
      Local::socket socket(context_);
      socket.connect(Local::endpoint(socket_));
      connection_ = make_client_connection(make_transport(std::move(socket)), "localhost", limits_);
      connection_->start([](const std::string&) {});
      ++connections;
    }
    return *connection_;
  }

  std::shared_ptr<Record> start(const std::string& path, const std::string& request,
                                ClientCallOptions options = {}) {
    auto record = std::make_shared<Record>();
    options.path = path;
    last_call = connection().call(std::move(options), request, record);
    return record;
  }

  std::shared_ptr<Record> call(const std::string& path, const std::string& request,
                               ClientCallOptions options = {}) {
    auto record = start(path, request, std::move(options));
    REQUIRE(run_until([&] { return record->outcome.has_value(); }));
    return record;
  }

  // "<hanging> <given up> <streamed>"
  std::string counts() { return call(kCounts, "")->messages.at(0); }
  bool await_counts(const std::string& start_of_text) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (counts().rfind(start_of_text, 0) != 0) {
      if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
  }

  template <typename Done>
  bool run_until(Done done) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!done() && std::chrono::steady_clock::now() < end) {
      context_.restart();
      context_.run_one_until(end);
    }
    return done();
  }

  int connections = 0;
  std::shared_ptr<ClientCall> last_call;

 private:
  const std::string socket_;
  Limits limits_;
  asio::io_context context_{1};
  std::shared_ptr<ClientConnection> connection_;
};

// A server of the library for one test case.
struct Peer {
  explicit Peer(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {longshore::test::built_program("grpc_conformance_server"),
                                          "--socket", socket};
    arguments.insert(arguments.end(), more.begin(), more.end());
    process.emplace(arguments);
    client.emplace(socket);
  }

  SocketDirectory directory;
  const std::string socket = directory.path("server.sock");
  std::optional<ChildProcess> process;
  std::optional<Client> client;
};

ClientCallOptions with_metadata(Metadata metadata) {
  ClientCallOptions options;
  options.metadata = std::move(metadata);
  return options;
}

}  // namespace

TEST_CASE("Every status arrives with its text, with and without messages before it") {
  Peer peer;
  const std::vector<std::string> texts = {"",         "plain",       "100% of \xc3\xa9\n\t\r",
                                          " spaces ", "%41 is no A", std::string(3000, 'x')};
  for (const char* messages : {"0", "1", "3"}) {
    for (int code = 0; code <= 16; ++code) {
      for (const std::string& text : texts) {
        const auto record = peer.client->call(kStatus, "",
                                              with_metadata({{"want-code", std::to_string(code)},
                                                             {"want-text-bin", text},
                                                             {"want-messages", messages}}));
        CHECK(record->outcome->code == static_cast<StatusCode>(code));
        if (code != 0) CHECK(record->outcome->text == text);
        CHECK(record->messages.size() == std::stoul(messages));
      }
    }
  }
}

TEST_CASE("Messages of all sizes come back, alone and side by side") {
  Peer peer;
  for (const size_t size : {0u, 1u, 16379u, 16380u, 65535u, 4u << 20, 16u << 20}) {
    const std::string request(size, 'x');
    const auto record = peer.client->call(kEcho, request);
    CHECK(record->outcome->code == StatusCode::kOk);
    REQUIRE(record->messages.size() == 1);
    CHECK(record->messages[0] == request);
  }
  std::vector<std::shared_ptr<Record>> records;
  const std::string large(4u << 20, 'y');
  for (int i = 0; i < 8; ++i) records.push_back(peer.client->start(kEcho, large));
  for (const auto& record : records) {
    CHECK(peer.client->run_until([&] { return record->outcome.has_value(); }));
    CHECK(record->messages.at(0) == large);
  }
}

TEST_CASE("Messages over the server's limit fail, and the connection stays") {
  Peer peer;
  const auto record = peer.client->call(kEcho, std::string(kMaxMessageBytes + 1, 'x'));
  CHECK(record->outcome->code == StatusCode::kResourceExhausted);
  CHECK(peer.client->call(kEcho, "x")->outcome->code == StatusCode::kOk);
  CHECK(peer.client->connections == 1);
}

TEST_CASE("Odd metadata comes back as it went") {
  Peer peer;
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes += static_cast<char>(i);
  const Metadata metadata = {{"x-bytes-bin", all_bytes},
                             {"x-empty", ""},
                             {"x-empty-bin", ""},
                             {"x-large", std::string(3000, 'l')},
                             {"x-text", "a, b; c=%20 ~"},
                             {"x-twice", "1"},
                             {"x-twice", "2"},
                             {"x-twice-bin", "one"},
                             {"x-twice-bin", std::string("\0two", 4)}};
  const auto record = peer.client->call(kEcho, "", with_metadata(metadata));
  CHECK(record->outcome->code == StatusCode::kOk);
  Metadata trailers = record->outcome->trailers;
  std::sort(trailers.begin(), trailers.end());
  Metadata expected = metadata;
  std::sort(expected.begin(), expected.end());
  CHECK(trailers == expected);
  // More than the library's servers take.
  const auto refused =
      peer.client->call(kEcho, "", with_metadata({{"x-too-large", std::string(30000, 'l')}}));
  CHECK(refused->outcome->code == StatusCode::kResourceExhausted);
  CHECK(peer.client->call(kEcho, "x")->outcome->code == StatusCode::kOk);
}

TEST_CASE("Deadlines travel and are kept") {
  Peer peer;
  ClientCallOptions options;
  options.timeout = 30s;
  const double left = std::stod(peer.client->call(kDeadline, "", options)->messages.at(0)) / 1e9;
  CHECK(left > 1);
  CHECK(left <= 30.1);
  CHECK(peer.client->call(kDeadline, "")->messages.at(0) == "none");
  options.timeout = 50ms;
  const auto record = peer.client->call(kHang, "", options);
  CHECK(record->outcome->code == StatusCode::kDeadlineExceeded);
  CHECK(peer.client->await_counts("0 1 "));
}

TEST_CASE("A call is cancelled in every phase") {
  Peer peer;
  for (int i = 0; i < 50; ++i) {
    const auto record = peer.client->start(kHang, "");
    peer.client->last_call->cancel();
    CHECK(peer.client->run_until([&] { return record->outcome.has_value(); }));
    CHECK(record->outcome->code == StatusCode::kCancelled);
  }
  CHECK(peer.client->await_counts("0 "));
  SECTION("while the server works") {
    const auto record = peer.client->start(kHang, "");
    auto call = peer.client->last_call;
    CHECK(peer.client->await_counts("1 "));
    call->cancel();
    CHECK(peer.client->run_until([&] { return record->outcome.has_value(); }));
    CHECK(record->outcome->code == StatusCode::kCancelled);
    CHECK(peer.client->await_counts("0 "));
  }
  SECTION("between two messages of the answer") {
    const auto record = peer.client->start(kHang, "", with_metadata({{"want-messages", "2"}}));
    auto call = peer.client->last_call;
    CHECK(peer.client->run_until([&] { return record->messages.size() == 2; }));
    call->cancel();
    CHECK(peer.client->run_until([&] { return record->outcome.has_value(); }));
    CHECK(record->outcome->code == StatusCode::kCancelled);
    CHECK(peer.client->await_counts("0 "));
  }
  SECTION("while a large request is on its way") {
    const auto record = peer.client->start(kEcho, std::string(16u << 20, 'x'));
    peer.client->last_call->cancel();
    CHECK(peer.client->run_until([&] { return record->outcome.has_value(); }));
    CHECK(record->outcome->code == StatusCode::kCancelled);
  }
  SECTION("when it is over") {
    const auto record = peer.client->call(kEcho, "x");
    peer.client->last_call->cancel();
    CHECK(record->outcome->code == StatusCode::kOk);
  }
  CHECK(peer.client->call(kEcho, "x")->outcome->code == StatusCode::kOk);
  CHECK(peer.client->connections == 1);
}

TEST_CASE("A thousand calls run side by side on one connection") {
  Peer peer;
  std::vector<std::shared_ptr<Record>> records;
  std::vector<std::shared_ptr<ClientCall>> calls;
  for (int i = 0; i < 1000; ++i) {
    records.push_back(peer.client->start(kHang, ""));
    calls.push_back(peer.client->last_call);
  }
  CHECK(peer.client->await_counts("1000 "));
  for (const auto& call : calls) call->cancel();
  for (const auto& record : records) {
    CHECK(peer.client->run_until([&] { return record->outcome.has_value(); }));
    CHECK(record->outcome->code == StatusCode::kCancelled);
  }
  CHECK(peer.client->await_counts("0 1000 "));
  records.clear();
  for (int i = 0; i < 1000; ++i) {
    records.push_back(peer.client->start(kEcho, std::string(10000, 'x') + std::to_string(i)));
  }
  for (int i = 0; i < 1000; ++i) {
    const auto& record = records[static_cast<size_t>(i)];
    CHECK(peer.client->run_until([&] { return record->outcome.has_value(); }));
    CHECK(record->messages.at(0) == std::string(10000, 'x') + std::to_string(i));
  }
  CHECK(peer.client->connections == 1);
}

TEST_CASE("A stalled reader holds back its server, and nobody else") {
  Peer peer;
  constexpr size_t kCount = 1000;
  ClientCallOptions options =
      with_metadata({{"want-count", std::to_string(kCount)}, {"want-size", "32768"}});
  options.manual_flow = true;
  const auto record = peer.client->start(kStream, "", options);
  const auto call = peer.client->last_call;
  call->grant(1);
  CHECK(peer.client->run_until([&] { return record->messages.size() == 1; }));
  for (int i = 0; i < 100; ++i) {
    CHECK(peer.client->call(kEcho, std::string(5000, 'x'))->outcome->code == StatusCode::kOk);
  }
  const std::string counts = peer.client->counts();
  CHECK(std::stoul(counts.substr(counts.rfind(' '))) < kCount / 2);
  CHECK(record->messages.size() == 1);
  call->grant(static_cast<uint32_t>(kCount));
  CHECK(peer.client->run_until([&] { return record->outcome.has_value(); }));
  CHECK(record->outcome->code == StatusCode::kOk);
  CHECK(record->messages.size() == kCount);
  for (size_t i = 0; i < record->messages.size(); ++i) {
    REQUIRE(record->messages[i] == std::string(32768, static_cast<char>(i + 1)));
  }
}

// The library compresses what its user has it compress, whatever the client accepts.
TEST_CASE("An answer that is compressed is INTERNAL") {
  Peer peer;
  const auto options = with_metadata({{"want-gzip", "1"}});
  const auto record = peer.client->call(kEcho, std::string(100000, 'x'), options);
  CHECK(record->outcome->code == StatusCode::kInternal);
  CHECK(record->messages.empty());
  CHECK(peer.client->call(kEcho, "x")->outcome->code == StatusCode::kOk);
}

TEST_CASE("Messages go to and fro on one call") {
  Peer peer;
  auto record = std::make_shared<Record>();
  ClientCallOptions options;
  options.path = kChat;
  const auto call = peer.client->connection().open(options, record);
  for (size_t i = 1; i <= 100; ++i) {
    call->send(std::string(i * 1000, 'x'));
    CHECK(peer.client->run_until([&] { return record->messages.size() == i; }));
    CHECK(record->messages.back().size() == i * 1000);
  }
  call->half_close();
  CHECK(peer.client->run_until([&] { return record->outcome.has_value(); }));
  CHECK(record->outcome->code == StatusCode::kOk);
}

TEST_CASE("No call fails while the server drains its connections again and again") {
  Peer peer({"--max-age-ms", "30"});
  int calls = 0;
  while (peer.client->connections < 20) {
    std::vector<std::shared_ptr<Record>> records;
    for (int i = 0; i < 20; ++i) records.push_back(peer.client->start(kEcho, "x"));
    for (auto& record : records) {
      REQUIRE(peer.client->run_until([&] { return record->outcome.has_value(); }));
      // What the old connection has certainly not served is called again on a new one.
      if (record->outcome->unseen) record = peer.client->call(kEcho, "x");
      REQUIRE(record->outcome->code == StatusCode::kOk);
      ++calls;
    }
  }
  CHECK(calls >= 20);
}

TEST_CASE("Unknown methods are unimplemented") {
  Peer peer;
  CHECK(peer.client->call("/test.Peer/None", "")->outcome->code == StatusCode::kUnimplemented);
}

TEST_CASE("A server that ends takes its calls with it") {
  Peer peer;
  const auto record = peer.client->start(kHang, "");
  CHECK(peer.client->await_counts("1 "));
  peer.process.reset();
  CHECK(peer.client->run_until([&] { return record->outcome.has_value(); }));
  CHECK(record->outcome->code == StatusCode::kUnavailable);
  CHECK_FALSE(record->outcome->unseen);
}

TEST_CASE("A server that accepts and never speaks costs no more than the deadline") {
  SocketDirectory directory;
  asio::io_context listening;
  Local::acceptor acceptor(listening, Local::endpoint(directory.path("silent.sock")));
  Client client(directory.path("silent.sock"));
  ClientCallOptions options;
  options.timeout = 20ms;
  CHECK(client.call(kEcho, "", options)->outcome->code == StatusCode::kDeadlineExceeded);
  // A large request cannot even be written.
  CHECK(client.call(kEcho, std::string(8u << 20, 'x'), options)->outcome->code ==
        StatusCode::kDeadlineExceeded);
}
