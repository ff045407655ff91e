#include "kube/running_call.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>

#include "kube/resource_path.h"

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

ClientParts::ClientParts(asio::io_context& context, Configuration configuration,
                         const ClientOptions& options)
    : io(context),
      source(configuration.source),
      server(configuration.server),
      credentials(configuration),
      tls(configuration),
      lookup(context, server),
      pool(context, options.max_connections),
      timing(context),
      metrics(options.metrics) {
  if (options.limit) limits.emplace(timing, *options.limit, metrics.get());
}

std::string ClientParts::unauthorized() const {
  if (credentials.origin().empty()) {
    return source + " has no credentials, and the server asks for some";
  }
  if (std::string fault = tls.client_certificate_fault(); !fault.empty()) return fault;
  return credentials.origin() + " has expired, or is of another cluster";
}

RunningCall::RunningCall(std::shared_ptr<ClientParts> parts, Request request)
    : parts_(std::move(parts)), request_(std::move(request)), alarm_(parts_->io) {
  parts_->running.insert(this);
}

RunningCall::~RunningCall() { parts_->running.erase(this); }

void RunningCall::begin() {
  stop_at(request_.deadline, Stopped::kLate);
  asio::post(parts_->io, [self = shared_from_this()] {
    if (!has_url(self->request_)) {
      return self->end(ApiError(
          self->failed(StatusCode::kInvalidArgument).because("it is not the path of a URL")));
    }
    if (std::chrono::steady_clock::now() >= self->request_.deadline) self->stop(Stopped::kLate);
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

void RunningCall::stop_at(TimePoint time, Stopped why) {
  if (time == TimePoint::max()) {
    alarm_.cancel();
    return;
  }
  alarm_.expires_at(time);
  alarm_.async_wait([weak = weak_from_this(), why](const boost::system::error_code& cancelled) {
    const auto call = weak.lock();
    // A wait that was replaced may have been over already.
    if (call && !cancelled && call->alarm_.expiry() <= std::chrono::steady_clock::now()) {
      call->stop(why);
    }
  });
}

void RunningCall::stop(Stopped why) {
  if (stopped_ != Stopped::kNot || is_over_) return;
  stopped_ = why;
  if (wakeup_ != nullptr) wakeup_->set();
  if (connection_ != nullptr) connection_->close();
}

void RunningCall::end(Outcome outcome) {
  alarm_.cancel();
  if (is_uncounted_) count(observe::KubeRequestMetrics::kNoAnswer);
  if (!std::exchange(is_over_, true)) on_over(std::move(outcome));
}

void RunningCall::count(int status) {
  is_uncounted_ = false;
  if (!parts_->metrics) return;
  parts_->metrics->handled(parts_->server.host_and_port(), method_name(request_.method), status);
}

Error RunningCall::failed(StatusCode code) const {
  return {code, std::string(verb_of(request_)), request_.path};
}

ApiError RunningCall::because(Error error) const {
  switch (stopped_) {
    case Stopped::kNot:
      return error;
    case Stopped::kCancelled:
      return failed(StatusCode::kCancelled).because("the caller has cancelled it");
    case Stopped::kLate:
      return failed(StatusCode::kDeadlineExceeded)
          .because("there was no answer in time, and the request still " + step_);
    case Stopped::kSilent:
      return failed(StatusCode::kDeadlineExceeded)
          .because("the server has said nothing for longer than it may");
  }
  return error;
}

Outcome RunningCall::outcome_of(Response response) const {
  if (response.status >= 200 && response.status < 300) return response;
  if (!parts_->server.has_tls && response.status == 400 &&
      response.body.find("HTTPS server") != response.body.npos) {
    return ApiError(Error(StatusCode::kUnavailable, "reach the API server", parts_->server.text())
                        .because("it speaks TLS")
                        .advise("write the server with https:// in " + parts_->source));
  }
  return status_error(request_, response, parts_->unauthorized());
}

asio::awaitable<std::optional<ApiError>> RunningCall::wait_for_turn() {
  if (!parts_->limits || is_stopped()) co_return std::nullopt;
  RequestTurns& turns = parts_->limits->turns(request_.path);
  const auto began_at = parts_->timing.uptime();
  Wakeup wakeup(parts_->io);
  const Using<Wakeup> waiting(wakeup_, wakeup);
  const auto place =
      turns.wait(request_.deadline - std::chrono::steady_clock::now(), [&wakeup] { wakeup.set(); });
  if (!place) {
    // As if the server had said so: nobody is told that the server was not reached.
    const Error& error = place.error();
    co_return ApiError(failed(error.code()).because(error.message()), ApiReason::kTooManyRequests,
                       0, std::nullopt);
  }
  step_ = "waited for its turn: " + turns.limit_text();
  if (*place) co_await wakeup.wait();
  if (parts_->metrics) {
    parts_->metrics->waited(parts_->server.host_and_port(), method_name(request_.method),
                            parts_->timing.uptime() - began_at);
  }
  co_return std::nullopt;
}

asio::awaitable<Result<void>> RunningCall::open(Connection& connection) {
  const ServerAddress& server = parts_->server;
  is_uncounted_ = true;
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
  if (is_stopped()) co_return failed(StatusCode::kCancelled);
  step_ = "connected to " + server.text();
  co_return co_await connection.open(server, **addresses, server.has_tls ? &parts_->tls : nullptr,
                                     request_.deadline);
}

asio::awaitable<Result<Response>> RunningCall::ask(Connection& connection) {
  step_ = "waited for the server";
  is_uncounted_ = false;  // as long as it is not sent
  const Result<Secret> authorization = parts_->credentials.authorization();
  if (!authorization) co_return authorization.error();
  if (request_.permit) {
    if (const auto permitted = request_.permit(); !permitted) co_return permitted.error();
  }
  is_uncounted_ = true;
  const auto sent_at = parts_->timing.uptime();
  co_await connection.send(request_, parts_->server, *authorization);
  if (request_.permit && !connection.has_sent()) {
    if (const auto permitted = request_.permit(); !permitted) co_return permitted.error();
  }
  Result<Response> head = co_await connection.read_head();
  if (head) count(head->status);
  if (head && parts_->limits) {
    parts_->limits->turns(request_.path)
        .answered({head->status, head->retry_after, head->has_priority_level,
                   parts_->timing.uptime() - sent_at});
  }
  co_return head;
}

}  // namespace longshore::kube
