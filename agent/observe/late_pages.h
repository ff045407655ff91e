// Pages of an HTTP server that are made elsewhere: a request waits for its page, for the time that
// it has to be made, or until its client has gone.
//
// Threads: the server's; answers come on any. Owner: the server, whose context it does not outlive.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "observe/http_page.h"

namespace longshore::observe {

class LatePages {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  LatePages(boost::asio::io_context& io, LateHttpPages pages);
  ~LatePages();
  LatePages(const LatePages&) = delete;
  LatePages& operator=(const LatePages&) = delete;

  // The page; one that says so where it does not come in time; nothing when the client of `socket`
  // has gone, or has said that it sends nothing more.
  boost::asio::awaitable<std::optional<HttpPage>> ask(HttpQuery query, Socket& socket,
                                                      std::chrono::milliseconds timeout);

 private:
  struct Waiting;
  struct Gate;

  boost::asio::io_context& io_;
  const LateHttpPages pages_;
  const std::shared_ptr<Gate> gate_;  // that answers come in by
};

}  // namespace longshore::observe
