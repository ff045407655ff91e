// The connections to an API server: so many at a time, kept for the next request.
//
// Who wants one while all are lent waits for its turn. One that nobody has used for a minute is not
// lent any more: what lies between may have forgotten it.
//
// Threads: the context's. Owner: the client.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include "kube/connection.h"
#include "kube/wakeup.h"

namespace longshore::kube {

class ConnectionPool {
 public:
  // A connection while a request has it; it goes back at the end of its scope.
  class Lease {
   public:
    Lease(ConnectionPool& pool, std::unique_ptr<Connection> connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&& other) noexcept = default;
    ~Lease() {
      if (connection_) pool_->take_back(std::move(connection_));
    }

    Connection& connection() { return *connection_; }

   private:
    ConnectionPool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  ConnectionPool(boost::asio::io_context& io, size_t max_connections)
      : io_(io), max_connections_(max_connections) {}
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  // One that is open, or a new one. Nothing: somebody else has set `wakeup` while it waited. With
  // `fresh` those that are kept are let go first.
  boost::asio::awaitable<std::optional<Lease>> lend(Wakeup& wakeup, bool fresh);

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    std::unique_ptr<Connection> connection;
    Clock::time_point since;
  };
  struct Waiting {
    Wakeup& wakeup;
    bool has_turn = false;
  };

  std::unique_ptr<Connection> kept_or_new(bool fresh);
  void take_back(std::unique_ptr<Connection> connection);

  boost::asio::io_context& io_;
  const size_t max_connections_;
  size_t lent_ = 0;       // with those whose turn it is
  std::list<Kept> kept_;  // the one used last is the last
  std::list<Waiting> waiting_;
};

}  // namespace longshore::kube
