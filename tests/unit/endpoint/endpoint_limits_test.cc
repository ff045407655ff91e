// Clients that take an endpoint's places: who is idle gives way to a new client of the same user,
// and what they held is given back when they go.
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "endpoint/endpoint.h"
#include "endpoint/peer.h"
#include "observe/rate_limited_log.h"
#include "rpc/asio_transport.h"
#include "rpc/client.h"
#include "rpc/server.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/endpoint/no_calls.h"

namespace longshore::endpoint {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

struct Reply final : rpc::ClientCallHandler {
  void on_message(std::string) override { ++messages; }
  void on_finish(rpc::Outcome result) override { outcome = std::move(result); }
  int messages = 0;
  std::optional<rpc::Outcome> outcome;
};

struct LimitsFixture {
  explicit LimitsFixture(ShareLimits shares = {}, unsigned mode = 0600) {
    options.listener.path = directory / "a/a.sock";
    options.listener.mode = mode;
    options.shares = shares;
    EndpointContext context{io, router, runner, nullptr, catalog, *log};
    context.memory = memory;
    context.on_clients_gone = [this] { ++gone; };
    endpoint = *Endpoint::open(options, context);
  }
  ~LimitsFixture() {
    clients.clear();
    endpoint->close();
    io.poll();
  }

  // A client as drivers have one: it answers pings by itself.
  void connect() {
    Local::socket socket(io);
    socket.connect(Local::endpoint(options.listener.path));
    add_client(std::move(socket));
  }
  void add_client(Local::socket socket) {
    clients.push_back(rpc::make_client_connection(rpc::make_transport(std::move(socket)), "", {}));
    clients.back()->start([this](const std::string&) { ++closed; });
  }

  // Who connects counts at that moment; other threads stay who they are.
  void connect_as(uid_t user) {
    REQUIRE(chmod(directory.path().c_str(), 0755) == 0);
    Local::socket socket(io);
    boost::system::error_code error;
    REQUIRE(syscall(SYS_setresuid, -1, user, -1) == 0);
    socket.connect(Local::endpoint(options.listener.path), error);
    REQUIRE(syscall(SYS_setresuid, -1, 0, -1) == 0);
    REQUIRE_FALSE(error);
    add_client(std::move(socket));
  }
  // A call that stays open: reflection waits for the next question.
  void hold_call(size_t client) {
    const auto reply = std::make_shared<Reply>();
    const auto call = clients[client]->open(
        {.path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"}, reply);
    call->send({"\x3a\0", 2});  // which services there are
    REQUIRE(run_until([&] { return reply->messages == 1; }));
  }
  void call(size_t client) {
    const auto answer = std::make_shared<Reply>();
    clients[client]->call({.path = "/grpc.health.v1.Health/Check"}, "", answer);
    REQUIRE(run_until([&] { return answer->outcome.has_value(); }));
    CHECK(answer->outcome->code == StatusCode::kOk);
  }
  // Which clients were told to go: "0 2".
  std::string told_to_go() const {
    std::string which;
    for (size_t i = 0; i < clients.size(); ++i) {
      if (clients[i]->was_told_to_go()) which += (which.empty() ? "" : " ") + std::to_string(i);
    }
    return which;
  }

  // How many lines have the text.
  size_t logged(std::string_view text) const {
    return static_cast<size_t>(std::ranges::count_if(
        lines, [&](const std::string& line) { return line.find(text) != line.npos; }));
  }

  template <typename Done>
  bool run_until(Done done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    io.restart();
    while (!done() && std::chrono::steady_clock::now() < end) io.run_one_until(end);
    return done();
  }

  const test::TemporaryDirectory directory;
  asio::io_context io;
  router::Timers timers;
  router::Router router{timers, {}};
  NoCalls runner;
  const loader::CatalogHolder catalog;
  std::vector<std::string> lines;
  const std::unique_ptr<observe::Log> log = *observe::Log::open(
      {.level = observe::Level::kWarning,
       .write = [this](observe::Level, std::string_view line) { lines.emplace_back(line); }});
  std::shared_ptr<rpc::MemoryAccount> memory =
      std::make_shared<rpc::MemoryAccount>(rpc::MemoryAccount::Options{});
  EndpointOptions options{.name = "test"};
  std::shared_ptr<Endpoint> endpoint;
  std::deque<std::shared_ptr<rpc::ClientConnection>> clients;
  int closed = 0;
  int gone = 0;
};

TEST_CASE("Connections are charged, and what they held comes back when they go") {
  LimitsFixture world({.guaranteed_memory = 0});
  for (int i = 0; i < 5; ++i) world.connect();
  REQUIRE(world.run_until([&] { return world.endpoint->connections() == 5; }));
  CHECK(world.endpoint->memory().used() >= 5 * rpc::kConnectionBytes);
  CHECK(world.memory->used() == world.endpoint->memory().used());
  for (const auto& client : world.clients) client->close();
  REQUIRE(world.run_until([&] { return world.endpoint->connections() == 0; }));
  CHECK(world.memory->used() == 0);
  CHECK(world.gone == 5);
}

TEST_CASE("Who comes over the limit is turned away where the others have open calls") {
  LimitsFixture world({.max_connections = 3});
  for (size_t i = 0; i < 3; ++i) {
    world.connect();
    world.hold_call(i);
  }
  for (int i = 0; i < 2; ++i) world.connect();
  REQUIRE(world.run_until([&] { return world.closed == 2; }));
  CHECK(world.endpoint->connections() == 3);
  CHECK(world.told_to_go().empty());
  CHECK(world.logged("connection refused") == 2);
}

TEST_CASE("The idle connection that was used longest ago gives way to a new one") {
  const bool of_user = GENERATE(false, true);
  LimitsFixture world(of_user ? ShareLimits{.max_connections_per_peer = 4}
                              : ShareLimits{.max_connections = 4});
  for (size_t i = 0; i < 4; ++i) {
    world.connect();
    world.call(i);
  }
  world.hold_call(0);
  world.call(1);  // so 2 is next
  world.connect();
  world.call(4);
  REQUIRE(world.run_until([&] { return world.closed == 1; }));
  CHECK(world.told_to_go() == "2");
  world.connect();
  world.call(5);
  REQUIRE(world.run_until([&] { return world.closed == 2; }));
  CHECK(world.told_to_go() == "2 3");
  CHECK(world.run_until([&] { return world.endpoint->connections() == 4; }));
  CHECK(world.logged("connection refused") == 0);
}

TEST_CASE("However many clients come, and however slowly others go, each is let in") {
  LimitsFixture world({.max_connections_per_peer = 4});
  std::vector<Local::socket> silent;  // and none of them reads what it is told
  for (int i = 0; i < 30; ++i) {
    silent.emplace_back(world.io).connect(Local::endpoint(world.options.listener.path));
    const std::string_view greeting("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
    if (i % 2 == 0) asio::write(silent.back(), asio::buffer(greeting));
    world.io.poll();
    world.io.restart();
    // Some have not gone yet: a quarter and one more.
    CHECK(world.endpoint->connections() <= 6);
  }
  world.connect();
  world.call(0);
  CHECK(world.logged("connection refused") == 0);
}

TEST_CASE("Where memory is lacking, the connection that gives way has left its part at once") {
  constexpr size_t kPlaces = 3;
  LimitsFixture world(
      {.max_memory_per_peer = kPlaces * PeerShares::kReservedBytes, .guaranteed_memory = 0});
  for (size_t i = 0; i < kPlaces + 2; ++i) {
    world.connect();
    REQUIRE(
        world.run_until([&] { return world.endpoint->connections() == std::min(i + 1, kPlaces); }));
    world.io.poll();
  }
  REQUIRE(world.run_until([&] { return world.closed == 2; }));
  CHECK(world.told_to_go() == "0 1");
  CHECK(world.logged("connection refused") == 0);
}

TEST_CASE("Connections of another user do not give way") {
  if (geteuid() != 0) {
    std::cout << "SKIPPED: only root can become another user\n";
    return;
  }
  LimitsFixture world({.max_connections = 2}, 0666);
  world.connect_as(1);
  world.connect();
  REQUIRE(world.run_until([&] { return world.endpoint->connections() == 2; }));
  world.hold_call(1);
  world.connect();
  REQUIRE(world.run_until([&] { return world.closed == 1; }));
  CHECK(world.told_to_go().empty());
  CHECK(world.logged("connection refused") == 1);
}

TEST_CASE("Who connects and ends is turned away, so that nobody gets a share for each process") {
  LimitsFixture world;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    world.options.listener.path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    // What has connected stays in the queue of who listens.
    _exit(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  REQUIRE(world.run_until([&] { return world.logged("connection refused") == 1; }));
  CHECK_THAT(world.lines.back(), Catch::Contains("the process that connected has ended already"));
  world.connect();
  CHECK(world.run_until([&] { return world.endpoint->connections() == 1; }));
}

// Processes of one user, each in a PID namespace of its own, that connect and stay connected.
class Containers {
 public:
  explicit Containers(const std::string& socket) {
    socket.copy(address_.sun_path, sizeof(address_.sun_path) - 1);
    REQUIRE(pipe(stays_) == 0);
  }
  ~Containers() {
    close(stays_[1]);
    for (const pid_t child : children_) waitpid(child, nullptr, 0);
    close(stays_[0]);
  }
  void add(uid_t user) {
    children_.push_back(fork());
    REQUIRE(children_.back() >= 0);
    if (children_.back() > 0) return;
    close(stays_[1]);
    if (unshare(CLONE_NEWPID) != 0) _exit(1);
    const pid_t first = fork();
    if (first != 0) _exit(waitpid(first, nullptr, 0) == first ? 0 : 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const auto* address = reinterpret_cast<const sockaddr*>(&address_);
    const bool is_connected =
        setresuid(user, user, user) == 0 && ::connect(socket, address, sizeof(address_)) == 0;
    char none = 0;
    _exit(is_connected && read(stays_[0], &none, 1) == 0 ? 0 : 1);
  }

 private:
  sockaddr_un address_{.sun_family = AF_UNIX, .sun_path = {}};
  int stays_[2] = {-1, -1};
  std::vector<pid_t> children_;
};

TEST_CASE("A user that makes PID namespaces leaves the others their places") {
  if (geteuid() != 0) {
    std::cout << "SKIPPED: only root can become another user\n";
    return;
  }
  LimitsFixture world({.max_connections_per_peer = 4}, 0666);
  REQUIRE(chmod(world.directory.path().c_str(), 0755) == 0);
  Containers containers(world.options.listener.path);
  for (size_t count = 1; count <= 2; ++count) {
    containers.add(1);
    REQUIRE(world.run_until([&] { return world.endpoint->connections() == count; }));
  }
  containers.add(1);
  REQUIRE(world.run_until([&] { return world.logged("in all PID namespaces together") == 1; }));
  containers.add(0);
  REQUIRE(world.run_until([&] { return world.endpoint->connections() == 3; }));
}

TEST_CASE("The users of a container have one share together") {
  const auto key = [](unsigned user, bool is_own, uint64_t pid_namespace) {
    return Peer{.user = user, .same_pid_namespace = is_own, .pid_namespace = pid_namespace}.key();
  };
  CHECK(key(1, false, 7) == key(2, false, 7));
  CHECK(key(1, false, 7) != key(1, false, 8));
  CHECK(key(1, false, 0) == key(2, false, 0));
  CHECK(key(1, true, 5) != key(2, true, 5));
}

TEST_CASE("A system without descriptors does not fill the log") {
  LimitsFixture world;
  world.connect();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int next = dup(0);
  close(next);
  const rlimit none{static_cast<rlim_t>(next), before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  // Ten tries a second; two seconds are twice as many as lines are allowed.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end) world.io.run_one_until(end);
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK(world.logged("cannot accept a connection") > 0);
  CHECK(world.logged("cannot accept a connection") <= observe::RateLimitedLog::kFew.lines);
  CHECK(world.run_until([&] { return world.endpoint->connections() == 1; }));
}

// The ping itself, and what becomes of who does not answer it, are tested with the connection.
TEST_CASE("Who is idle is asked for a sign of life only where connections are scarce") {
  LimitsFixture world({.max_connections = 4});
  Local::socket silent(world.io);
  silent.connect(Local::endpoint(world.options.listener.path));
  asio::write(silent, asio::buffer("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33));
  silent.non_blocking(true);
  std::string heard;
  const auto was_pinged = [&] {
    std::string frames(1000, '\0');
    boost::system::error_code ignored;
    frames.resize(silent.read_some(asio::buffer(frames), ignored));
    heard += frames;
    return heard.find("ls-probe") != std::string::npos;
  };
  world.connect();
  REQUIRE(world.run_until([&] { return world.endpoint->connections() == 2; }));
  CHECK_FALSE(was_pinged());
  world.connect();
  REQUIRE(world.run_until([&] { return world.endpoint->connections() == 3; }));
  CHECK(world.run_until([&] { return was_pinged(); }));
}

}  // namespace
}  // namespace longshore::endpoint
