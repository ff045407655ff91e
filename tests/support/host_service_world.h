// A host service behind a router, called as modules call it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "observe/log.h"
#include "router/router.h"
#include "services/host_service.h"
#include "tests/unit/router/test_target.h"

namespace longshore::test {

class HostServiceWorld {
 public:
  // The service itself is stopped by the test, before this ends.
  ~HostServiceWorld() { end_calls(); }

  void serve(const std::shared_ptr<services::HostService>& service) {
    service->start(timers, *log, [this] {
      return std::shared_ptr<const config::Configuration>(std::shared_ptr<void>(), &configuration);
    });
    const std::shared_ptr<router::Target> target(service, &service->target());
    auto routes = std::make_shared<router::RouteTable>();
    for (const router::Method& method : service->description().methods) {
      routes->by_method[method.full_name] = {std::make_shared<const router::Method>(method),
                                             target};
    }
    router.set_routes(std::move(routes));
  }

  // A call of the module `module`; null: it was refused.
  std::shared_ptr<router::Call> call(const std::string& method, std::string request,
                                     const std::shared_ptr<router::CallObserver>& observer,
                                     const std::string& module = "one",
                                     std::optional<std::chrono::nanoseconds> timeout = {}) {
    router::CallRequest head;
    head.method = method;
    head.request = std::move(request);
    head.caller = std::make_shared<router::Caller>(
        router::Caller{.identity = "module:" + module, .on_behalf_of = "test", .module = module});
    head.timeout = timeout;
    head.observer = observer;
    return calls_.emplace_back(router.call(std::move(head)));
  }
  // The outcome of a call.
  std::shared_ptr<router::Recorder> ask(const std::string& method, std::string request,
                                        const std::string& module = "one",
                                        std::optional<std::chrono::nanoseconds> timeout = {}) {
    auto recorder = std::make_shared<router::Recorder>();
    call(method, std::move(request), recorder, module, timeout);
    recorder->await();
    return recorder;
  }

  // A module's calls end with it.
  void end_calls() {
    for (const auto& each : calls_) {
      if (each) each->cancel();
    }
    calls_.clear();
  }

  config::Configuration configuration;  // of the agent; set before `serve`
  router::Watched<std::vector<std::string>> lines;
  const std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [this](observe::Level, std::string_view line) {
        lines.change([&](auto& all) { all.emplace_back(line); });
      }}).value();
  router::Timers timers;
  router::Router router{timers, {}};

 private:
  std::vector<std::shared_ptr<router::Call>> calls_;
};

}  // namespace longshore::test
