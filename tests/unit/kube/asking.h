// A client of a scripted server, and requests that are waited for.
#pragma once

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/client.h"
#include "tests/support/eventually.h"
#include "tests/unit/kube/scripted_server.h"

namespace longshore::test {

// Threads: one.
class Asking {
 public:
  explicit Asking(kube::Configuration configuration, kube::ClientOptions options = {})
      : client_(std::make_unique<kube::Client>(io_, std::move(configuration), options)) {}

  struct Asked {
    std::shared_ptr<kube::Call> call;
    std::shared_ptr<std::optional<kube::Outcome>> outcome;
  };

  Asked begin(kube::Request request) {
    Asked asked;
    asked.outcome = std::make_shared<std::optional<kube::Outcome>>();
    asked.call =
        client_->request(std::move(request), [outcome = asked.outcome](kube::Outcome done) {
          REQUIRE_FALSE(outcome->has_value());
          outcome->emplace(std::move(done));
        });
    return asked;
  }

  kube::Outcome end(const Asked& asked) {
    run_until([&] { return asked.outcome->has_value(); });
    return **asked.outcome;
  }

  kube::Outcome ask(kube::Request request) { return end(begin(std::move(request))); }
  Asked begin_get(std::string path) {
    kube::Request request;
    request.path = std::move(path);
    return begin(std::move(request));
  }
  kube::Outcome get(std::string path) { return end(begin_get(std::move(path))); }

  struct Watched {
    std::shared_ptr<kube::Call> call;
    std::shared_ptr<std::vector<kube::WatchEvent>> events;
    std::shared_ptr<std::optional<kube::Outcome>> end;
  };

  // Path, limits and what else is in it are the caller's.
  Watched begin_watch(
      kube::Watch watch, std::function<void()> on_event = [] {}) {
    Watched watched{nullptr, std::make_shared<std::vector<kube::WatchEvent>>(),
                    std::make_shared<std::optional<kube::Outcome>>()};
    watch.on_event = [events = watched.events, on_event](kube::WatchEvent event) {
      events->push_back(std::move(event));
      on_event();
    };
    watch.on_end = [end = watched.end](const kube::Outcome& outcome) {
      REQUIRE_FALSE(end->has_value());
      end->emplace(outcome);
    };
    watched.call = client_->watch(std::move(watch));
    return watched;
  }

  kube::Outcome end(const Watched& watched) {
    run_until([&] { return watched.end->has_value(); });
    return **watched.end;
  }

  // Does what can be done at once.
  void run_ready() {
    io_.restart();
    io_.poll();
  }

  // Works until the condition comes true.
  void run_until(const std::function<bool()>& condition) {
    REQUIRE(eventually([&] {
      io_.restart();
      io_.run_for(std::chrono::milliseconds(1));
      return condition();
    }));
  }

  void end_client() { client_.reset(); }

 private:
  boost::asio::io_context io_{1};
  std::unique_ptr<kube::Client> client_;
};

// The plain http server that listens there.
inline kube::Configuration plain(uint16_t port) {
  kube::Configuration configuration;
  configuration.source = "the test";
  configuration.server.has_tls = false;
  configuration.server.host = "127.0.0.1";
  configuration.server.port = port;
  return configuration;
}

inline kube::Configuration secure(uint16_t port, const std::string& authority) {
  kube::Configuration configuration = plain(port);
  configuration.server.has_tls = true;
  configuration.certificate_authority.text = Secret::copy_of(authority);
  return configuration;
}

}  // namespace longshore::test
