// longshore.host.v1.Endpoint: Unix sockets on which controllers serve gRPC. See the proto.
//
//   Serve ──► the socket is made ──► clients' calls go to the Serve call ──Respond──► answered
//     │          └──somebody removes it──► it is made anew, or the Serve call ends
//     └──ends──► the socket is removed, and its clients' connections end
//
// Threads: any; nothing here blocks. One thread of its own, from the first call on, does all that
// concerns sockets. No lock is held while a call is sent to or a client is answered. Owner: the
// host services; calls share it.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "files/file_watch.h"
#include "loader/description.h"
#include "longshore/result.hpp"
#include "main/pending_events.h"
#include "main/served_socket.h"
#include "observe/log.h"
#include "observe/rate_limited_log.h"
#include "router/call.h"
#include "services/host_service_target.h"

namespace longshore {

class EndpointService final : public services::HostServiceTarget {
 public:
  static constexpr size_t kMaxSockets = 64;
  static constexpr size_t kMaxWaiting = 64;  // calls of one socket's clients
  static constexpr size_t kMaxMethods = 64;  // of one socket

  static Result<std::shared_ptr<EndpointService>> make();
  explicit EndpointService(loader::ModuleDescription description);
  ~EndpointService() override { EndpointService::stop(); }

  bool for_modules() const override { return true; }
  void start(router::Timers& timers, observe::Log& log,
             const services::CurrentConfiguration& configuration) override;
  // Ends the thread and all sockets; nothing is served from then on. Twice is harmless.
  void stop() override;
  void on_writable(router::Call& call) override { pending_.resume(call); }
  void on_end(router::Call& call) override;

 private:
  struct Served {
    std::shared_ptr<ServedSocket> socket;
    std::string module;
    std::weak_ptr<router::Call> call;  // which holds the service
  };
  // A client's call.
  struct Waiting {
    uint64_t serve;  // the handle of the Serve call
    std::string module;
    std::shared_ptr<rpc::ServerStream> stream;
  };

  Result<void> begin(router::Call& call) override;
  Result<void> serve(router::Call& call);
  Result<void> add(router::Call& call, ServedSocket::Options options);
  Result<void> respond(const router::Call& call);

  // Its socket is to be closed.
  void forget(uint64_t serve);
  std::vector<Served> all();

  // On the thread.
  // Makes the socket, but not among the agent's own.
  Result<void> listen(ServedSocket& socket) const;
  void open(const Served& served);
  void fail(router::Call& call, const Error& error);
  void watch_places();
  // Makes those anew that are not in their places any more.
  void look_again();
  uint64_t take(uint64_t serve, ServedSocket::ClientCall client);
  // False: it has been answered.
  bool give_up(uint64_t id);

  // These from the start on.
  observe::Log* log_ = nullptr;
  services::CurrentConfiguration configuration_;
  std::optional<observe::RateLimitedLog> removals_;

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> more_to_do_{
      io_.get_executor()};
  const std::unique_ptr<files::FileWatch> places_;
  files::FileWatch::Paths watched_;

  PendingEvents pending_;  // with a lock of its own

  std::mutex mutex_;
  bool is_stopped_ = false;
  std::map<uint64_t, Served> sockets_;   // by the handle of the Serve call
  std::map<uint64_t, Waiting> waiting_;  // for an answer
  uint64_t last_id_ = 0;
  std::thread thread_;
};

}  // namespace longshore
