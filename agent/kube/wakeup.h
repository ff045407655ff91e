// Something that one coroutine waits for, once.
//
// Threads: the context's. Owner: the coroutine, while it waits.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace longshore::kube {

class Wakeup {
 public:
  explicit Wakeup(boost::asio::io_context& io)
      : timer_(io, boost::asio::steady_timer::time_point::max()) {}

  // Not only cancelled: nobody may wait yet.
  void set() { timer_.expires_at(boost::asio::steady_timer::time_point::min()); }

  boost::asio::awaitable<void> wait() {
    co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }

 private:
  boost::asio::steady_timer timer_;
};

}  // namespace longshore::kube
