// Remembers the last calls that were answered, so that one can be asked about by its request id.
//
// It is on the path of every call: one lock, and no allocation after the first call. It keeps
// nothing of a request but the object that the method's description names for logs, which is never
// a secret.
//
// Threads: any. Owner: the router.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "observe/text_ring.h"
#include "router/caller.h"
#include "router/method.h"
#include "router/timers.h"

namespace longshore::router {

class RecentCalls {
 public:
  struct Entry {
    uint64_t handle = 0;  // 0: refused before it was one
    std::shared_ptr<const Method> method;
    std::string caller;  // its identity
    std::string on_behalf_of;
    std::string request_id;
    std::string object;  // its first kMaxObjectBytes
    Clock::time_point started{};
    Clock::duration took{};
    StatusCode code = StatusCode::kOk;
    std::string text;  // of an error: its first kMaxTextBytes
  };

  // Fewer where their texts fill the block for them.
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
    std::string_view warning = {};  // what the module had to warn of meanwhile
  };
  void add(const Answered& answered);

  // All of them, the oldest first.
  std::vector<Entry> all() const;

 private:
  static constexpr size_t kTextsBytes = 256u << 10;
  static constexpr size_t kTexts = 5;  // request id, caller, on whose behalf, object, error
  using Texts = std::array<std::string_view, kTexts>;

  struct Kept {
    uint64_t handle = 0;
    std::shared_ptr<const Method> method;
    Clock::time_point started{};
    Clock::duration took{};
    StatusCode code = StatusCode::kOk;
    std::array<uint16_t, kTexts> lengths{};
  };

  static Entry entry_of(const Kept& kept, const char* texts);

  mutable std::mutex mutex_;
  observe::TextRing<Kept> calls_{kCapacity, kTextsBytes};
};

}  // namespace longshore::router
