// Threads that inflate compressed messages, so that those who read sockets never do.
//
// A connection hands in one message at a time, so each gets its turn among the others, and what is
// queued is bounded by the number of connections. What a message may become is bounded by Limits.
//
// Threads: any. Owner: whoever owns the connections' executor; stop() comes before that ends.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <optional>
#include <utility>

namespace longshore::rpc {

class Inflater {
 public:
  explicit Inflater(size_t threads = 1)
      : pool_(std::in_place, threads), executor_(pool_->get_executor()) {}
  // Without threads, where somebody else decides when it goes on.
  explicit Inflater(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}
  ~Inflater() { stop(); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void post(std::function<void()> work) { boost::asio::post(executor_, std::move(work)); }
  // Waits for what its threads run; the rest is dropped.
  void stop() {
    if (!pool_) return;
    pool_->stop();
    pool_->join();
  }

 private:
  std::optional<boost::asio::thread_pool> pool_;
  const boost::asio::any_io_executor executor_;
};

}  // namespace longshore::rpc
