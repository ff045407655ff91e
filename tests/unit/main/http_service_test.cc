// longshore.host.v1.Http, called as modules call it, before HTTP clients.
#include "main/http_service.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "longshore/host/http.pb.h"
#include "tests/support/eventually.h"
#include "tests/support/host_service_world.h"
#include "tests/support/http_connection.h"

namespace longshore {
namespace {

using host::v1::HttpEvent;
using router::Recorder;
using test::eventually;
using test::http_get;
using test::HttpConnection;

const std::string kServe = "longshore.host.v1.Http/Serve";
const std::string kRespond = "longshore.host.v1.Http/Respond";
const std::string kGet = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string serve_request(const std::string& address, const std::string& path = "/healthz") {
  host::v1::HttpServeRequest request;
  request.set_address(address);
  request.set_path(path);
  return request.SerializeAsString();
}

// A page that is served, and what its server hears.
struct Served {
  std::vector<HttpEvent> events() const {
    std::vector<HttpEvent> all;
    for (const std::string& message : recorder->received.get().messages) {
      HttpEvent event;
      REQUIRE(event.ParseFromString(message));
      all.push_back(event);
    }
    return all;
  }
  // The ids that it was told of in this way.
  std::vector<uint64_t> told(HttpEvent::Type type) const {
    std::vector<uint64_t> ids;
    for (const HttpEvent& event : events()) {
      if (event.type() == type) ids.push_back(event.id());
    }
    return ids;
  }
  uint64_t next_request(size_t count = 1) const {
    REQUIRE(eventually([&] { return told(HttpEvent::TYPE_REQUEST).size() >= count; }));
    return told(HttpEvent::TYPE_REQUEST).back();
  }

  std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
  std::shared_ptr<router::Call> call;
  uint16_t port = 0;
};

struct HttpWorld {
  // `own`: the address of the agent's own pages.
  explicit HttpWorld(const std::string& own = {}) {
    world.configuration.agent.http.address = own;
    world.serve(service);
  }
  ~HttpWorld() {
    world.end_calls();
    service->stop();
  }

  Served serve(const std::string& address, const std::string& path = "/healthz",
               const std::string& module = "one", bool has_room = true) {
    Served served;
    served.recorder->has_room = has_room;
    served.call = world.call(kServe, serve_request(address, path), served.recorder, module);
    REQUIRE(eventually([&] { return !served.events().empty(); }));
    const HttpEvent first = served.events().front();
    REQUIRE(first.type() == HttpEvent::TYPE_LISTENING);
    served.port =
        static_cast<uint16_t>(std::stoul(first.address().substr(first.address().rfind(':') + 1)));
    return served;
  }
  std::shared_ptr<Recorder> respond(uint64_t id, uint32_t status, const std::string& body,
                                    const std::string& module = "one",
                                    const std::string& type = "text/plain") {
    host::v1::HttpRespondRequest request;
    request.set_id(id);
    request.set_status(status);
    request.set_content_type(type);
    request.set_body(body);
    return world.ask(kRespond, request.SerializeAsString(), module);
  }

  test::HostServiceWorld world;
  const std::shared_ptr<HttpService> service = HttpService::make().value();
};

}  // namespace

TEST_CASE_METHOD(HttpWorld, "A request is told of, and answered by its id, once") {
  const Served served = serve("127.0.0.1:0");
  HttpConnection client(served.port);
  client.send(kGet);
  const uint64_t id = served.next_request();
  // Another module's request is not told of.
  CHECK(respond(id, 200, "ok", "other")->code() == StatusCode::kNotFound);
  CHECK(respond(id, 99, "ok")->code() == StatusCode::kInvalidArgument);
  CHECK(respond(id, 200, "ok", "one", "text\r\nX: y")->code() == StatusCode::kInvalidArgument);
  CHECK(respond(id, 200, "ok", "one", std::string(257, 'x'))->code() ==
        StatusCode::kInvalidArgument);
  for (const uint32_t status : {204u, 304u}) {
    const auto bodily = respond(id, status, "ok");
    CHECK(bodily->code() == StatusCode::kInvalidArgument);
    CHECK(bodily->text().find("it has a body, and one of the status") != std::string::npos);
  }
  CHECK(respond(id, 500, "not ready")->code() == StatusCode::kOk);
  const auto answer = client.read();
  CHECK(answer.status == 500);
  CHECK(answer.body == "not ready");
  CHECK(answer.headers.at("content-type") == "text/plain");
  CHECK(respond(id, 200, "ok")->code() == StatusCode::kNotFound);
  // The connection goes on.
  client.send(kGet);
  CHECK(respond(served.next_request(2), 200, "ok")->code() == StatusCode::kOk);
  CHECK(client.read().body == "ok");
  CHECK(http_get(served.port, "/other").status == 404);
}

TEST_CASE_METHOD(HttpWorld, "Who serves hears when nobody waits any more") {
  const Served served = serve("127.0.0.1:0");
  uint64_t id = 0;
  {
    HttpConnection client(served.port);
    client.send(kGet);
    id = served.next_request();
  }
  CHECK(eventually([&] { return served.told(HttpEvent::TYPE_GONE) == std::vector<uint64_t>{id}; }));
  CHECK(respond(id, 200, "ok")->code() == StatusCode::kNotFound);
}

TEST_CASE_METHOD(HttpWorld, "Pages share a port, which is closed with the last of them") {
  // A port that was free a moment ago.
  const Served any = serve("127.0.0.1:0");
  any.call->cancel();
  const std::string address = "127.0.0.1:" + std::to_string(any.port);
  const Served first = serve(address, "/first");
  const Served second = serve(address, "/second", "other");
  const auto taken = world.ask(kServe, serve_request(address, "/first"));
  CHECK(taken->code() == StatusCode::kAlreadyExists);
  HttpConnection client(first.port);
  client.send("GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n");
  first.next_request();
  CHECK(second.told(HttpEvent::TYPE_REQUEST).empty());
  first.call->cancel();
  CHECK(client.read().status == 503);
  CHECK(http_get(first.port, "/first").status == 404);
  second.call->cancel();
  // It can be had again at once.
  const Served third = serve(address, "/first");
  HttpConnection other(third.port);
  other.send("GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(respond(third.next_request(), 200, "ok")->code() == StatusCode::kOk);
  CHECK(other.read().body == "ok");
}

TEST_CASE(
    "At the address of the agent's own pages a controller's come first, once these are there") {
  // A port that was free a moment ago.
  const uint16_t port = HttpWorld().serve("127.0.0.1:0").port;
  const std::string address = "127.0.0.1:" + std::to_string(port);
  HttpWorld shared(address);
  const auto early = std::make_shared<Recorder>();
  shared.world.call(kServe, serve_request(address), early);
  const auto gone = std::make_shared<Recorder>();
  shared.world.call(kServe, serve_request(address), gone)->cancel();
  shared.service->own_port_is("it is taken");
  early->await();
  CHECK(early->code() == StatusCode::kUnavailable);
  CHECK(early->text() == "it is taken");
  CHECK(shared.world.ask(kServe, serve_request(address))->text() == "it is taken");
  const auto own = [](const observe::HttpQuery& query) {
    return observe::text_page(200, "own " + query.path);
  };
  const auto server = observe::HttpStatusServer::listen_late(
      "127.0.0.1", port, shared.service->before(own), *shared.world.log);
  REQUIRE(server);
  REQUIRE((*server)->start());
  shared.service->own_port_is({});
  const Served served = shared.serve(address);
  CHECK(served.port == port);
  HttpConnection client(port);
  client.send(kGet);
  CHECK(shared.respond(served.next_request(), 500, "not ready")->code() == StatusCode::kOk);
  CHECK(client.read().body == "not ready");
  CHECK(http_get(port, "/metrics").body == "own /metrics");
  served.call->cancel();
  CHECK(http_get(port, "/healthz").body == "own /healthz");
  shared.service->stop();
  CHECK(http_get(port, "/healthz").body == "own /healthz");
}

TEST_CASE_METHOD(HttpWorld, "Several clients at once wait for a page that is told of one by one") {
  const Served served = serve("127.0.0.1:0", "/healthz", "one", false);
  std::vector<std::unique_ptr<HttpConnection>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<HttpConnection>(served.port));
    clients.back()->send(kGet);
  }
  for (size_t count = 1; count <= clients.size(); ++count) {
    // Room for one each time, once the one before is told.
    served.call->resume();
    CHECK(respond(served.next_request(count), 200, "ok")->code() == StatusCode::kOk);
  }
  for (const auto& client : clients) CHECK(client->read().status == 200);
}

TEST_CASE_METHOD(HttpWorld, "Who reads late hears of a client that has gone meanwhile") {
  const Served served = serve("127.0.0.1:0", "/healthz", "one", false);
  uint64_t id = 0;
  {
    HttpConnection client(served.port);
    client.send(kGet);
    served.call->resume();
    id = served.next_request();
  }
  // The port's thread, which sees the end of the client, has been about since.
  CHECK(http_get(served.port, "/other").status == 404);
  CHECK(eventually([&] {
    served.call->resume();
    return served.told(HttpEvent::TYPE_GONE) == std::vector<uint64_t>{id};
  }));
}

TEST_CASE_METHOD(HttpWorld, "A port alone is all addresses, as is that of IPv6") {
  const Served any = serve(":0");
  CHECK(http_get(any.port, "/other").status == 404);  // by IPv4
  CHECK(any.events().front().address() == "[::]:" + std::to_string(any.port));
  any.call->cancel();
  const Served first = serve(':' + std::to_string(any.port), "/first");
  const Served second = serve("[::]:" + std::to_string(any.port), "/second");
  CHECK(second.port == first.port);
}

TEST_CASE_METHOD(HttpWorld, "What cannot be served is refused with a sentence") {
  for (const std::string address : {"", "9808", "localhost", "host.example:80", "[::1]",
                                    "1.2.3.4:x", "unix:///run/socket", "127.0.0.1:65536"}) {
    const auto refused = world.ask(kServe, serve_request(address));
    CHECK(refused->code() == StatusCode::kInvalidArgument);
    CHECK(refused->text().find("it is not an IP address and a port; write it as") !=
          std::string::npos);
  }
  for (const std::string path : {"", "healthz", "/a?b", "/a\r\n"}) {
    CHECK(world.ask(kServe, serve_request("127.0.0.1:0", path))->code() ==
          StatusCode::kInvalidArgument);
  }
  const auto elsewhere = world.ask(kServe, serve_request("192.0.2.1:0"));
  CHECK(elsewhere->text().find("cannot listen for HTTP on \"192.0.2.1:0\": ") == 0);
}

TEST_CASE_METHOD(HttpWorld, "There is a bound for pages, and the end of the service ends them") {
  const Served first = serve("127.0.0.1:0");
  HttpConnection waiting(first.port);
  waiting.send(kGet);
  first.next_request();
  for (size_t i = 1; i < HttpService::kMaxPages; ++i) serve("127.0.0.1:0");
  CHECK(world.ask(kServe, serve_request("127.0.0.1:0"))->code() == StatusCode::kResourceExhausted);
  service->stop();
  CHECK(waiting.read_to_end().empty());
}

}  // namespace longshore
