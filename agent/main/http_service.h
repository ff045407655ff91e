// longshore.host.v1.Http: pages of controllers over HTTP. See the proto.
//
//   Serve ──► a port is opened, or one that is open gets a page ──► requests go to the Serve call
//                 the last Serve of a port ends ──► it is closed
//
// Requests are bounded by the connections that a port has, and each by the time that a page may
// take. Ports are opened and closed on a thread of the service's, requests come on the port's own.
//
// Threads: any. No lock is held while a call is sent to or a request is answered. Owner: the host
// services; calls share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "config/http_address.h"
#include "loader/description.h"
#include "longshore/result.hpp"
#include "observe/http_status_server.h"
#include "observe/log.h"
#include "router/call.h"
#include "router/target.h"
#include "router/worker_pool.h"

namespace longshore {

inline constexpr const char* kHttpService = "longshore.host.v1.Http";

class HttpService final : public router::Target, public std::enable_shared_from_this<HttpService> {
 public:
  static constexpr size_t kMaxPages = 64;
  static constexpr size_t kMaxBodyBytes = 64u << 10;

  HttpService(router::Timers& timers, observe::Log& log)
      : log_(log), ports_thread_(timers, "http-ports", 1) {}
  ~HttpService() override { stop(); }

  Result<void> submit(std::shared_ptr<router::Call> call) override;
  void execute(router::Call& call) override;
  void on_cancel(router::Call& call) override;
  void on_end(router::Call& call) override;

  // Closes all ports and serves nothing from then on. Twice is harmless.
  void stop();

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
    std::string caller;
    std::weak_ptr<router::Call> call;  // which holds the service
  };
  struct Port {
    std::unique_ptr<observe::HttpStatusServer> server;
    std::map<std::string, Page> pages;  // by path
    bool is_started = false;
  };
  struct Request {
    uint64_t serve;
    std::string caller;
    observe::HttpAnswer answer;
  };

  Result<void> serve(router::Call& call);
  Result<void> respond(const router::Call& call);
  // On the thread for ports: nobody else makes or ends them.
  Result<void> open(const std::shared_ptr<router::Call>& call, const Wanted& wanted);
  Result<Port*> port_of(const Wanted& wanted);
  void close_unused();

  // On the port's thread. What it answers is let go of when nobody waits any more.
  std::shared_ptr<void> take(const std::string& port, const observe::HttpQuery& query,
                             const observe::HttpAnswer& answer);
  // False: it has been answered.
  bool forget(uint64_t id);

  observe::Log& log_;
  router::WorkerPool ports_thread_;

  std::mutex mutex_;
  bool is_stopped_ = false;
  std::map<std::string, Port> ports_;
  std::map<uint64_t, Request> requests_;  // that wait for an answer
  uint64_t last_id_ = 0;
};

Result<loader::ModuleDescription> http_service_description();

}  // namespace longshore
