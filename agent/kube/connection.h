// One connection to an API server: HTTP/1.1, mostly in TLS, one request after the other.
//
//   new ──open──► open ──exchange──► open ──close, or the server's──► closed
//
// What waits ends with an error when the connection is closed; that is how requests are cancelled.
// A request goes in three steps, send, read_head and read_body, so that a watch can read its body
// as it comes.
//
// Threads: the context's. Owner: the pool, or the request that it was lent to.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "kube/name_lookup.h"
#include "kube/request.h"
#include "kube/server_address.h"
#include "kube/tls_context.h"
#include "longshore/result.hpp"
#include "longshore/secret.hpp"

namespace longshore::kube {

class Connection {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  explicit Connection(boost::asio::io_context& io);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Tries one address after the other, so that each has its share of the time. `tls` is null for
  // plain http, and outlives the connection.
  boost::asio::awaitable<Result<void>> open(const ServerAddress& server,
                                            const NameLookup::Addresses& addresses, TlsContext* tls,
                                            Deadline deadline);

  // `server` and `authorization` make headers of the same meaning. The request lives until the
  // answer is read.
  boost::asio::awaitable<void> send(const Request& request, const ServerAddress& server,
                                    const Secret& authorization);
  bool has_sent() const;  // all of it
  // All but the body.
  boost::asio::awaitable<Result<Response>> read_head();
  // The rest of the answer.
  boost::asio::awaitable<Result<std::string>> read_body();
  // In place of it, again and again: the next line, of at most so many bytes. Nothing: that was
  // all.
  boost::asio::awaitable<Result<std::optional<std::string>>> read_line(size_t max_bytes);

  void close();

  bool was_open() const { return was_open_; }
  // Whether something of the answer has come.
  bool has_answered() const;
  // Whether it can take another request: the answer is read, and neither side is to close it.
  bool is_kept() const;
  // Whether the server has not closed it meanwhile.
  bool is_alive();

 private:
  struct Parts;

  boost::asio::awaitable<boost::system::error_code> connect(const NameLookup::Addresses& addresses,
                                                            Deadline deadline);
  // Why there is no answer, as a sentence without what was asked for.
  Error explain(const boost::system::error_code& code) const;

  const std::unique_ptr<Parts> parts_;
  bool was_open_ = false;
};

}  // namespace longshore::kube
