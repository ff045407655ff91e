// Messages of an answer on their way to somebody who takes them as far as he has room; then its
// end. Both sides of a child's pipes have one for each answer that comes over them.
//
// The other side may send kStreamCredit messages before it is granted more, and of large ones no
// more than make kStreamBytes and the one that goes beyond: a caller decides how many streams there
// are that nobody reads. So that many at most wait here, and none of them stands in the way of
// other frames.
//
// Threads: any; the functions below `protected` are called by one at a time, without a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/abi.h"
#include "longshore/result.hpp"

namespace longshore::supervise {

inline constexpr uint32_t kStreamCredit = 8;
inline constexpr size_t kStreamBytes = 64u << 10;

class ResponsePump {
 public:
  ResponsePump() = default;
  ResponsePump(const ResponsePump&) = delete;
  ResponsePump& operator=(const ResponsePump&) = delete;
  virtual ~ResponsePump() = default;

  // False: the other side sends more than it was granted, and the message is not taken.
  bool add(std::string_view message);
  // An error overtakes the messages that have not been taken.
  void end(StatusCode code, std::string text);
  // There may be room again.
  void pump();

 protected:
  // As longshore_host::send.
  virtual longshore_result deliver(std::string_view message) = 0;
  // So many messages have been taken since the last time.
  virtual void grant(uint32_t messages) = 0;
  // Once, and last. `this` may be gone afterwards.
  virtual void finish(StatusCode code, std::string text) = 0;

 private:
  struct End {
    StatusCode code;
    std::string text;
  };

  // Delivers until there is no room or nothing left; true when finish was called. Locked.
  bool deliver_all(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::list<std::string> messages_;
  std::optional<End> end_;
  uint32_t taken_ = 0;  // and not granted again
  size_t taken_bytes_ = 0;
  bool pumping_ = false;
  bool again_ = false;  // somebody found it pumping
};

}  // namespace longshore::supervise
