// gRPC's framing of messages in a stream of bytes: one flag byte, four bytes of length, the
// message. The flag says whether it is compressed; ours never are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "longshore/secret.hpp"

namespace longshore::rpc {

inline constexpr size_t kMessagePrefixBytes = 5;

std::array<char, kMessagePrefixBytes> message_prefix(size_t length);

// Finds messages in bytes that arrive in any portions. After kCompressed and kBroken it is of no
// more use.
// Threads: one at a time.
class MessageReader {
 public:
  enum class Step {
    kMoreNeeded,  // all bytes are taken, no message is whole
    kMessage,     // take_message() has it; call read() again with what is left
    kTooLarge,    // length() is over the limit
    kCompressed,  // the flag is 1
    kBroken,      // the flag is neither 0 nor 1
  };

  explicit MessageReader(size_t max_message_bytes) : max_message_bytes_(max_message_bytes) {}
  ~MessageReader() { wipe(message_); }
  MessageReader(const MessageReader&) = delete;
  MessageReader& operator=(const MessageReader&) = delete;

  // Takes from the front of `bytes`.
  Step read(std::string_view& bytes);

  // Forgets what was taken of a message.
  void drop();

  // In memory that whoever has the message in the end may wipe: it is the only copy.
  std::string take_message();
  // Of the message that is being read, once its prefix is whole.
  size_t length() const;
  bool prefix_is_whole() const { return prefix_size_ == kMessagePrefixBytes; }

  size_t limit() const { return max_message_bytes_; }

  // Bytes taken for a message that is not whole yet; 0 between two messages.
  size_t held_bytes() const { return prefix_size_ + message_.size(); }

  // Memory for the whole message at once, when it is sure to come.
  void reserve() { reserve_apart(message_, length()); }

 private:
  size_t max_message_bytes_;
  std::array<char, kMessagePrefixBytes> prefix_{};
  size_t prefix_size_ = 0;
  std::string message_;
};

}  // namespace longshore::rpc
