// Two connected Transports in memory, or one with the test as its peer. Deterministic: bytes move
// only while the test runs the io_context, in portions and with room that the test decides.
#pragma once

#include <boost/asio/io_context.hpp>
#include <limits>
#include <memory>
#include <string>

#include "rpc/transport.h"

namespace longshore::rpc {

class MemoryLink {
 public:
  static constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

  // Bytes that flow one way.
  struct Direction {
    std::string bytes;             // written, not read yet
    size_t portion = kUnlimited;   // how much one read gets at most
    size_t capacity = kUnlimited;  // how much may wait before a write has to
    bool closed = false;           // by either side
    std::error_code write_error;   // what the next write answers
    size_t writes = 0;             // how often something was written

    boost::asio::mutable_buffer read_buffer;
    std::shared_ptr<TransportUser> reader;  // waits for bytes
    boost::asio::const_buffer write_rest;
    std::shared_ptr<TransportUser> writer;  // waits for room
  };

  explicit MemoryLink(boost::asio::io_context& context);

  std::unique_ptr<Transport> make_client() { return make_end(to_client(), to_server()); }
  std::unique_ptr<Transport> make_server() { return make_end(to_server(), to_client()); }
  Direction& to_server() { return state_->directions[0]; }
  Direction& to_client() { return state_->directions[1]; }

  // The test as a peer.
  void write(Direction& direction, const std::string& bytes);
  std::string read(Direction& direction);
  void close();

  // Runs until nothing is left to do.
  void run();
  // The same, and whether nothing is left to wait for either: no timer is set.
  bool has_nothing_to_wait_for();

 private:
  struct State {
    Direction directions[2];
  };
  class End;

  std::unique_ptr<Transport> make_end(Direction& in, Direction& out);
  static void move_bytes(boost::asio::io_context& context, Direction& direction);

  boost::asio::io_context& context_;
  std::shared_ptr<State> state_;
};

}  // namespace longshore::rpc
