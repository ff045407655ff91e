// Remembers the last calls that were answered, so that one can be asked about by its request id.
//
// It is on the path of every call: one lock and no memory once its texts have found their size. It
// keeps nothing of a request but the object that the method's description names for logs, which is
// never a secret.
// Threads: any. Owner: the router.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "router/caller.h"
#include "router/method.h"
#include "router/timers.h"

namespace longshore::router {

class RecentCalls {
 public:
  struct Entry {
    uint64_t handle = 0;  // 0: refused before it was one
    std::shared_ptr<const Method> method;
    std::shared_ptr<const Caller> caller;
    std::string request_id;
    std::string object;  // its first kMaxObjectBytes
    Clock::time_point started{};
    Clock::duration took{};
    StatusCode code = StatusCode::kOk;
    std::string text;  // of an error: its first kMaxTextBytes
  };

  static constexpr size_t kCapacity = 1024;
  static constexpr size_t kMaxObjectBytes = 512;
  static constexpr size_t kMaxTextBytes = 1024;

  RecentCalls() = default;
  RecentCalls(const RecentCalls&) = delete;
  RecentCalls& operator=(const RecentCalls&) = delete;

  // What a call that is answered now is remembered by; the texts are copied.
  struct Answered {
    uint64_t handle;
    const std::shared_ptr<const Method>& method;
    const std::shared_ptr<const Caller>& caller;
    std::string_view request_id;
    std::string_view request;
    Clock::time_point started;
    Clock::duration took;
    StatusCode code;
    std::string_view text;
  };
  void add(const Answered& answered);

  // All of them, the oldest first.
  std::vector<Entry> all() const;

 private:
  mutable std::mutex mutex_;
  // A ring once it is full. In pieces: what no call has filled yet is no memory.
  std::deque<Entry> entries_;
  size_t next_ = 0;  // the oldest, which is replaced next
};

}  // namespace longshore::router
