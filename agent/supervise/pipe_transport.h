// The system's part of one end of the way between the agent and a child process: a pipe in, a pipe
// out, and the waiting for them and for other things.
//
// Threads: `read` and `wait` one; `write` any, one at a time; `wake` any. Owner: a FrameChannel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "longshore/result.hpp"

namespace longshore::supervise {

// Something else that the reading thread looks after: a descriptor that becomes readable, or on
// Windows a handle that becomes signalled.
struct Watched {
  intptr_t handle = -1;
  // Answers false when there is nothing more to come from it.
  std::function<bool()> on_ready;
  bool is_ready = false;  // as `wait` found it
};

class PipeTransport {
 public:
  virtual ~PipeTransport() = default;

  // How many of the bytes were taken, 0 when there is no room; nothing when nobody can read any
  // more. Never blocks.
  virtual std::optional<size_t> write(std::span<const std::string_view> parts) = 0;
  // How many bytes came, 0 when there are none at the moment; nothing at the end. Never blocks.
  virtual std::optional<size_t> read(std::span<char> room) = 0;

  // `wait` returns, now or the next time.
  virtual void wake() = 0;

  struct Found {
    bool has_room = false;  // told only if asked
    bool nobody_reads = false;
  };
  // Waits until there is something to read, or one of the others is ready.
  virtual Result<Found> wait(bool for_room, std::span<Watched> others) = 0;
};

}  // namespace longshore::supervise
