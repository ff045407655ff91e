// An instance of a real module from its creation to its end, often.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "loader/image.h"
#include "loader/instance.h"
#include "tests/support/build_tree.h"
#include "tests/support/process_figures.h"

namespace longshore::loader {
namespace {

using namespace std::chrono_literals;
using test::open_descriptors;
using test::own_memory_kib;

// Waits for the outcome of a call.
class Waiter final : public router::CallObserver {
 public:
  bool on_message(std::string) override { return true; }
  void on_response(std::string) override { on_finish(StatusCode::kOk, {}); }
  void on_finish(StatusCode code, std::string) override {
    const std::lock_guard lock(mutex_);
    code_ = code;
    finished_.notify_all();
  }
  StatusCode wait() {
    std::unique_lock lock(mutex_);
    REQUIRE(finished_.wait_for(lock, 30s, [&] { return code_.has_value(); }));
    return *code_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable finished_;
  std::optional<StatusCode> code_;
};

// One module with the agent's parts around it.
struct InstanceWorld {
  InstanceWorld() {
    auto inspection = inspect_module(test::built_module("echo"), {});
    REQUIRE(inspection);
    const auto loaded = load_module(std::move(*inspection), 8);
    REQUIRE(loaded);
    image = *loaded;
    observe::LogOptions options;
    options.level = observe::Level::kError;
    auto opened = observe::Log::open(options);
    REQUIRE(opened);
    log = std::move(*opened);
  }

  StatusCode call(const std::shared_ptr<Instance>& instance, const char* name) {
    auto method = std::make_shared<router::Method>();
    for (const auto& each : image->facts().description.methods) {
      if (each.name == name) *method = each;
    }
    const auto waiter = std::make_shared<Waiter>();
    router::CallRequest request;
    request.caller = std::make_shared<router::Caller>(router::Caller{"uid:0", "uid:0", nullptr});
    request.observer = waiter;
    router.call_directly(instance, method, std::move(request));
    return waiter->wait();
  }

  void live_once() {
    InstanceOptions options;
    options.name = "echo";
    auto instance = Instance::create(image, options, router, *log);
    REQUIRE(instance);
    REQUIRE((*instance)->start({}, {}));
    REQUIRE(call(*instance, "Say") == StatusCode::kOk);
    REQUIRE(call(*instance, "SayAtOnce") == StatusCode::kOk);
    REQUIRE((*instance)->stop(router::Clock::now() + 10s));
    REQUIRE(call(*instance, "Say") == StatusCode::kUnavailable);
  }

  std::shared_ptr<Image> image;
  router::Timers timers;
  router::Router router{timers, {}};
  std::unique_ptr<observe::Log> log;
};

TEST_CASE("A thousand lives of an instance leave nothing behind", "[plain]") {
  InstanceWorld world;
  for (int i = 0; i < 100; ++i) world.live_once();
  const size_t descriptors = open_descriptors(getpid());
  const size_t memory = own_memory_kib(getpid());
  for (int i = 0; i < 900; ++i) world.live_once();
  CHECK(open_descriptors(getpid()) <= descriptors);
  if (test::kMemoryTellsLeaks) CHECK(own_memory_kib(getpid()) < memory + 512);
  CHECK(world.router.calls().size() == 0);
}

}  // namespace
}  // namespace longshore::loader
