// Calls a function of its owner once, after some time, unless it is set anew or cleared before.
//
//   clear ──set──► set ──time──► clear (the function has run)
//
// Threads: the executor's. Owner: a member of what the function works on, which a shared pointer
// holds; when that has gone nothing is called.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace longshore::rpc {

class Alarm {
 public:
  void set(boost::asio::any_io_executor executor, std::chrono::nanoseconds delay,
           std::weak_ptr<void> owner, std::function<void()> on_alarm) {
    clear();
    timer_ = std::make_unique<boost::asio::steady_timer>(std::move(executor), delay);
    timer_->async_wait([this, owner = std::move(owner), on_alarm = std::move(on_alarm),
                        number = number_](boost::system::error_code error) {
      const auto keep = owner.lock();
      // It may have gone off just before it was replaced.
      if (error || !keep || number_ != number) return;
      timer_.reset();
      on_alarm();
    });
  }

  void clear() {
    ++number_;
    timer_.reset();
  }

  bool is_set() const { return timer_ != nullptr; }

 private:
  std::unique_ptr<boost::asio::steady_timer> timer_;
  uint64_t number_ = 0;
};

}  // namespace longshore::rpc
