// The messages of one stream that wait to be sent, cut into frames as the peer makes room.
//
// Threads: one at a time. Owner: Http2Stream.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "rpc/memory_account.h"

namespace longshore::rpc {

class SendQueue {
 public:
  // Adds a message behind its five bytes of prefix. `held` ends when all of it is gone.
  void push(std::string message, MemoryCharge held = {});
  // Nothing follows.
  void end() { ended_ = true; }
  bool ended() const { return ended_; }

  // Forgets what was not sent yet.
  void clear();

  // Bytes that wait, prefixes included.
  size_t size() const { return size_; }

  // Moves exactly `bytes`, no more than size(), to the end of `output`.
  void take(size_t bytes, std::string& output);

  // Starts again from the first byte; only before anything was dropped, see keep_sent().
  void rewind();
  // From now on sent messages are kept, so that rewind() can send them once more.
  void keep_sent() { keep_sent_ = true; }
  // The peer has seen the call: no rewind() will come.
  void drop_sent();

 private:
  struct Entry {
    std::array<char, 5> prefix;
    std::string message;
    MemoryCharge held;
    size_t size() const { return prefix.size() + message.size(); }
  };

  boost::container::small_vector<Entry, 1> entries_;  // most streams have one message
  size_t first_ = 0;                                  // the entry that is being sent
  size_t offset_ = 0;                                 // and how much of it is gone
  size_t size_ = 0;
  bool ended_ = false;
  bool keep_sent_ = false;
};

}  // namespace longshore::rpc
