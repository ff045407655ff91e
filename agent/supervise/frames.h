// Frames: what the agent and a child process say to each other over their pipes.
//
//   | type 4 | bytes of the head 4 | bytes of the payload 4 | flags 4 | id 8 | head ... | payload
//   ... |
//
// A frame whose flags are 1 holds a secret: its bytes are wiped on both sides after their use.
// Numbers are little-endian. The head is a message of longshore.child.v1 where the type has one,
// the payload the bytes of a request, a message or a text, which nobody copies into a message of
// ours. The id is a call's: the agent's for kCall and what belongs to it, the child's for kInvoke.
//
// Threads: plain values; a FrameReader belongs to the thread that reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"
#include "longshore/secret.hpp"

namespace longshore::supervise {

// Changes with every change of frames or heads: agent and module host come from one build.
inline constexpr uint32_t kProtocolVersion = 5;

enum class FrameType : uint32_t {
  // From the agent to the child.
  kHello = 1,        // Hello; the first frame
  kHandover,         // what the start that follows is handed over
  kStart,            // Start, settings
  kStop,             // Stop
  kDestroy,          // the child ends
  kCall,             // Call, request
  kCancel,           // nobody waits for the call any more
  kGrant,            // Grant: so many more messages of the call's answer
  kResponseMessage,  // a message of the answer to a call of the module's own
  kResponseEnd,      // End: its outcome
  // From the child to the agent.
  kReady,             // Ready; the first frame
  kStarted,           // End
  kStopped,           // End, handover
  kMessage,           // a message of a stream
  kFinish,            // End, and the answer if has_response: the module has finished the call
  kInvoke,            // Invoke, request: the module calls
  kCancelInvocation,  // it does not wait for that any more
  kGrantInvocation,   // Grant
  kLog,               // Log, text
  kViolations,        // Violations, the last of them
  kDegraded,          // the module serves badly, and why; empty: well
  kWaits,             // the call waits in the child behind others for this bulkhead; empty: it runs
};
inline constexpr auto kLastFrameType = FrameType::kWaits;

// A frame to be written, or one that was read; the bytes are another's.
struct Frame {
  FrameType type{};
  uint64_t id = 0;
  std::string_view head = {};
  std::string_view payload = {};
  bool is_secret = false;
};

inline constexpr size_t kFrameHeaderBytes = 24;
using FrameHeader = std::array<char, kFrameHeaderBytes>;

FrameHeader header_of(const Frame& frame);

// Cuts a stream of bytes into frames. Bytes come from a process that may run hostile code: nothing
// of them is believed before it is checked.
class FrameReader {
 public:
  // No frame may be larger than `max_frame_bytes`, its header not counted.
  explicit FrameReader(size_t max_frame_bytes) : max_frame_bytes_(max_frame_bytes) {}
  ~FrameReader() { wipe(buffer_.data(), buffer_.size()); }
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  // Where to read into, never empty; then say how many bytes came. `room` and `next` end the life
  // of what `next` gave before.
  std::span<char> room();
  void filled(size_t bytes) { end_ += bytes; }

  // The next frame, nothing when more bytes are needed, or an error after which there is no more.
  Result<std::optional<Frame>> next();

 private:
  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void wipe_last();
  // Whether the frame that has not come whole yet says that it holds a secret.
  bool has_secret_part() const;
  void grow(size_t size);

  const size_t max_frame_bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t secret_ = 0;                  // bytes before `begin_`: of the last frame
  size_t wanted_ = kFrameHeaderBytes;  // bytes of the frame at `begin_`, as far as known
};

}  // namespace longshore::supervise
