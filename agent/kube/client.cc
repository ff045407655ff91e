#include "kube/client.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kube/connection_pool.h"
#include "kube/credentials.h"
#include "kube/name_lookup.h"
#include "kube/resource_path.h"
#include "kube/tls_context.h"

namespace longshore::kube {

namespace asio = boost::asio;

namespace {

// A blank or a line end in it would end the request's first line.
bool is_of_url(const std::string& text) {
  return text.find('#') == text.npos &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

bool has_url(const Request& request) {
  return request.path.starts_with('/') && request.path.find('?') == request.path.npos &&
         is_of_url(request.path) && is_of_url(request.encoded_query);
}

}  // namespace

struct Client::Parts {
  Parts(asio::io_context& context, Configuration configuration, ClientOptions options)
      : io(context),
        source(configuration.source),
        server(configuration.server),
        credentials(configuration),
        tls(configuration),
        lookup(context, server),
        pool(context, options.max_connections) {}

  // What may be the matter with credentials that the server does not know.
  std::string unauthorized() const {
    if (credentials.origin().empty()) {
      return source + " has no credentials, and the server asks for some";
    }
    if (std::string fault = tls.client_certificate_fault(); !fault.empty()) return fault;
    return credentials.origin() + " has expired, or is of another cluster";
  }

  asio::io_context& io;
  const std::string source;
  const ServerAddress server;
  Credentials credentials;
  TlsContext tls;
  NameLookup lookup;
  ConnectionPool pool;
  std::set<RunningCall*> running;
};

// One request:
//
//   waiting for a connection ──► looking up ──► connecting ──► exchanging ──► over
//        └──a kept one───────────────────────────────────────────┘
//
// It is stopped by waking up what it waits for, or by closing its connection.
class Client::RunningCall final : public Call, public std::enable_shared_from_this<RunningCall> {
 public:
  RunningCall(std::shared_ptr<Parts> parts, Request request, std::function<void(Outcome)> on_done)
      : parts_(std::move(parts)),
        request_(std::move(request)),
        on_done_(std::move(on_done)),
        alarm_(parts_->io) {
    parts_->running.insert(this);
  }
  ~RunningCall() override { parts_->running.erase(this); }

  void begin() {
    if (request_.deadline != std::chrono::steady_clock::time_point::max()) {
      alarm_.expires_at(request_.deadline);
      alarm_.async_wait([weak = weak_from_this()](const boost::system::error_code& cancelled) {
        const auto call = weak.lock();
        if (call && !cancelled) call->stop(Stopped::kLate);
      });
    }
    asio::post(parts_->io, [self = shared_from_this()] {
      asio::co_spawn(self->parts_->io, self->run(),
                     [self](const std::exception_ptr& failed, auto outcome) {
                       // Nothing here throws but what has no memory.
                       self->end(failed ? Outcome(Error(StatusCode::kResourceExhausted,
                                                        "make the request", self->request_.path)
                                                      .because("there is no memory for it"))
                                        : *std::move(outcome));
                     });
    });
  }

  void cancel() override { stop(Stopped::kCancelled); }

 private:
  enum class Stopped { kNot, kCancelled, kLate };

  void stop(Stopped why) {
    if (stopped_ != Stopped::kNot || !on_done_) return;
    stopped_ = why;
    if (wakeup_ != nullptr) wakeup_->set();
    if (connection_ != nullptr) connection_->close();
  }

  void end(Outcome outcome) {
    alarm_.cancel();
    if (const auto on_done = std::exchange(on_done_, nullptr)) on_done(std::move(outcome));
  }

  // "cannot get "/version"", for what to add why.
  Error failed(StatusCode code) const {
    return {code, std::string(verb_of(request_.method, request_.path)), request_.path};
  }

  // Of what the caller or the time has ended; else as it is.
  ApiError because(Error error) const {
    if (stopped_ == Stopped::kCancelled) {
      return failed(StatusCode::kCancelled).because("the caller has cancelled it");
    }
    if (stopped_ == Stopped::kLate) {
      return failed(StatusCode::kDeadlineExceeded)
          .because("there was no answer in time, and the request still " + step_);
    }
    return error;
  }

  // Without a value: the outcome is to be made on a fresh connection.
  asio::awaitable<std::optional<Outcome>> run() {
    if (!has_url(request_)) {
      co_return failed(StatusCode::kInvalidArgument).because("it is not the path of a URL");
    }
    if (std::chrono::steady_clock::now() >= request_.deadline) stop(Stopped::kLate);
    std::optional<Outcome> outcome = co_await attempt(false);
    if (!outcome) outcome = co_await attempt(true);
    co_return outcome;
  }

  asio::awaitable<std::optional<Outcome>> attempt(bool fresh) {
    step_ = "waited for one of the connections, which others have";
    std::optional<ConnectionPool::Lease> lease;
    if (stopped_ == Stopped::kNot) {
      Wakeup wakeup(parts_->io);
      const Using<Wakeup> waiting(wakeup_, wakeup);
      std::optional<ConnectionPool::Lease> lent = co_await parts_->pool.lend(wakeup, fresh);
      if (lent) lease.emplace(*std::move(lent));
    }
    if (!lease || stopped_ != Stopped::kNot) co_return because(failed(StatusCode::kCancelled));
    Connection& connection = lease->connection();
    const Using<Connection> using_it(connection_, connection);
    const bool is_kept = connection.was_open();
    if (!is_kept) {
      if (auto opened = co_await open(connection); !opened) {
        co_return because(std::move(opened).error());
      }
    }
    co_return co_await exchange(connection, is_kept && !fresh);
  }

  asio::awaitable<Result<void>> open(Connection& connection) {
    const ServerAddress& server = parts_->server;
    step_ = "looked up the address of \"" + server.host + '"';
    std::optional<Result<NameLookup::Addresses>> addresses;
    {
      Wakeup wakeup(parts_->io);
      const Using<Wakeup> waiting(wakeup_, wakeup);
      addresses = co_await parts_->lookup.find(wakeup);
    }
    if (!*addresses) {
      const Error& error = addresses->error();
      co_return Error(error.code(), "reach the API server", server.text())
          .because(error.message())
          .advise("check the server in " + parts_->source);
    }
    if (stopped_ != Stopped::kNot) co_return failed(StatusCode::kCancelled);
    step_ = "connected to " + server.text();
    co_return co_await connection.open(server, **addresses, server.has_tls ? &parts_->tls : nullptr,
                                       request_.deadline);
  }

  asio::awaitable<std::optional<Outcome>> exchange(Connection& connection, bool may_repeat) {
    step_ = "waited for the server";
    const Result<Secret> authorization = parts_->credentials.authorization();
    if (!authorization) co_return because(authorization.error());
    co_await connection.send(request_, parts_->server, *authorization);
    Result<Response> response = co_await connection.read_head();
    if (response) {
      Result<std::string> body = co_await connection.read_body();
      if (body) {
        response->body = *std::move(body);
      } else {
        response = std::move(body).error();
      }
    }
    if (response) co_return outcome_of(*std::move(response));
    // The server was about to close it when the request came.
    if (may_repeat && request_.method == Method::kGet && !connection.has_answered() &&
        stopped_ == Stopped::kNot) {
      co_return std::nullopt;
    }
    const Error& error = response.error();
    co_return because(failed(error.code()).because(error.message()));
  }

  Outcome outcome_of(Response response) const {
    if (response.status >= 200 && response.status < 300) return response;
    if (!parts_->server.has_tls && response.status == 400 &&
        response.body.find("HTTPS server") != response.body.npos) {
      return ApiError(Error(StatusCode::kUnavailable, "reach the API server", parts_->server.text())
                          .because("it speaks TLS")
                          .advise("write the server with https:// in " + parts_->source));
    }
    return status_error(request_, response, parts_->unauthorized());
  }

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

  const std::shared_ptr<Parts> parts_;
  const Request request_;
  std::function<void(Outcome)> on_done_;  // null: it is over
  asio::steady_timer alarm_;
  Stopped stopped_ = Stopped::kNot;
  std::string step_;  // completes "the request still ..."
  Wakeup* wakeup_ = nullptr;
  Connection* connection_ = nullptr;
};

Client::Client(asio::io_context& io, Configuration configuration, ClientOptions options)
    : parts_(std::make_shared<Parts>(io, std::move(configuration), options)) {}

Client::~Client() {
  const std::set<RunningCall*> running = parts_->running;
  for (RunningCall* call : running) call->cancel();
}

std::shared_ptr<Call> Client::request(Request request, std::function<void(Outcome)> on_done) {
  auto call = std::make_shared<RunningCall>(parts_, std::move(request), std::move(on_done));
  call->begin();
  return call;
}

}  // namespace longshore::kube
