#include "kube/client.h"

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kube/running_call.h"
#include "kube/watch_call.h"

namespace longshore::kube {

namespace asio = boost::asio;

namespace {

// One request:
//
//   waiting for its turn ──► waiting for a connection ──► looking up ──► connecting ──► exchanging
//                                 └──a kept one──────────────────────────────────────────►┘
//
// and over.
class RequestCall final : public RunningCall {
 public:
  RequestCall(std::shared_ptr<ClientParts> parts, Request request,
              std::function<void(Outcome)> on_done)
      : RunningCall(std::move(parts), std::move(request)), on_done_(std::move(on_done)) {}

 private:
  asio::awaitable<std::optional<Outcome>> run() override {
    if (auto refused = co_await wait_for_turn()) co_return *std::move(refused);
    std::optional<Outcome> outcome = co_await attempt(false);
    if (!outcome) outcome = co_await attempt(true);
    co_return outcome;
  }

  void on_over(Outcome outcome) override { std::exchange(on_done_, nullptr)(std::move(outcome)); }

  // Without a value: the outcome is to be made on a fresh connection.
  asio::awaitable<std::optional<Outcome>> attempt(bool fresh) {
    step_ = "waited for one of the connections, which others have";
    std::optional<ConnectionPool::Lease> lease;
    if (!is_stopped()) {
      Wakeup wakeup(parts_->io);
      const Using<Wakeup> waiting(wakeup_, wakeup);
      std::optional<ConnectionPool::Lease> lent = co_await parts_->pool.lend(wakeup, fresh);
      if (lent) lease.emplace(*std::move(lent));
    }
    if (!lease || is_stopped()) co_return because(failed(StatusCode::kCancelled));
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

  asio::awaitable<std::optional<Outcome>> exchange(Connection& connection, bool may_repeat) {
    Result<Response> response = co_await ask(connection);
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
        !is_stopped()) {
      co_return std::nullopt;
    }
    const Error& error = response.error();
    co_return because(failed(error.code()).because(error.message()));
  }

  std::function<void(Outcome)> on_done_;
};

}  // namespace

Client::Client(asio::io_context& io, Configuration configuration, ClientOptions options)
    : parts_(std::make_shared<ClientParts>(io, std::move(configuration), options)) {}

Client::~Client() {
  const std::set<RunningCall*> running = parts_->running;
  for (RunningCall* call : running) call->cancel();
}

std::shared_ptr<Call> Client::request(Request request, std::function<void(Outcome)> on_done) {
  auto call = std::make_shared<RequestCall>(parts_, std::move(request), std::move(on_done));
  call->begin();
  return call;
}

std::shared_ptr<Call> Client::watch(Watch watch) {
  auto call = std::make_shared<WatchCall>(parts_, std::move(watch));
  call->begin();
  return call;
}

}  // namespace longshore::kube
