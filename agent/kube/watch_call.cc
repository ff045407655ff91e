#include "kube/watch_call.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace longshore::kube {

namespace asio = boost::asio;

namespace {

Request watching(Request request) {
  request.watches = true;
  return request;
}

}  // namespace

WatchCall::WatchCall(std::shared_ptr<ClientParts> parts, Watch watch)
    : RunningCall(std::move(parts), watching(std::move(watch.request))), watch_(std::move(watch)) {}

void WatchCall::on_over(Outcome outcome) {
  // What they hold is let go of before others hear of the end.
  watch_.on_begin = nullptr;
  watch_.on_event = nullptr;
  std::exchange(watch_.on_end, nullptr)(outcome);
}

asio::awaitable<std::optional<Outcome>> WatchCall::run() {
  if (auto refused = co_await wait_for_turn()) co_return *std::move(refused);
  if (is_stopped()) co_return because(failed(StatusCode::kCancelled));
  // None of the pool's: watches last, and requests would wait for them.
  Connection connection(parts_->io);
  const Using<Connection> using_it(connection_, connection);
  if (auto opened = co_await open(connection); !opened) {
    co_return because(std::move(opened).error());
  }
  Result<Response> head = co_await ask(connection);
  if (!head) co_return because(failed(head.error().code()).because(head.error().message()));
  if (head->status >= 200 && head->status < 300) {
    co_return co_await read_events(connection, *std::move(head));
  }
  Result<std::string> body = co_await connection.read_body();
  if (!body) co_return because(failed(body.error().code()).because(body.error().message()));
  head->body = *std::move(body);
  co_return outcome_of(*std::move(head));
}

asio::awaitable<std::optional<Outcome>> WatchCall::read_events(Connection& connection,
                                                               Response head) {
  watch_.on_begin();
  while (!is_stopped()) {
    stop_at(std::chrono::steady_clock::now() + watch_.idle_limit, Stopped::kSilent);
    Result<std::optional<std::string>> line = co_await connection.read_line(watch_.max_line_bytes);
    if (is_stopped()) co_return because(failed(StatusCode::kCancelled));
    if (!line) co_return failed(line.error().code()).because(line.error().message());
    if (!*line) co_return head;
    auto event = parse_watch_event(**line);
    if (!event) co_return failed(event.error().code()).because(event.error().message());
    if (auto* const error = std::get_if<Response>(&*event)) {
      co_return status_error(request_, *error, parts_->unauthorized());
    }
    watch_.on_event(std::move(*std::get_if<WatchEvent>(&*event)));
  }
  co_return because(failed(StatusCode::kCancelled));
}

}  // namespace longshore::kube
