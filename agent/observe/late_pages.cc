#include "observe/late_pages.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mutex>
#include <utility>

namespace longshore::observe {

namespace asio = boost::asio;

struct LatePages::Waiting {
  explicit Waiting(asio::io_context& io) : timer(io) {}
  asio::steady_timer timer;  // over when the page is there, or does not come any more
  std::optional<HttpPage> page;
};

struct LatePages::Gate {
  std::mutex mutex;
  asio::io_context* io;  // null: the server has ended
};

LatePages::LatePages(asio::io_context& io, LateHttpPages pages)
    : io_(io), pages_(std::move(pages)), gate_(std::make_shared<Gate>()) {
  gate_->io = &io;
}

LatePages::~LatePages() {
  const std::lock_guard lock(gate_->mutex);
  gate_->io = nullptr;
}

asio::awaitable<std::optional<HttpPage>> LatePages::ask(HttpQuery query, Socket& socket,
                                                        std::chrono::milliseconds timeout) {
  using namespace asio::experimental::awaitable_operators;
  constexpr auto kToTuple = asio::as_tuple(asio::use_awaitable);
  const auto waiting = std::make_shared<Waiting>(io_);
  waiting->timer.expires_after(timeout);
  const auto take = [weak = std::weak_ptr(waiting)](HttpPage page) {
    const auto asked = weak.lock();
    if (!asked || asked->page) return;
    asked->page = std::move(page);
    // Not only cancelled: nobody may wait for it yet.
    asked->timer.expires_at(asio::steady_timer::time_point::min());
  };
  const std::shared_ptr<void> asked = pages_(query, [gate = gate_, take](HttpPage page) {
    const std::lock_guard lock(gate->mutex);
    if (gate->io == nullptr) return;
    asio::post(*gate->io, [take, page = std::move(page)]() mutable { take(std::move(page)); });
  });
  const auto done = co_await (waiting->timer.async_wait(kToTuple) ||
                              socket.async_wait(Socket::wait_read, kToTuple));
  if (done.index() == 1) {
    boost::system::error_code error;
    const size_t bytes = socket.available(error);
    if (error || bytes == 0) co_return std::nullopt;
    // It sends its next request already. That it goes is noticed later then.
    co_await waiting->timer.async_wait(kToTuple);
  }
  if (waiting->page) co_return std::move(waiting->page);
  co_return text_page(504, "There was no answer in time.\n");
}

}  // namespace longshore::observe
