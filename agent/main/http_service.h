// longshore.host.v1.Http: pages of controllers over HTTP. See the proto.
//
//   Serve ──► a port is opened, or one that is open gets a page ──► requests go to the Serve call
//                 the last Serve of a port ends ──► it is closed
//
// The address of `[agent.http]` is a port too, which the agent's own endpoint opens: pages there
// come before the agent's.
//
// Requests are bounded by the connections that a port has, and each by the time that a page may
// take. Those that the Serve call has no room for wait here. Ports are opened and closed on a
// thread of the service's, requests come on the port's own.
//
// Threads: any. No lock is held while a call is sent to or a request is answered. Owner: the host
// services; calls share it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/http_address.h"
#include "longshore/result.hpp"
#include "main/pending_events.h"
#include "observe/http_status_server.h"
#include "observe/log.h"
#include "router/call.h"
#include "router/worker_pool.h"
#include "services/host_service_target.h"

namespace longshore {

class HttpService final : public services::HostServiceTarget,
                          public std::enable_shared_from_this<HttpService> {
 public:
  static constexpr size_t kMaxPages = 64;
  static constexpr size_t kMaxBodyBytes = 64u << 10;
  static constexpr size_t kMaxContentTypeBytes = 256;
  // Clients have limits of their own; this one is for those that never go.
  static constexpr std::chrono::minutes kPageTimeout{10};

  static Result<std::shared_ptr<HttpService>> make();
  using HostServiceTarget::HostServiceTarget;
  ~HttpService() override { HttpService::stop(); }

  bool for_modules() const override { return true; }
  void start(router::Timers& timers, observe::Log& log,
             const services::CurrentConfiguration& configuration) override;
  // Closes all ports and serves nothing from then on. Twice is harmless.
  void stop() override;

  // For the agent's own endpoint: pages of controllers at its address, and all others of `own`.
  observe::LateHttpPages before(observe::HttpPages own);
  // Why that does not listen; empty: it does. Controllers' pages there wait until this is known.
  // [any]
  void own_port_is(const std::string& trouble);

  void on_writable(router::Call& call) override { pending_.resume(call); }
  void on_end(router::Call& call) override;

 private:
  // What a Serve asks for.
  struct Wanted {
    std::string port;  // its key in ports_
    std::string address;
    config::HttpAddress parsed;
    std::string path;
  };
  struct Page {
    uint64_t serve;  // the call's handle
    std::string module;
    std::weak_ptr<router::Call> call;  // which holds the service
  };
  struct Port {
    std::unique_ptr<observe::HttpStatusServer> server;  // null: the agent's own endpoint's
    std::map<std::string, Page> pages;                  // by path
    bool is_started = false;
  };
  struct Request {
    uint64_t serve;
    std::string module;
    observe::HttpAnswer answer;
  };

  Result<void> begin(router::Call& call) override;
  Result<void> serve(router::Call& call);
  Result<void> respond(const router::Call& call);
  // On the thread for ports: nobody else makes or ends them.
  void begin_page(const std::weak_ptr<router::Call>& call, const Wanted& wanted);
  Result<void> open(const std::shared_ptr<router::Call>& call, const Wanted& wanted);
  Result<Port*> port_of(const Wanted& wanted);
  void close_unused();

  // On the port's thread. What it answers is let go of when nobody waits any more. `other`: what
  // is answered where there is no such page.
  std::shared_ptr<void> take(const std::string& port, const observe::HttpQuery& query,
                             const observe::HttpAnswer& answer, const observe::HttpPages& other);
  // False: it has been answered.
  bool forget(uint64_t id);

  // Both from the start on.
  observe::Log* log_ = nullptr;
  std::optional<router::WorkerPool> ports_thread_;
  std::string own_port_;  // the key of the agent's own endpoint; empty: none can be shared

  PendingEvents pending_;  // with a lock of its own

  std::mutex mutex_;
  bool is_stopped_ = false;
  std::optional<std::string> own_port_trouble_;  // nothing: not known yet
  std::vector<std::pair<std::weak_ptr<router::Call>, Wanted>> wait_for_own_port_;
  std::map<std::string, Port> ports_;
  std::map<uint64_t, Request> requests_;  // that wait for an answer
  uint64_t last_id_ = 0;
};

}  // namespace longshore
