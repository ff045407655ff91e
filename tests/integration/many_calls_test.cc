// Many at once: calls for which there is no place wait, callers take turns, and clients that leave
// connections behind are served.
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "longshore/admin/v1.pb.h"
#include "longshore/echo/v1.pb.h"
#include "tests/integration/echo_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/eventually.h"
#include "tests/support/is_thorough.h"
#include "tests/support/test_client.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

const std::string kEcho = "longshore.echo.v1.Echo/";

std::string wait_request(std::chrono::milliseconds time, const std::string& object) {
  echo::v1::WaitRequest request;
  request.set_milliseconds(time.count());
  request.set_object(object);
  return request.SerializeAsString();
}

rpc::ClientCallOptions with_id(const std::string& id) {
  rpc::ClientCallOptions options = with_timeout(5min);
  options.metadata.push_back({"x-request-id", id});
  return options;
}

// The state of the call that has this request id; empty: there is none.
std::string state_of(const AgentDirectory& directory, const std::string& id) {
  admin::v1::TraceRequestRequest request;
  request.set_request_id(id);
  const auto answer =
      TestClient(directory.control_socket())
          .call("longshore.admin.v1.Admin/TraceRequest", request.SerializeAsString());
  admin::v1::TraceRequestResponse response;
  if (answer->messages.empty() || !response.ParseFromString(answer->messages[0])) return {};
  return response.calls().empty() ? "" : response.calls(0).state();
}

// When the calls were answered, in microseconds, by their request ids. The agent tells when they
// came to the millisecond.
std::map<std::string, int64_t> answered(const AgentDirectory& directory) {
  admin::v1::ListCallsRequest request;
  request.set_limit(1000);
  const auto answer = TestClient(directory.control_socket())
                          .call("longshore.admin.v1.Admin/ListCalls", request.SerializeAsString());
  admin::v1::ListCallsResponse response;
  REQUIRE(response.ParseFromString(answer->messages.at(0)));
  std::map<std::string, int64_t> times;
  for (const auto& call : response.calls()) {
    times[call.request_id()] = call.started_unix_ms() * 1000 + call.took_us();
  }
  return times;
}

// Another process of the same user, made before this one has clients. It makes one call when it is
// told to.
class OtherProcess {
 public:
  OtherProcess(const std::string& socket, const std::string& method, const std::string& id) {
    REQUIRE(pipe(begin_) == 0);
    id_ = fork();
    REQUIRE(id_ >= 0);
    if (id_ == 0) run(socket, method, id);
    close(begin_[0]);
  }
  ~OtherProcess() {
    if (begin_[1] >= 0) close(begin_[1]);
    if (id_ > 0) waitpid(id_, nullptr, 0);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  void begin() { CHECK(write(begin_[1], "x", 1) == 1); }
  bool goes_well() {
    int status = -1;
    return waitpid(std::exchange(id_, -1), &status, 0) > 0 && status == 0;
  }

 private:
  [[noreturn]] void run(const std::string& socket, const std::string& method,
                        const std::string& id) const {
    close(begin_[1]);
    char told = 0;
    if (read(begin_[0], &told, 1) != 1) _exit(2);
    try {
      _exit(TestClient(socket).call(method, "", with_id(id))->code() == StatusCode::kOk ? 0 : 1);
    } catch (...) {
      _exit(3);
    }
  }

  int begin_[2] = {-1, -1};
  pid_t id_ = -1;
};

// As a driver's client: where the server has said that it takes no more, or has not seen the call,
// it connects anew.
class Driver {
 public:
  explicit Driver(const AgentDirectory& directory) : socket_(directory.echo_socket()) {
    silent_.connect(boost::asio::local::stream_protocol::endpoint(socket_));
  }
  StatusCode say() {
    for (int tries = 0; tries < 3; ++tries) {
      if (client_) client_->catch_up();  // clients read all the time
      if (!client_ || client_->closed() || !client_->accepts_calls()) {
        client_ = std::make_unique<TestClient>(socket_);
      }
      const auto answer = client_->call(kEcho + "Say", test::say("x"));
      if (!answer->outcome->unseen) return answer->code();
    }
    return StatusCode::kUnavailable;
  }

 private:
  const std::string socket_;
  boost::asio::io_context context_;
  // To see whether somebody is there; nothing is ever said on it.
  boost::asio::local::stream_protocol::socket silent_{context_};
  std::unique_ptr<TestClient> client_;
};

}  // namespace

TEST_CASE("No call of thousands is lost with 500 in flight and 16 places") {
  const size_t calls = is_thorough() ? 5000 : 2000;
  constexpr size_t kInFlight = 500;
  const std::string isolation = GENERATE(as<std::string>(), "in-process", "process");
  const bool for_one_object = GENERATE(false, true);
  INFO(isolation << ", " << for_one_object);
  const AgentDirectory directory;
  directory.configure({}, "isolation = \"" + isolation + "\"\ncall_timeout = \"5m\"\n");
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  TestClient client(directory.echo_socket());
  std::vector<std::shared_ptr<Answer>> in_flight;
  size_t started = 0;
  size_t lost = 0;
  const auto keep_busy = [&] {
    std::erase_if(in_flight, [&](const auto& each) {
      if (each->finished() && each->code() != StatusCode::kOk) ++lost;
      return each->finished();
    });
    for (; in_flight.size() < kInFlight && started < calls; ++started) {
      in_flight.push_back(
          client.start(kEcho + "Wait",
                       wait_request(2ms, for_one_object ? "disk" : std::to_string(started % 100))));
    }
    return in_flight.empty();
  };
  CHECK(client.run_until(keep_busy, 120s));
  CHECK(started == calls);
  CHECK(lost == 0);
  client.close();
  CHECK(agent.stop() == 0);
}

TEST_CASE("A driver's backlog delays another driver's call by one call") {
  constexpr int kBacklog = 484;
  const AgentDirectory directory;
  directory.configure({}, "call_timeout = \"5m\"\n");
  OtherProcess other(directory.echo_socket(), kEcho + "Describe", "other");
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  TestClient client(directory.echo_socket());
  std::vector<std::shared_ptr<Answer>> holds;
  for (int i = 0; i < 16; ++i) {
    holds.push_back(client.start(kEcho + "Wait", wait_request(5min, std::to_string(i)),
                                 with_id("hold-" + std::to_string(i))));
  }
  std::vector<std::shared_ptr<Answer>> backlog;
  for (int i = 0; i < kBacklog; ++i) {
    backlog.push_back(client.start(kEcho + "Wait", wait_request(5ms, "disk-" + std::to_string(i)),
                                   with_id("backlog-" + std::to_string(i))));
  }
  REQUIRE(eventually([&] {
    client.catch_up();
    return state_of(directory, "backlog-" + std::to_string(kBacklog - 1)) == "waiting";
  }));
  other.begin();
  REQUIRE(eventually([&] { return state_of(directory, "other") == "waiting"; }));
  holds[0]->call->cancel();
  REQUIRE(client.run_until([&] { return holds[0]->finished(); }));
  CHECK(other.goes_well());
  for (const auto& each : backlog) {
    REQUIRE(client.run_until([&] { return each->finished(); }));
    CHECK(each->code() == StatusCode::kOk);
  }
  // One place was free, so they have come one after the other.
  auto times = answered(directory);
  REQUIRE(times.contains("other"));
  for (int i = 0; i < kBacklog; ++i) {
    const std::string id = "backlog-" + std::to_string(i);
    REQUIRE(times.contains(id));
    if (i > 0) CHECK(times[id] > times["other"]);
  }
  for (const auto& each : holds) each->call->cancel();
  client.close();
  CHECK(agent.stop() == 0);
}

TEST_CASE("Of 300 clients that each leave two connections behind none is turned away") {
  const AgentDirectory directory;
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  std::vector<std::unique_ptr<Driver>> drivers;
  for (int i = 0; i < 300; ++i) {
    drivers.push_back(std::make_unique<Driver>(directory));
    CHECK(drivers.back()->say() == StatusCode::kOk);
  }
  // Those who have been told to go meanwhile do not lose a call either.
  for (const auto& driver : drivers) CHECK(driver->say() == StatusCode::kOk);
  CHECK(directory.log().find("connection refused") == std::string::npos);
  CHECK(agent.stop() == 0);
}
