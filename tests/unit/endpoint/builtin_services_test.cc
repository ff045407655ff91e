// By when health and reflection have to be asked something, from the head on.
#include "endpoint/builtin_services.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace longshore::endpoint {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr const char* kCheck = "grpc.health.v1.Health/Check";
constexpr const char* kReflection = "grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

struct CountedAnswers final : rpc::ServerStream {
  bool send(std::string) override {
    ++sent;
    return true;
  }
  std::optional<Error> refusal() const override { return {}; }
  void finish(StatusCode, std::string, rpc::Metadata) override { is_finished = true; }
  void send_and_finish(std::string) override { is_finished = true; }

  int sent = 0;
  bool is_finished = false;
};

struct BuiltinCallInTest {
  explicit BuiltinCallInTest(const std::string& method,
                             std::optional<std::chrono::nanoseconds> timeout = {}) {
    rpc::CallHead head;
    head.path = "/" + method;
    head.timeout = timeout;
    handler =
        start_builtin_call(head, stream, std::make_shared<const loader::ServiceCatalog>(), nullptr);
    after = steady_clock::now();
    REQUIRE(handler);
  }
  steady_clock::time_point deadline() const { return handler->request_deadline(); }

  steady_clock::time_point before = steady_clock::now();  // the head came between these two
  steady_clock::time_point after;
  const std::shared_ptr<CountedAnswers> stream = std::make_shared<CountedAnswers>();
  std::unique_ptr<rpc::ServerCallHandler> handler;
};

}  // namespace

TEST_CASE("Who has opened a call of health or reflection has 30 s to ask") {
  const std::string method = GENERATE(as<std::string>(), kCheck, kReflection);
  CAPTURE(method);
  const BuiltinCallInTest call(method);
  CHECK(call.deadline() >= call.before + 30s);
  CHECK(call.deadline() <= call.after + 30s);
  const BuiltinCallInTest patient(method, std::chrono::nanoseconds::max());
  CHECK(patient.deadline() >= patient.before + 30s);
  CHECK(patient.deadline() <= patient.after + 30s);
}

TEST_CASE("Each question to reflection gives 30 s for the next, until the client's own deadline") {
  BuiltinCallInTest call(kReflection);
  BuiltinCallInTest hurried(kReflection, 2s);
  // So that a later moment has a later time.
  while (steady_clock::now() <= call.after) {
  }
  for (int question = 1; question <= 3; ++question) {
    const auto before = steady_clock::now();
    call.handler->on_message({}, {});
    hurried.handler->on_message({}, {});
    CHECK(call.deadline() >= before + 30s);
    CHECK(call.deadline() <= steady_clock::now() + 30s);
    CHECK(hurried.deadline() >= hurried.before + 2s);
    CHECK(hurried.deadline() <= hurried.after + 2s);
    CHECK(call.stream->sent == question);
    CHECK_FALSE(call.stream->is_finished);
  }
}

TEST_CASE("A health check has its client's own deadline where that is earlier") {
  const BuiltinCallInTest call(kCheck, 20ms);
  CHECK(call.deadline() >= call.before + 20ms);
  CHECK(call.deadline() <= call.after + 20ms);
}

}  // namespace longshore::endpoint
