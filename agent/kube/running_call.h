// A call while it runs: what requests and watches have in common.
//
// It is stopped by waking up what it waits for, or by closing its connection.
//
// Threads: the context's. Owner: itself, until it is over, and whoever made it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "kube/api_access.h"
#include "kube/client.h"
#include "kube/configuration.h"
#include "kube/connection.h"
#include "kube/connection_pool.h"
#include "kube/credentials.h"
#include "kube/name_lookup.h"
#include "kube/request_limits.h"
#include "kube/timing.h"
#include "kube/tls_context.h"
#include "kube/wakeup.h"

namespace longshore::kube {

class RunningCall;

// What the calls of one client share.
struct ClientParts {
  ClientParts(boost::asio::io_context& context, Configuration configuration,
              const ClientOptions& options);

  // What may be the matter with credentials that the server does not know.
  std::string unauthorized() const;

  boost::asio::io_context& io;
  const std::string source;
  const ServerAddress server;
  Credentials credentials;
  TlsContext tls;
  NameLookup lookup;
  ConnectionPool pool;
  IoTiming timing;
  const std::shared_ptr<observe::KubeRequestMetrics> metrics;  // null: nothing is counted
  std::optional<RequestLimits> limits;
  std::set<RunningCall*> running;
};

class RunningCall : public Call, public std::enable_shared_from_this<RunningCall> {
 public:
  RunningCall(std::shared_ptr<ClientParts> parts, Request request);
  ~RunningCall() override;
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

  void begin();
  void cancel() override { stop(Stopped::kCancelled); }

 protected:
  enum class Stopped { kNot, kCancelled, kLate, kSilent };
  using TimePoint = std::chrono::steady_clock::time_point;

  // There is an outcome; Asio wants a type that begins empty.
  virtual boost::asio::awaitable<std::optional<Outcome>> run() = 0;
  virtual void on_over(Outcome outcome) = 0;

  void stop(Stopped why);
  bool is_stopped() const { return stopped_ != Stopped::kNot; }
  // From now on it is stopped then, and not at an earlier time that was given.
  void stop_at(TimePoint time, Stopped why);

  // "cannot get "/version"", for what to add why.
  Error failed(StatusCode code) const;
  // Of what the caller or the time has ended; else as it is.
  ApiError because(Error error) const;
  Outcome outcome_of(Response response) const;

  // A value: its turn would come too late, and it is over.
  boost::asio::awaitable<std::optional<ApiError>> wait_for_turn();
  boost::asio::awaitable<Result<void>> open(Connection& connection);
  // The answer's head; an error is why there is none, as a sentence without what was asked for.
  boost::asio::awaitable<Result<Response>> ask(Connection& connection);

  // What stop() acts on, in a scope.
  template <typename Type>
  class Using {
   public:
    Using(Type*& place, Type& used) : place_(place) { place_ = &used; }
    ~Using() { place_ = nullptr; }
    Using(const Using&) = delete;
    Using& operator=(const Using&) = delete;

   private:
    Type*& place_;
  };

  const std::shared_ptr<ClientParts> parts_;
  const Request request_;
  std::string step_;  // completes "the request still ..."
  Wakeup* wakeup_ = nullptr;
  Connection* connection_ = nullptr;

 private:
  void end(Outcome outcome);
  void count(int status);

  boost::asio::steady_timer alarm_;
  Stopped stopped_ = Stopped::kNot;
  bool is_over_ = false;
  bool is_uncounted_ = false;  // the server was to hear it, and has not answered yet
};

}  // namespace longshore::kube
