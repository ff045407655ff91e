// longshore.host.v1.Endpoint, called as modules call it, before gRPC clients.
#include "main/endpoint_service.h"

#include <sys/stat.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "longshore/host/endpoint.pb.h"
#include "tests/support/eventually.h"
#include "tests/support/host_service_world.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_client.h"

namespace longshore {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Local = boost::asio::local::stream_protocol;
using host::v1::EndpointEvent;
using router::Recorder;
using test::eventually;
using test::TestClient;

const std::string kServe = "longshore.host.v1.Endpoint/Serve";
const std::string kRespond = "longshore.host.v1.Endpoint/Respond";
const std::string kMethod = "acme.Shelf/Get";

std::string serve_request(const std::string& path,
                          const std::vector<std::string>& methods = {kMethod}) {
  host::v1::EndpointServeRequest request;
  request.set_path(path);
  for (const std::string& method : methods) request.add_methods(method);
  return request.SerializeAsString();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

std::optional<ino_t> inode_of(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_ino;
}

// As a process that was killed leaves it.
void leave_socket(const std::string& path) {
  boost::asio::io_context io;
  const Local::acceptor acceptor(io, Local::endpoint(path));
}

// A socket that is served, and what its server hears.
struct Served {
  std::vector<EndpointEvent> told(EndpointEvent::Type type) const {
    std::vector<EndpointEvent> all;
    for (const std::string& message : recorder->received.get().messages) {
      EndpointEvent event;
      REQUIRE(event.ParseFromString(message));
      if (event.type() == type) all.push_back(event);
    }
    return all;
  }
  bool awaits(EndpointEvent::Type type, size_t count) const {
    return eventually([&] { return told(type).size() >= count; });
  }
  EndpointEvent next_call(size_t count = 1) const {
    REQUIRE(awaits(EndpointEvent::TYPE_CALL, count));
    return told(EndpointEvent::TYPE_CALL).back();
  }
  // While the clients take in what has come.
  bool hears_calls(size_t count, std::initializer_list<TestClient*> clients) const {
    return eventually([&] {
      for (TestClient* const client : clients) client->catch_up();
      return told(EndpointEvent::TYPE_CALL).size() >= count;
    });
  }
  bool hears_gone(uint64_t id) const {
    return awaits(EndpointEvent::TYPE_GONE, 1) && told(EndpointEvent::TYPE_GONE).front().id() == id;
  }

  std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
  std::shared_ptr<router::Call> call;
};

struct EndpointWorld {
  EndpointWorld() {
    world.configuration.agent.control_dir = folder / "control";
    world.configuration.agent.state_dir = folder / "state";
    world.configuration.agent.run_dir = folder / "run";
    world.configuration.agent.http.address = "unix://" + folder / "http.sock";
    world.configuration.endpoints.push_back(
        {.name = "all", .address = "unix://" + folder / "all.sock"});
    world.serve(service);
  }
  ~EndpointWorld() {
    world.end_calls();
    service->stop();
  }

  Served serve(const std::string& at, const std::string& module = "one", bool has_room = true) {
    Served served;
    served.recorder->has_room = has_room;
    served.call = world.call(kServe, serve_request(at), served.recorder, module);
    REQUIRE(served.awaits(EndpointEvent::TYPE_LISTENING, 1));
    return served;
  }
  std::shared_ptr<Recorder> respond(uint64_t id, const std::string& message, int code = 0,
                                    const std::string& module = "one") {
    host::v1::EndpointRespondRequest request;
    request.set_id(id);
    request.set_code(code);
    request.set_text(code == 0 ? "" : "not now");
    request.set_message(message);
    return world.ask(kRespond, request.SerializeAsString(), module);
  }
  std::shared_ptr<Recorder> refused(const std::string& at, const std::string& module = "one") {
    return world.ask(kServe, serve_request(at), module);
  }

  test::TemporaryDirectory folder;
  const std::string path = folder / "a.sock";
  test::HostServiceWorld world;
  const std::shared_ptr<EndpointService> service = EndpointService::make().value();
};

}  // namespace

TEST_CASE_METHOD(EndpointWorld, "A client's call is told of, and answered by its id, once") {
  leave_socket(path);  // which is replaced
  const Served served = serve(path);
  struct stat status {};
  REQUIRE(lstat(path.c_str(), &status) == 0);
  CHECK(S_ISSOCK(status.st_mode));
  CHECK((status.st_mode & 07777) == 0600);
  TestClient client(path);
  const auto answer = client.start(kMethod, "a request");
  REQUIRE(served.hears_calls(1, {&client}));
  const EndpointEvent call = served.next_call();
  CHECK(call.method() == kMethod);
  CHECK(call.message() == "a request");
  // Another module's call is not told of.
  CHECK(respond(call.id(), "x", 0, "other")->code() == StatusCode::kNotFound);
  CHECK(respond(call.id(), "x", -1)->code() == StatusCode::kInvalidArgument);
  CHECK(respond(call.id(), "x", 17)->code() == StatusCode::kInvalidArgument);
  CHECK(respond(call.id(), std::string(ServedSocket::kMaxMessageBytes + 1, 'x'))->code() ==
        StatusCode::kInvalidArgument);
  CHECK(respond(call.id(), "an answer")->code() == StatusCode::kOk);
  REQUIRE(client.run_until([&] { return answer->finished(); }));
  CHECK(answer->code() == StatusCode::kOk);
  CHECK(answer->messages == std::vector<std::string>{"an answer"});
  CHECK(respond(call.id(), "x")->code() == StatusCode::kNotFound);
  // The connection goes on.
  const auto failure = client.start(kMethod, "");
  REQUIRE(served.hears_calls(2, {&client}));
  CHECK(respond(served.next_call(2).id(), "", 9)->code() == StatusCode::kOk);
  REQUIRE(client.run_until([&] { return failure->finished(); }));
  CHECK(failure->code() == StatusCode::kFailedPrecondition);
  CHECK(failure->text() == "not now");
  CHECK(client.accepts_calls());
}

TEST_CASE_METHOD(EndpointWorld,
                 "What is no call of the socket's methods is refused to its client") {
  const Served served = serve(path);
  TestClient client(path);
  const auto unknown = client.call("acme.Shelf/Put", "");
  CHECK(unknown->code() == StatusCode::kUnimplemented);
  CHECK(unknown->text() == "\"acme.Shelf/Put\" is not served on this socket");
  CHECK(client.call("grpc.health.v1.Health/Check", "")->code() == StatusCode::kUnimplemented);
  CHECK(client.call(kMethod, std::string(ServedSocket::kMaxMessageBytes + 1, 'x'))->code() ==
        StatusCode::kResourceExhausted);
  const auto two = client.open(kMethod);
  two->call->send("one");
  two->call->send("two");
  two->call->half_close();
  REQUIRE(client.run_until([&] { return two->finished(); }));
  CHECK(two->code() == StatusCode::kInvalidArgument);
  const auto none = client.open(kMethod);
  none->call->half_close();
  REQUIRE(client.run_until([&] { return none->finished(); }));
  CHECK(none->code() == StatusCode::kInvalidArgument);
  CHECK(served.told(EndpointEvent::TYPE_CALL).empty());
}

TEST_CASE_METHOD(EndpointWorld, "Who serves hears when nobody waits any more") {
  const Served served = serve(path);
  uint64_t id = 0;
  SECTION("since the client has gone") {
    TestClient client(path);
    client.start(kMethod, "");
    REQUIRE(served.hears_calls(1, {&client}));
    id = served.next_call().id();
  }
  SECTION("since its deadline is over") {
    TestClient client(path);
    const auto late = client.call(kMethod, "", test::with_timeout(50ms));
    CHECK(late->code() == StatusCode::kDeadlineExceeded);
    id = served.next_call().id();
  }
  CHECK(served.hears_gone(id));
  CHECK(respond(id, "x")->code() == StatusCode::kNotFound);
}

TEST_CASE_METHOD(EndpointWorld, "A socket that somebody removes or replaces is made anew") {
  const Served served = serve(path);
  TestClient connected(path);
  fs::remove(path);
  REQUIRE(served.awaits(EndpointEvent::TYPE_LISTENING, 2));
  CHECK(inode_of(path).has_value());
  // A socket that nobody listens on any more takes its place.
  leave_socket(folder / "b.sock");
  fs::rename(folder / "b.sock", path);
  REQUIRE(served.awaits(EndpointEvent::TYPE_LISTENING, 3));
  const auto answer = connected.start(kMethod, "");
  REQUIRE(served.hears_calls(1, {&connected}));
  CHECK(respond(served.next_call().id(), "")->code() == StatusCode::kOk);
  REQUIRE(connected.run_until([&] { return answer->finished(); }));
  CHECK(answer->code() == StatusCode::kOk);
  TestClient anew(path);
  CHECK(anew.call("acme.Shelf/Put", "")->code() == StatusCode::kUnimplemented);
  // What is no socket stays, and ends the service.
  fs::remove(path);
  REQUIRE(served.awaits(EndpointEvent::TYPE_LISTENING, 4));
  test::write_file(folder / "file", "a file");
  fs::rename(folder / "file", path);
  REQUIRE(served.recorder->await());
  CHECK(served.recorder->code() == StatusCode::kFailedPrecondition);
  CHECK(contains(served.recorder->text(), "there is something that is not a socket"));
  CHECK(fs::is_regular_file(path));
}

TEST_CASE_METHOD(EndpointWorld, "The end of the call removes the socket and ends its clients") {
  const Served served = serve(path);
  TestClient client(path);
  const auto waiting = client.start(kMethod, "");
  REQUIRE(served.hears_calls(1, {&client}));
  served.call->cancel();
  REQUIRE(client.run_until([&] { return client.closed(); }));
  CHECK(waiting->code() == StatusCode::kUnavailable);
  CHECK(eventually([&] { return !fs::exists(path); }));
  // It can be had again at once, and another's file is left alone.
  const Served again = serve(path);
  again.call->cancel();
  const Served third = serve(path, "other");
  CHECK(fs::exists(path));
}

TEST_CASE_METHOD(EndpointWorld, "What cannot be served is refused with a sentence") {
  for (const std::string bad : {"", "a.sock", "/", "/a/", "/a/../b", "/a//b", "//a", "unix:///a"}) {
    CHECK(refused(bad)->code() == StatusCode::kInvalidArgument);
  }
  const std::string long_path = '/' + std::string(107, 'x');
  const auto too_long = refused(long_path);
  CHECK(too_long->code() == StatusCode::kInvalidArgument);
  CHECK(contains(too_long->text(),
                 '"' + long_path + "\": the path has 108 bytes, and that of a socket 107 at most"));
  for (const std::string method : {"", "Get", "/acme.Shelf/Get", "acme.Shelf/"}) {
    CHECK(world.ask(kServe, serve_request(path, {method}))->code() == StatusCode::kInvalidArgument);
  }
  CHECK(world.ask(kServe, serve_request(path, {}))->code() == StatusCode::kInvalidArgument);
  CHECK(world.ask(kServe, "\xff\xff")->code() == StatusCode::kInvalidArgument);
  const auto nowhere = refused(folder / "none/a.sock");
  CHECK(nowhere->code() == StatusCode::kNotFound);
  CHECK(contains(nowhere->text(), "there is no folder " + folder / "none"));
  CHECK_FALSE(fs::exists(folder / "none"));

  test::write_file(path, "a file");
  CHECK(contains(refused(path)->text(), "there is something that is not a socket"));
  fs::remove(path);
  fs::create_symlink(folder / "elsewhere", path);
  CHECK(contains(refused(path)->text(), "there is a link, which is not followed"));
  fs::remove(path);

  const Served served = serve(path);
  CHECK(refused(path, "other")->code() == StatusCode::kAlreadyExists);
  // By another path it is still somebody's.
  fs::create_hard_link(path, folder / "b.sock");
  const auto taken = refused(folder / "b.sock");
  CHECK(taken->code() == StatusCode::kFailedPrecondition);
  CHECK(contains(taken->text(),
                 "listens on it; stop the other agent, or give this one another "
                 "path"));
}

TEST_CASE_METHOD(EndpointWorld, "The places of the agent's own sockets and state are refused") {
  for (const char* own : {"control", "state/modules", "run/csi-proxy/disk-v1", "run/mine"}) {
    fs::create_directories(folder / own);
  }
  fs::create_directory_symlink(folder / "control", folder / "link");
  fs::create_directory_symlink(folder / "", folder / "same");
  for (const char* at : {"control/control.sock", "link/a.sock", "same/link/a.sock", "state/a.sock",
                         "state/modules/a.sock", "run/csi-proxy/a.sock",
                         "run/csi-proxy/disk-v1/csi-proxy-disk-v1.sock", "all.sock",
                         "same/all.sock", "http.sock", "same/http.sock"}) {
    CAPTURE(at);
    const auto own = refused(folder / at);
    CHECK(own->code() == StatusCode::kInvalidArgument);
    CHECK(contains(own->text(), "give it another path"));
    CHECK_FALSE(fs::exists(folder / at));
  }
  CHECK(contains(refused(folder / "link/a.sock")->text(),
                 "the agent keeps what is its own in " + folder / "control"));
  // Beside them all is as everywhere.
  serve(folder / "run/mine/all.sock");
  serve(folder / "same/control.sock");
}

TEST_CASE_METHOD(EndpointWorld, "Sockets that are removed all the time do not fill the log") {
  const Served served = serve(path);
  for (size_t i = 0; i < 15; ++i) {
    fs::remove(path);
    REQUIRE(served.awaits(EndpointEvent::TYPE_LISTENING, 2 + i));
  }
  service->stop();
  const auto count = [&](const std::string& text) {
    return std::ranges::count_if(world.lines.get(),
                                 [&](const std::string& line) { return contains(line, text); });
  };
  CHECK(count("somebody has removed or replaced") == observe::RateLimitedLog::kFew.lines);
  CHECK(count("5 log lines were dropped: too many in a minute") == 1);
}

TEST_CASE_METHOD(EndpointWorld,
                 "Calls wait for who reads slowly; past their bound they are refused") {
  const Served served = serve(path, "one", false);
  TestClient client(path);
  const auto first = client.start(kMethod, "first");
  // With what the events have besides.
  const std::string message(ServedSocket::kMaxMessageBytes, 'x');
  std::vector<std::shared_ptr<test::Answer>> waiting;
  for (size_t i = 1; i < PendingEvents::kMaxRequestBytes / message.size(); ++i) {
    waiting.push_back(client.start(kMethod, message));
  }
  const auto surplus = client.call(kMethod, message);
  CHECK(surplus->code() == StatusCode::kUnavailable);
  CHECK(contains(surplus->text(), "does not read its calls"));
  CHECK(served.told(EndpointEvent::TYPE_CALL).empty());
  served.call->resume();
  CHECK(served.next_call().message() == "first");
  CHECK(respond(served.next_call().id(), "")->code() == StatusCode::kOk);
  REQUIRE(client.run_until([&] { return first->finished(); }));
  CHECK(first->code() == StatusCode::kOk);
  served.call->resume();
  CHECK(served.next_call(2).message() == message);
}

TEST_CASE_METHOD(EndpointWorld, "There are bounds for calls, clients and sockets") {
  const Served served = serve(path);
  TestClient client(path);
  std::vector<std::shared_ptr<test::Answer>> waiting;
  for (size_t i = 0; i < EndpointService::kMaxWaiting / 2; ++i) {
    waiting.push_back(client.start(kMethod, ""));
  }
  TestClient second(path);
  for (size_t i = waiting.size(); i < EndpointService::kMaxWaiting; ++i) {
    waiting.push_back(second.start(kMethod, ""));
  }
  REQUIRE(served.hears_calls(EndpointService::kMaxWaiting, {&client, &second}));
  CHECK(client.call(kMethod, "")->code() == StatusCode::kResourceExhausted);

  std::vector<std::unique_ptr<TestClient>> clients;
  for (size_t i = 2; i < ServedSocket::kMaxConnections; ++i) {
    clients.push_back(std::make_unique<TestClient>(path));
    CHECK(clients.back()->call("acme.Shelf/Put", "")->code() == StatusCode::kUnimplemented);
  }
  TestClient surplus(path);
  CHECK(surplus.run_until([&] { return surplus.closed(); }));

  for (size_t i = 1; i < EndpointService::kMaxSockets; ++i) serve(folder / std::to_string(i));
  CHECK(refused(folder / "surplus")->code() == StatusCode::kResourceExhausted);
}

TEST_CASE_METHOD(EndpointWorld, "The end of the service removes its sockets, and ends all calls") {
  const Served served = serve(path);
  TestClient client(path);
  const auto waiting = client.start(kMethod, "");
  REQUIRE(served.hears_calls(1, {&client}));
  service->stop();
  CHECK(served.recorder->code() == StatusCode::kUnavailable);
  CHECK_FALSE(fs::exists(path));
  REQUIRE(client.run_until([&] { return waiting->finished(); }));
  CHECK(waiting->code() == StatusCode::kUnavailable);
  CHECK(refused(path)->code() == StatusCode::kUnavailable);
}

}  // namespace longshore
