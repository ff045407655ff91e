// The addresses of the API server's name.
//
// The system's resolver cannot be stopped: it runs on a thread that nobody waits for. Whoever asks
// while it runs gets the same answer, so that there is one such thread at the most.
//
// Threads: the context's; the resolver's own tells it there. Owner: the client.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/server_address.h"
#include "kube/wakeup.h"
#include "longshore/result.hpp"

namespace longshore::kube {

class NameLookup {
 public:
  using Addresses = std::vector<boost::asio::ip::tcp::endpoint>;

  NameLookup(boost::asio::io_context& io, const ServerAddress& server);
  ~NameLookup();
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;

  // At least one. `wakeup` is set when they are known; who sets it before gets CANCELLED.
  boost::asio::awaitable<Result<Addresses>> find(Wakeup& wakeup);

 private:
  struct Gate;
  struct Asking {
    Wakeup& wakeup;
    std::optional<Result<Addresses>> found;
  };

  Result<void> start();
  void take(const Result<Addresses>& found);

  boost::asio::io_context& io_;
  const ServerAddress& server_;
  const std::shared_ptr<Gate> gate_;  // that the answer comes in by
  bool is_running_ = false;
  std::list<Asking> asking_;
};

}  // namespace longshore::kube
