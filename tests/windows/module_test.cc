// The echo module as a DLL: inspected, loaded, started and called by the code that the agent uses.
#include <catch2/catch.hpp>
#include <filesystem>

#include "loader/image.h"
#include "loader/instance.h"
#include "loader/module_file.h"
#include "router/router.h"
#include "tests/support/build_tree.h"
#include "tests/windows/waited_answer.h"

namespace longshore {
namespace {

std::string path_of(const std::string& module) {
  return (std::filesystem::current_path() / test::built_module(module)).string();
}

std::string echo_path() { return path_of("echo"); }

}  // namespace

TEST_CASE("a DLL tells what it is before any of its code runs") {
  const auto inspection = loader::inspect_module(echo_path(), {});
  INFO((inspection ? std::string() : inspection.error().message()));
  REQUIRE(inspection);
  const loader::ModuleFacts& facts = *inspection->facts;
  CHECK(facts.name == "longshore-echo");
  CHECK(facts.sha256.size() == 64);
  CHECK(facts.description.services == std::vector<std::string>{"longshore.echo.v1.Echo"});
}

TEST_CASE("the modules of disks and volumes are loaded with what Windows has") {
  for (const std::string name : {"disk", "volume"}) {
    CAPTURE(name);
    auto inspection = loader::inspect_module(path_of(name), {});
    INFO((inspection ? std::string() : inspection.error().message()));
    REQUIRE(inspection);
    const auto image = loader::load_module(std::move(*inspection), 8);
    INFO((image ? std::string() : image.error().message()));
    REQUIRE(image);
    CHECK((*image)->facts().name == "longshore-" + name);
  }
}

TEST_CASE("a pinned hash that does not match is refused") {
  loader::InspectionOptions options;
  options.required_sha256 = std::string(64, '0');
  const auto facts = loader::inspect_module(echo_path(), options);
  REQUIRE_FALSE(facts);
  CHECK(facts.error().code() == StatusCode::kFailedPrecondition);
}

TEST_CASE("a DLL that is loaded answers calls and ends in order") {
  router::Timers timers;
  router::Router router(timers, {});
  auto log = observe::Log::open({});
  REQUIRE(log);
  auto inspection = loader::inspect_module(echo_path(), {});
  REQUIRE(inspection);
  const auto image = loader::load_module(std::move(*inspection), 8);
  INFO((image ? std::string() : image.error().message()));
  REQUIRE(image);
  loader::InstanceOptions options;
  options.name = "echo";
  auto instance = loader::Instance::create(*image, options, router, **log);
  REQUIRE(instance);
  REQUIRE((*instance)->start({}, {}));

  auto routes = std::make_shared<router::RouteTable>();
  for (const auto& method : (*image)->facts().description.methods) {
    routes->by_method.emplace(method.full_name,
                              router::Route{std::make_shared<router::Method>(method), *instance});
  }
  router.set_routes(routes);
  const auto answer = std::make_shared<test::WaitedAnswer>();
  router::CallRequest request;
  request.method = "longshore.echo.v1.Echo/Say";
  request.request = "\x0a\x05hello";  // field 1: "hello"
  request.caller = std::make_shared<router::Caller>(router::Caller{"agent", "agent", nullptr});
  request.observer = answer;
  router.call(std::move(request));
  REQUIRE(answer->wait());
  CHECK(answer->code == StatusCode::kOk);
  CHECK(answer->text == "\x0a\x05hello");
  router.set_routes(std::make_shared<router::RouteTable>());
  const auto stopped = (*instance)->stop(router::Clock::now() + std::chrono::seconds(5));
  INFO((stopped ? std::string() : stopped.error().message()));
  CHECK(stopped);
}

}  // namespace longshore
