// A module that is loaded, started, called and stopped over and over leaves no handle and no
// memory.
#include <windows.h>
// windows.h comes before it.
#include <psapi.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "loader/image.h"
#include "loader/instance.h"
#include "router/router.h"
#include "tests/support/build_tree.h"
#include "tests/support/windows/open_handles.h"
#include "tests/windows/waited_answer.h"

using namespace longshore;
using namespace longshore::test;

namespace {

constexpr int kCycles = 1000;
constexpr int kWarmCycles = 50;

// What must not grow.
struct OwnHoldings {
  size_t handles = 0;
  size_t working_set = 0;
};

OwnHoldings own_holdings() {
  OwnHoldings own;
  own.handles = open_handles(GetCurrentProcessId());
  PROCESS_MEMORY_COUNTERS_EX memory{};
  REQUIRE(GetProcessMemoryInfo(
      GetCurrentProcess(), reinterpret_cast<PROCESS_MEMORY_COUNTERS*>(&memory), sizeof(memory)));
  own.working_set = memory.PrivateUsage;
  return own;
}

// From the file to its end, as a reload has it.
class Cycle {
 public:
  explicit Cycle(observe::Log& log) : log_(log) {}

  void run() {
    auto inspection = loader::inspect_module(path_, {});
    REQUIRE(inspection);
    const auto image = loader::load_module(std::move(*inspection), 8);
    REQUIRE(image);
    loader::InstanceOptions options;
    options.name = "echo";
    auto instance = loader::Instance::create(*image, options, router_, log_);
    REQUIRE(instance);
    REQUIRE((*instance)->start({}, {}));
    auto routes = std::make_shared<router::RouteTable>();
    for (const auto& method : (*image)->facts().description.methods) {
      routes->by_method.emplace(method.full_name,
                                router::Route{std::make_shared<router::Method>(method), *instance});
    }
    router_.set_routes(std::move(routes));
    call();
    router_.set_routes(std::make_shared<router::RouteTable>());
    REQUIRE((*instance)->stop(router::Clock::now() + std::chrono::seconds(10)));
  }

 private:
  void call() {
    const auto answer = std::make_shared<WaitedAnswer>();
    router::CallRequest request;
    request.method = "longshore.echo.v1.Echo/Say";
    request.request = "\x0a\x05hello";
    request.caller = std::make_shared<router::Caller>(router::Caller{"agent", "agent", nullptr});
    request.observer = answer;
    router_.call(std::move(request));
    REQUIRE(answer->wait());
    REQUIRE(answer->text == "\x0a\x05hello");
  }

  observe::Log& log_;
  const std::string path_ = (std::filesystem::current_path() / built_module("echo")).string();
  router::Timers timers_;
  router::Router router_{timers_, {}};
};

}  // namespace

TEST_CASE("a thousand lives of a module leave no handle and no memory", "[large]") {
  observe::LogOptions quiet;
  quiet.level = observe::Level::kWarning;
  auto log = observe::Log::open(quiet);
  REQUIRE(log);
  Cycle cycle(**log);
  for (int i = 0; i < kWarmCycles; ++i) cycle.run();
  const size_t images = loader::loaded_images();
  const OwnHoldings before = own_holdings();
  for (int i = 0; i < kCycles; ++i) cycle.run();
  const OwnHoldings after = own_holdings();
  CHECK(loader::loaded_images() == images);
  CHECK(after.handles <= before.handles + 8);
  CAPTURE(before.working_set, after.working_set);
  CHECK(after.working_set <= before.working_set + (8u << 20));
}
