// longshore.host.v1.Kube before an API server that answers as the test says.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/io_loop.h"
#include "kube/kube_service.h"
#include "longshore/host/kube.pb.h"
#include "tests/support/eventually.h"
#include "tests/support/host_service_world.h"
#include "tests/unit/kube/manual_access.h"

namespace longshore::test {

// What the service is given and lets go of; the server itself is the test's.
class LentAccess final : public kube::ApiAccess {
 public:
  explicit LentAccess(ManualAccess& lender) : lender_(lender) {}

  std::shared_ptr<kube::Call> request(kube::Request request,
                                      std::function<void(kube::Outcome)> on_done) override {
    return lender_.request(std::move(request), std::move(on_done));
  }
  std::shared_ptr<kube::Call> watch(kube::Watch watch) override {
    return lender_.watch(std::move(watch));
  }

 private:
  ManualAccess& lender_;
};

// The module "one" has the grants that a test gives it; "two" has none.
//
// Threads: the test's; what touches the server runs on the service's, by `on_thread`.
struct KubeWorld {
  using Made = std::shared_ptr<ManualAccess::Made>;

  KubeWorld() {
    for (const char* const name : {"one", "two"}) {
      config::ModuleSettings module;
      module.name = name;
      module.is_controller = true;
      world.configuration.modules.push_back(module);
    }
    grant({""}, {"nodes", "nodes/status", "configmaps"},
          {"get", "list", "watch", "create", "update", "patch", "delete"});
    world.serve(service);
  }
  ~KubeWorld() {
    world.end_calls();
    service->stop();
    access.running.clear();
  }

  void grant(std::vector<std::string> groups, std::vector<std::string> resources,
             std::vector<std::string> verbs) {
    world.configuration.modules[0].kube_grants.push_back(
        {"all", std::move(groups), std::move(resources), std::move(verbs)});
  }

  static std::string method(const std::string& name) { return "longshore.host.v1.Kube/" + name; }
  // Of Get and Delete, and, with what it has besides left out, of all others.
  static std::string at(const std::string& path) {
    host::v1::KubeGetRequest request;
    request.set_path(path);
    return request.SerializeAsString();
  }

  // Once the service has made its connection.
  void on_thread(std::function<void()> function) {
    std::promise<void> done;
    auto is_done = done.get_future();
    boost::asio::post(*io.load(), [&] {
      function();
      done.set_value();
    });
    REQUIRE(is_done.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
  }

  // The call at the server, of the one that was made last, once there are so many.
  Made made(size_t count = 1) {
    Made last;
    REQUIRE(eventually([&] {
      if (!io) return false;
      on_thread([&] {
        if (access.running.size() == count) last = access.running.back();
      });
      return last != nullptr;
    }));
    return last;
  }
  size_t cancelled() {
    size_t count = 0;
    on_thread([&] {
      count = static_cast<size_t>(std::ranges::count_if(
          access.running, [](const Made& each) { return each->is_cancelled; }));
    });
    return count;
  }

  void answer(const Made& call, int status, std::string body) {
    kube::Response response;
    response.status = status;
    response.body = std::move(body);
    on_thread([&] {
      access.end(call, status < 300 ? kube::Outcome(response)
                                    : kube::status_error(call->request, response, "log in"));
    });
  }
  // What a call of a controller's ends with, when the server answers so.
  std::shared_ptr<router::Recorder> answered(const std::string& name, const std::string& request,
                                             int status, const std::string& body) {
    auto recorder = std::make_shared<router::Recorder>();
    world.call(method(name), request, recorder);
    answer(made(), status, body);
    REQUIRE(recorder->await());
    return recorder;
  }

  ManualAccess access;
  std::atomic<int64_t> uptime = 0;                       // of the system's, in nanoseconds
  std::atomic<boost::asio::io_context*> io = nullptr;    // once a client is made
  std::shared_ptr<observe::KubeRequestMetrics> metrics;  // of the client that was made last
  std::optional<Error> no_client;                        // it cannot be loaded
  std::optional<Error> no_configuration;                 // it is not found
  // That of /csi/csi.sock.
  const std::shared_ptr<services::RunCondition> driver =
      std::make_shared<services::RunCondition>("it does not listen");
  std::atomic<bool> driver_has_name = true;
  HostServiceWorld world;
  const std::shared_ptr<kube::KubeService> service =
      kube::KubeService::make(
          {.ready = [this](const auto&) { return driver; },
           .ask_name =
               [this](const std::string& address, auto on_name) {
                 if (address == "/csi/csi.sock" && driver_has_name) {
                   return on_name(std::string("test.csi.example"));
                 }
                 on_name(Error(StatusCode::kFailedPrecondition, "ask the name of", address));
               }},
          [this](const auto&) -> Result<std::unique_ptr<kube::ApiLoop>> {
            if (no_client) return *no_client;
            return std::unique_ptr<kube::ApiLoop>(std::make_unique<kube::IoLoop>(
                [this](boost::asio::io_context& context, const kube::AccessOptions& options)
                    -> Result<std::unique_ptr<kube::ApiAccess>> {
                  if (no_configuration) return *no_configuration;
                  metrics = options.metrics;
                  io = &context;
                  return std::unique_ptr<kube::ApiAccess>(std::make_unique<LentAccess>(access));
                },
                [this] { return std::chrono::nanoseconds(uptime); }));
          })
          .value();
};

}  // namespace longshore::test
