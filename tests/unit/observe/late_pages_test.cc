// Pages of the HTTP server that are made elsewhere, and late.
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "observe/http_status_server.h"
#include "tests/support/eventually.h"
#include "tests/support/http_connection.h"
#include "tests/unit/router/waiting.h"

namespace longshore::observe {
namespace {

using namespace std::chrono_literals;
using test::http_get;
using test::HttpConnection;

struct LateServer {
  explicit LateServer(HttpServerOptions options = {}) {
    auto opened = HttpStatusServer::listen_late(
        "127.0.0.1", 0,
        [this](const HttpQuery&, HttpAnswer answer) {
          answers.change([&](auto& all) { all.push_back(std::move(answer)); });
          return std::shared_ptr<void>(nullptr, [this](void*) { ++let_go; });
        },
        *log, options);
    REQUIRE(opened);
    server = *std::move(opened);
    REQUIRE(server->start());
  }
  HttpAnswer answer(size_t number) {
    REQUIRE(answers.wait([&](const auto& all) { return all.size() > number; }));
    return answers.get().at(number);
  }

  std::unique_ptr<Log> log = Log::open({.write = [](Level, std::string_view) {}}).value();
  router::Watched<std::vector<HttpAnswer>> answers;
  std::atomic<int> let_go{0};
  std::unique_ptr<HttpStatusServer> server;
};

}  // namespace

TEST_CASE("A late page is answered when it is there, while others are; the first answer counts") {
  LateServer world;
  const std::string request = "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n";
  HttpConnection first(world.server->port());
  first.send(request);
  const HttpAnswer late = world.answer(0);
  HttpConnection second(world.server->port());
  // With the next request behind it, which has to wait for its turn.
  second.send(request + request);
  std::thread([&] { world.answer(1)(text_page(200, "second")); }).join();
  CHECK(second.read().body == "second");
  world.answer(2)(text_page(200, "third"));
  CHECK(second.read().body == "third");
  late(text_page(200, "first"));
  late(text_page(500, "again"));
  CHECK(first.read().body == "first");
  CHECK(test::eventually([&] { return world.let_go == 3; }));
}

TEST_CASE("A page that does not come in time is answered 504, and one for nobody is let go of") {
  HttpServerOptions options;
  options.page_timeout = 50ms;
  LateServer impatient(options);
  CHECK(http_get(impatient.server->port(), "/page").status == 504);
  impatient.answer(0)(text_page(200, "late"));
  LateServer world;
  {
    HttpConnection client(world.server->port());
    client.send("GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
    world.answer(0);
  }
  CHECK(test::eventually([&] { return world.let_go == 1; }));
}

TEST_CASE("Who waits for its page keeps its place before who is silent") {
  HttpServerOptions options;
  options.max_connections = 2;
  LateServer world(options);
  HttpConnection waiting(world.server->port());
  waiting.send("GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const HttpAnswer late = world.answer(0);
  HttpConnection silent(world.server->port());
  HttpConnection third(world.server->port());
  CHECK(silent.read_to_end().empty());
  late(text_page(200, "page"));
  CHECK(waiting.read().body == "page");
}

TEST_CASE("An answer may come when the server has ended") {
  LateServer world;
  HttpConnection client(world.server->port());
  client.send("GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const HttpAnswer late = world.answer(0);
  world.server.reset();
  CHECK(world.let_go == 1);
  late(text_page(200, "late"));
  CHECK(client.read_to_end().empty());
}

}  // namespace longshore::observe
