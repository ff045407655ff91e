// The built controller in the SDK's fake host, which plays the driver and the agent.
#include <catch2/catch.hpp>
#include <chrono>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "csi/v1.pb.h"
#include "longshore/host/csi.pb.h"
#include "longshore/host/endpoint.pb.h"
#include "longshore/host/http.pb.h"
#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "pluginregistration/v1.pb.h"
#include "tests/support/build_tree.h"

namespace longshore::node_driver_registrar {
namespace {

using namespace std::chrono_literals;
using host::v1::EndpointEvent;
using longshore::testing::FakeHost;
using longshore::testing::SettingValue;

constexpr const char* kAsk = "longshore.host.v1.Csi/CallIdentity";
constexpr const char* kServe = "longshore.host.v1.Endpoint/Serve";
constexpr const char* kRespond = "longshore.host.v1.Endpoint/Respond";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

EndpointEvent event(EndpointEvent::Type type, uint64_t id = 0, const std::string& method = {},
                    const std::string& message = {}) {
  EndpointEvent event;
  event.set_type(type);
  event.set_id(id);
  event.set_method("pluginregistration.Registration/" + method);
  event.set_message(message);
  return event;
}

std::string status(bool is_registered, const std::string& text) {
  pluginregistration::RegistrationStatus status;
  status.set_plugin_registered(is_registered);
  status.set_error(text);
  return status.SerializeAsString();
}

// The controller, a driver that tells its name, and an agent that does as the test says.
struct Registrar {
  Registrar() {
    answer_as("disk.example.com");
    host.answer<host::v1::EndpointRespondRequest>(kRespond, [](const auto&) {
      return Result<host::v1::EndpointRespondResponse>(host::v1::EndpointRespondResponse());
    });
  }

  void answer_as(const std::string& name) {
    host.answer<host::v1::CsiCallRequest>(kAsk, [name](const host::v1::CsiCallRequest&) {
      csi::v1::GetPluginInfoResponse info;
      info.set_name(name);
      host::v1::CsiCallResponse response;
      response.set_response(info.SerializeAsString());
      return Result<host::v1::CsiCallResponse>(response);
    });
  }
  // Each stream of the socket's events is this, and ends.
  void serve_with(std::vector<EndpointEvent> events) {
    host.answer_stream<host::v1::EndpointServeRequest>(
        kServe, [events = std::move(events)](const host::v1::EndpointServeRequest&) {
          return Result<std::vector<EndpointEvent>>(events);
        });
  }
  Result<void> start(std::map<std::string, SettingValue> more = {}) {
    more.try_emplace("kubelet_registration_path", std::string("unix:///node/csi.sock"));
    return host.start({.settings = std::move(more)});
  }
  host::v1::EndpointRespondRequest last_response() const {
    const auto responses = host.invocations_of(kRespond);
    REQUIRE_FALSE(responses.empty());
    host::v1::EndpointRespondRequest response;
    REQUIRE(response.ParseFromString(responses.back()));
    return response;
  }
  std::string last_path() const {
    const auto served = host.invocations_of(kServe);
    REQUIRE_FALSE(served.empty());
    host::v1::EndpointServeRequest request;
    REQUIRE(request.ParseFromString(served.back()));
    CHECK(request.methods_size() == 2);
    return request.path();
  }

  const longshore::testing::ModuleFile file{test::built_module("node-driver-registrar")};
  FakeHost host{file.entry()};
};

}  // namespace

TEST_CASE_METHOD(Registrar, "The kubelet hears who the driver is, and where") {
  serve_with({event(EndpointEvent::TYPE_LISTENING), event(EndpointEvent::TYPE_CALL, 7, "GetInfo")});
  REQUIRE(start({{"plugin_registration_path", std::string("/plugins//")}}));
  CHECK(last_path() == "/plugins/disk.example.com-reg.sock");
  const auto response = last_response();
  CHECK(response.id() == 7);
  CHECK(response.code() == 0);
  pluginregistration::PluginInfo info;
  REQUIRE(info.ParseFromString(response.message()));
  CHECK(info.type() == "CSIPlugin");
  CHECK(info.name() == "disk.example.com");
  CHECK(info.endpoint() == "/node/csi.sock");
  REQUIRE(info.supported_versions_size() == 1);
  CHECK(info.supported_versions(0) == "1.0.0");
  CHECK(host.stop());
}

TEST_CASE_METHOD(Registrar, "What the kubelet says is answered, told and heeded") {
  const auto notify = [](const std::string& message) {
    return event(EndpointEvent::TYPE_CALL, 3, "NotifyRegistrationStatus", message);
  };
  serve_with({event(EndpointEvent::TYPE_LISTENING), notify("\xff"), notify(status(true, ""))});
  REQUIRE(start());
  CHECK(host.logged("the kubelet has registered the driver \"disk.example.com\""));
  CHECK(host.invocations_of(kRespond).size() == 2);
  CHECK(last_response().code() == 0);
  serve_with({event(EndpointEvent::TYPE_LISTENING), notify(status(false, "wrong version"))});
  host.advance(1s);  // the stream has ended, which loses the socket
  CHECK(host.invocations_of(kServe).size() == 2);
  CHECK(contains(host.degraded(), "has not registered the driver \"disk.example.com\": wrong"));
  CHECK(host.stop());
}

TEST_CASE_METHOD(Registrar, "A socket that cannot be served is tried again, later each time") {
  host.answer_stream<host::v1::EndpointServeRequest>(
      kServe, [](const host::v1::EndpointServeRequest&) -> Result<std::vector<EndpointEvent>> {
        return Error::of_text(StatusCode::kFailedPrecondition, "a file is there");
      });
  REQUIRE(start());
  CHECK(host.degraded() == "a file is there");
  for (const auto pause : {1s, 2s, 4s}) {
    const size_t before = host.invocations_of(kServe).size();
    host.advance(pause - 1ms);
    CHECK(host.invocations_of(kServe).size() == before);
    host.advance(1ms);
    CHECK(host.invocations_of(kServe).size() == before + 1);
  }
  CHECK(host.stop());
}

TEST_CASE_METHOD(Registrar, "A driver is waited for, and asked again") {
  host.hold(kServe);
  host.answer<host::v1::CsiCallRequest>(
      kAsk, [](const host::v1::CsiCallRequest& request) -> Result<host::v1::CsiCallResponse> {
        CHECK(request.fresh_connection());
        CHECK(request.method() == "csi.v1.Identity/GetPluginInfo");
        return Error::of_text(StatusCode::kUnavailable, "nobody listens");
      });
  REQUIRE(start());
  host.advance(29s);
  CHECK_FALSE(host.logged("still waits"));  // that it begins is told as `degraded`
  host.advance(1s);
  CHECK(host.logged("still waits for the CSI driver at \"/run/csi/socket\": nobody listens"));
  host.advance(1h);
  CHECK(host.invocations_of(kAsk).size() > 3000);
  CHECK(contains(host.degraded(), "waits for the CSI driver at \"/run/csi/socket\": nobody"));
  CHECK(host.invocations_of(kServe).empty());
  answer_as("disk.example.com");
  host.advance(1s);
  CHECK(host.degraded().empty());
  CHECK(last_path() == "/registration/disk.example.com-reg.sock");
  answer_as("other.example.com");
  host.advance(10s);
  CHECK(last_path() == "/registration/other.example.com-reg.sock");
  CHECK(host.invocations_of(kServe).size() == 2);
  CHECK(host.stop());
}

TEST_CASE_METHOD(Registrar, "A driver that is waited for anew is not said to be waited for still") {
  bool is_gone = true;
  host.answer<host::v1::CsiCallRequest>(
      kAsk, [&](const host::v1::CsiCallRequest&) -> Result<host::v1::CsiCallResponse> {
        if (is_gone) return Error::of_text(StatusCode::kUnavailable, "nobody listens");
        return Error::of_text(StatusCode::kInternal, "it is broken");
      });
  REQUIRE(start());
  host.advance(20s);
  is_gone = false;
  host.advance(1s);
  CHECK(contains(host.degraded(), "it is broken"));
  is_gone = true;
  host.advance(10s);  // until it is asked again
  CHECK(contains(host.degraded(), "nobody listens"));
  host.advance(29s);
  CHECK_FALSE(host.logged("still waits"));
  host.advance(1s);
  CHECK(host.logged("still waits"));
  CHECK(host.stop());
}

TEST_CASE("Settings that cannot be used are refused with a sentence") {
  const std::string long_path = '/' + std::string(107, 'x');
  const std::vector<std::tuple<std::string, SettingValue, std::string>> cases = {
      {"csi_address", std::string("csi.sock"), "it is not the absolute path"},
      {"kubelet_registration_path", std::string("csi.sock"),
       "cannot use the kubelet_registration_path \"csi.sock\": it is not the absolute path of a "
       "Unix socket; write it as the kubelet finds the driver's socket on the node: /var/lib/"},
      {"kubelet_registration_path", long_path,
       "its path has 108 bytes, and that of a socket 107 at most; give the driver's folder on the "
       "node a shorter path"},
      {"plugin_registration_path", std::string("registration"), "it is not an absolute path"},
      {"plugin_registration_path", long_path,
       long_path + "/x-reg.sock\": its path has 119 bytes, and that of a socket 107 at most"},
      {"http_endpoint", std::string("9809"), "it is no IP address and port"},
  };
  for (const auto& [name, value, reason] : cases) {
    INFO(name);
    Registrar registrar;
    const auto started = registrar.start({{name, value}});
    REQUIRE_FALSE(started);
    INFO(started.error().message());
    CHECK(contains(started.error().message(), reason));
  }
  Registrar both;
  const auto started =
      both.start({{"http_endpoint", std::string(":9809")}, {"health_port", int64_t{9810}}});
  REQUIRE_FALSE(started);
  CHECK(contains(started.error().message(), "health_port is set too; leave out health_port"));
}

}  // namespace longshore::node_driver_registrar
