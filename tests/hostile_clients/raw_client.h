// A client that says what it likes on a Unix socket or a named pipe, reads only when it likes, and
// obeys no window unless it asks for it.
//
// Threads: one. What the server does not take stays waiting, so that frames are never torn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/hostile_clients/raw_stream.h"
#include "tests/unit/rpc/raw_peer.h"

namespace longshore::hostile_clients {

// What an attack costs the attacker.
struct Traffic {
  size_t connections = 0;
  size_t sent = 0;
  size_t received = 0;
};

class RawClient {
 public:
  // As this user, if one is named: the server reads the identity at the connect. A server that
  // cannot be reached leaves a client that is closed.
  RawClient(const std::string& socket, Traffic& traffic, std::optional<unsigned> user = {});
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // False when the server takes no more for now, or is gone; the bytes go on later.
  bool send(std::string_view bytes);
  // Takes what has come: counts frames by their kind.
  void read();
  // Reads until the server has closed; false when it does not in that time.
  bool closes_within(int milliseconds);
  // Reads until the server has said this many bytes in all, or the time is over.
  bool hears(size_t bytes, int milliseconds);

  // Reads until the connection's window has room for so much more data; false when it has not in
  // that time. Who sends more than that is sent away.
  bool may_send(size_t bytes, int milliseconds);

  // The same with so many descriptors, as far as the server takes it at once.
  void send_with_descriptors(std::string_view bytes, int count);
  // Preface and SETTINGS; with an initial window for streams, and as much for the connection.
  void greet(uint32_t window = 65535);
  void greet_settings(uint32_t window = 65535);  // without the preface
  // The head of a call on the next stream; answers its number.
  uint32_t open(const std::string& path, bool ends = false);
  // The same with more fields.
  uint32_t open_with(const std::string& path, const rpc::RawFields& more, bool ends);
  // A message, or part of one, in DATA frames.
  bool send_data(uint32_t stream, std::string_view bytes, bool ends = false);

  // From now on PINGs are answered, by whoever reads.
  void answer_pings() { answers_pings_ = true; }

  bool closed() const { return stream_.closed(); }
  size_t ended_streams() const { return ended_; }
  size_t heard() const { return heard_; }

 private:
  void count_frames();
  void answer_ping(std::string_view frame);

  Traffic& traffic_;
  RawStream stream_;
  bool answers_pings_ = false;
  std::string waiting_;   // to be sent
  std::string received_;  // the beginning of a frame
  size_t skip_ = 0;       // of a frame's payload, still to come
  size_t heard_ = 0;
  size_t ended_ = 0;
  int64_t window_ = 65535;  // of the connection, for data
  uint32_t next_stream_ = 1;
};

}  // namespace longshore::hostile_clients
