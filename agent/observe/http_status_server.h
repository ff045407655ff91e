// A small HTTP/1.1 server for pages that only tell something: GET and HEAD, no bodies. Pages are
// made at once, or take their time while others are answered.
//
// It has a thread of its own, so that whoever reads slowly holds up other readers at most, never a
// storage call. Each connection is bounded: 8 KiB of request head, ten seconds for it to arrive,
// thirty for the answer to leave. Who comes when there are as many connections as may be takes the
// place of another (http_place.h); who asks when as many bytes are unread, that of whoever has not
// read for the longest time: a client that reads is served however many there are that do not. A
// browser that was lured to a loopback address by a foreign name (DNS rebinding) is refused by its
// Host header.
//
// Threads: the owner's, one at a time; pages are made on the server's thread. Owner: the agent.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "longshore/result.hpp"
#include "observe/http_page.h"
#include "observe/log.h"

namespace longshore::observe {

struct HttpServerOptions {
  size_t max_connections = 32;
  size_t max_unread_bytes = 8u << 20;  // of all answers; a larger one is written alone
  std::chrono::milliseconds read_timeout = std::chrono::seconds(10);  // for one request
  std::chrono::milliseconds write_timeout = std::chrono::seconds(30);
  std::chrono::milliseconds page_timeout = std::chrono::seconds(30);  // for a page to be made
};

class HttpStatusServer {
 public:
  // Listens on an address of the node: numbers, not a name; "::" is all, those of IPv4 too. Port 0
  // lets the system choose.
  static Result<std::unique_ptr<HttpStatusServer>> listen(const std::string& host, uint16_t port,
                                                          HttpPages pages, Log& log,
                                                          HttpServerOptions options = {});
  static Result<std::unique_ptr<HttpStatusServer>> listen_late(const std::string& host,
                                                               uint16_t port, LateHttpPages pages,
                                                               Log& log,
                                                               HttpServerOptions options = {});
  // Takes over the descriptor of a Unix socket that listens already.
  static Result<std::unique_ptr<HttpStatusServer>> adopt_unix(int descriptor, HttpPages pages,
                                                              Log& log,
                                                              HttpServerOptions options = {});
  virtual ~HttpStatusServer() = default;

  // The port that it listens on; 0 for a Unix socket.
  virtual uint16_t port() const = 0;

  // Begins to answer. Those who connected before are waiting. An error, as where the system gives
  // no thread: it is of no use any more.
  virtual Result<void> start() = 0;
  // Ends all connections and waits for the thread. Also at the end of the object.
  virtual void stop() = 0;
};

}  // namespace longshore::observe
