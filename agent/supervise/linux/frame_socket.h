// One end of the socket between the agent and a child process.
//
// Frames are written by whoever has one. What the socket does not take at once waits here, and the
// reading thread writes it as soon as it can: no sender ever blocks. Only frames that begin
// something are refused when too much waits; those that end or cancel always find room.
//
// Threads: `send` and `close` any; `serve` one. Owner: shared by the threads of both.
#pragma once

#include <google/protobuf/message_lite.h>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "longshore/result.hpp"
#include "supervise/frames.h"
#include "supervise/linux/descriptor.h"

namespace longshore::supervise {

// The head of a frame as the message that its type has; nothing if it is none.
template <typename Head>
std::optional<Head> head_of(const Frame& frame) {
  Head head;
  if (!head.ParseFromArray(frame.head.data(), static_cast<int>(frame.head.size()))) return {};
  return head;
}

// Another descriptor that the reading thread looks after. `on_readable` answers false when there is
// nothing more to come from it.
struct Watched {
  int descriptor = -1;
  std::function<bool()> on_readable;
};

class FrameSocket {
 public:
  // `on_gone` is told under the lock, by the sender that finds out, that nothing can be written any
  // more.
  FrameSocket(Descriptor socket, size_t max_frame_bytes, std::function<void()> on_gone = nullptr);

  enum class Room { kAlways, kUnlessMuchWaits };
  enum class Sent { kYes, kMuchWaits, kGone };
  Sent send(const Frame& frame, Room room = Room::kAlways);
  Sent send(FrameType type, uint64_t id, const google::protobuf::MessageLite& head,
            std::string_view payload = {}, Room room = Room::kAlways) {
    return send(Frame{type, id, head.SerializeAsString(), payload}, room);
  }

  // Hands over frames until the other side is gone or `on_frame` answers false. An error means that
  // what came is no frame.
  Result<void> serve(const std::function<bool(const Frame&)>& on_frame,
                     std::vector<Watched> others = {});

  // Nothing is sent any more; `serve` ends after the frames that have come already.
  void close();

 private:
  // Both locked. How many of the bytes the socket took; all of them when the other side is gone.
  size_t write_now(std::string_view header, std::string_view head, std::string_view payload);
  void write_waiting();
  void hang_up();  // locked
  bool something_waits() const;
  // Reads once. False: the other side is gone.
  bool read_some(FrameReader& reader) const;

  const Descriptor socket_;
  const Descriptor wake_;  // readable when the reading thread should write
  const size_t max_frame_bytes_;
  const std::function<void()> on_gone_;
  mutable std::mutex mutex_;
  std::string waiting_;
  size_t written_ = 0;  // of `waiting_`
  bool closed_ = false;
};

}  // namespace longshore::supervise
