// Prints the bytes of heap that the agent holds for each call that a module makes in the course of
// another and that waits for its answer: what malloc has handed out more, over 10,000 of them.
#include <malloc.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "loader/instance.h"
#include "router/router.h"

namespace {

using namespace longshore;

constexpr size_t kCalls = 10'000;
const std::string kOuter = "bench.v1.Outer/Do";
const std::string kInner = "bench.v1.Inner/Do";

// Answers nothing.
class Silent final : public router::Target {
 public:
  Result<void> submit(std::shared_ptr<router::Call> call) override {
    call->run();
    return {};
  }
  void execute(router::Call&) override { ++calls; }
  void on_cancel(router::Call& call) override { call.finish(StatusCode::kCancelled, {}); }

  std::atomic<size_t> calls = 0;
};

struct Measured {
  const longshore_host* host = nullptr;
  std::atomic<size_t> before = 0;
  std::atomic<size_t> after = 0;
  std::atomic<size_t> ended = 0;
};
Measured measured;

size_t heap() { return mallinfo2().uordblks; }

// Makes the calls, one after the other.
void nest(longshore_call parent) {
  measured.before = heap();
  for (size_t i = 0; i < kCalls; ++i) {
    longshore_invoke_request request{};
    request.struct_size = sizeof(request);
    request.credit = 1;
    request.parent = parent;
    request.method = {kInner.data(), kInner.size()};
    request.on_message = [](void*, longshore_invocation, longshore_bytes) {};
    request.on_finish = [](void*, longshore_invocation, longshore_status_code, longshore_bytes) {
      ++measured.ended;
    };
    longshore_invocation invocation = 0;
    if (measured.host->invoke(measured.host, &request, &invocation) != LONGSHORE_OK) std::abort();
  }
  measured.after = heap();
}

class NestingCode final : public loader::ModuleCode {
 public:
  NestingCode() : ModuleCode(std::make_shared<loader::ModuleFacts>()) {}
  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override {
    static const longshore_instance table = {
        sizeof(longshore_instance),
        0,
        [](void*, longshore_call call, longshore_bytes, longshore_bytes) { finish(call); },
        [](void*, longshore_call call, longshore_bytes, longshore_bytes) { nest(call); },
        [](void*, longshore_call call) { finish(call); },
        nullptr,
        [](void*, longshore_call call) { finish(call); },
        [](void*) {}};
    measured.host = host;
    *self = &measured;
    *functions = &table;
    return LONGSHORE_OK;
  }

 private:
  static void finish(longshore_call call) {
    measured.host->finish(measured.host, call, 0, {nullptr, 0});
  }
};

class Nobody final : public router::CallObserver {
 public:
  bool on_message(std::string) override { return true; }
  void on_response(std::string) override {}
  void on_finish(StatusCode, std::string) override {}
};

std::shared_ptr<const router::Method> method_of(const std::string& name) {
  auto method = std::make_shared<router::Method>();
  method->full_name = name;
  method->service = name.substr(0, name.find('/'));
  method->name = name.substr(name.find('/') + 1);
  return method;
}

void until(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::yield();
}

}  // namespace

int main() {
  const auto log = observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
  const auto silent = std::make_shared<Silent>();
  router::Timers timers;
  router::Router router(timers, {});
  loader::InstanceOptions options;
  options.name = "outer";
  options.may_call = std::make_shared<const std::set<std::string, std::less<>>>(
      std::set<std::string, std::less<>>{kInner});
  const auto instance =
      loader::Instance::create(std::make_shared<NestingCode>(), options, router, *log).value();
  if (!instance->start({}, {})) return 1;
  auto routes = std::make_shared<router::RouteTable>();
  routes->by_method.insert({kOuter, router::Route{method_of(kOuter), instance}});
  routes->by_method.insert({kInner, router::Route{method_of(kInner), silent}});
  router.set_routes(routes);
  router::CallRequest request;
  request.method = kOuter;
  request.caller = std::make_shared<router::Caller>(router::Caller{"uid:0", "uid:0", nullptr});
  request.observer = std::make_shared<Nobody>();
  const auto call = router.call(std::move(request));
  until([] { return measured.after != 0; });
  if (silent->calls != kCalls) return 1;
  std::printf("%zu\n", (measured.after - measured.before) / kCalls);
  call->cancel();
  until([] { return measured.ended == kCalls; });
  return instance->stop(router::Clock::now() + std::chrono::seconds(10)) ? 0 : 1;
}
