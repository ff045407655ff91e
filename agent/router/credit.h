// Of a stream of messages: how many its reader still takes, and whether its writer waits for more.
//
// Threads: one at a time; the owner locks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace longshore::router {

class Credit {
 public:
  // `most`: what may be granted ahead, whatever the reader says.
  explicit Credit(uint32_t messages, uint32_t most = std::numeric_limits<uint32_t>::max())
      : most_(most), messages_(std::min(messages, most)) {}

  // How many were added: the rest is above `most`.
  uint32_t grant(uint32_t messages) {
    const uint32_t counts = std::min(messages, most_ - messages_);
    messages_ += counts;
    return counts;
  }
  uint32_t left() const { return messages_; }
  // A message goes to the reader. There is credit for it, or its writer was told to wait.
  void take() {
    if (messages_ > 0) --messages_;
  }

  // Whether the writer may send one more; if not, it waits. `is_empty`: nothing is on its way that
  // the reader has no credit for.
  bool admits(bool is_empty = true) {
    waits_ = !is_empty || messages_ == 0;
    return !waits_;
  }
  // Whether a writer that waits is to be told now that it may go on. Once.
  bool readmits(bool is_empty = true) {
    return is_empty && messages_ > 0 && std::exchange(waits_, false);
  }

 private:
  const uint32_t most_;
  uint32_t messages_;
  bool waits_ = false;
};

}  // namespace longshore::router
