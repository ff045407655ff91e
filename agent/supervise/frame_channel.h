// One end of the way between the agent and a child process: a pipe in, a pipe out.
//
// Not a socket: with that, a process can send descriptors whose closing blocks whoever receives
// them, or stop reading without a sign of it.
//
// Frames are written by whoever has one. What the pipe does not take at once waits here, and the
// reading thread writes it as soon as it can: `send` never blocks. Frames that begin something are
// refused when much waits, and answers wait for room, `send_when_room`: that bounds what is kept
// for who reads slowly. Those that end or cancel always find room, until so many wait that the
// other side is given up.
//
// Threads: `send` and `close` any; `send_when_room` any but the one that serves; `serve` one.
// Owner: shared by the threads of both.
#pragma once

#include <google/protobuf/message_lite.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "longshore/result.hpp"
#include "supervise/frames.h"
#include "supervise/pipe_transport.h"

namespace longshore::supervise {

// The head of a frame as the message that its type has; nothing if it is none.
template <typename Head>
std::optional<Head> head_of(const Frame& frame) {
  Head head;
  if (!head.ParseFromArray(frame.head.data(), static_cast<int>(frame.head.size()))) return {};
  return head;
}

class FrameChannel {
 public:
  struct Limits {
    size_t frame_bytes = 0;
    // Of frames that the other side has not read, but for those that are small and end something.
    size_t waiting_bytes = 64u << 20;
  };

  // `on_gone` is told under the lock, by the sender that finds out, that nothing can be written any
  // more.
  FrameChannel(std::unique_ptr<PipeTransport> ends, Limits limits,
               std::function<void()> on_gone = nullptr);

  enum class Room { kAlways, kUnlessMuchWaits };
  enum class Sent { kYes, kMuchWaits, kGone };
  Sent send(const Frame& frame, Room room = Room::kAlways);
  Sent send(FrameType type, uint64_t id, const google::protobuf::MessageLite& head,
            std::string_view payload = {}, Room room = Room::kAlways) {
    return send(Frame{type, id, head.SerializeAsString(), payload}, room);
  }

  // Waits until no more waits than may, this frame counted, or nothing does. False: gone.
  bool send_when_room(const Frame& frame);

  // Hands over frames until the other side is gone, or `close`, or `on_frame` answers false. An
  // error tells what the other side did wrong: it sent what is no frame, or does not read.
  Result<void> serve(const std::function<bool(const Frame&)>& on_frame,
                     std::vector<Watched> others = {});

  // Nothing is sent any more; `serve` ends after the frames that have come already. For a process
  // that has ended: what it has left behind may hold the other ends.
  void close();

 private:
  // All locked.
  Sent write_or_keep(const Frame& frame);
  // How many of the bytes the pipe took.
  size_t write_now(std::string_view header, std::string_view head, std::string_view payload);
  void write_waiting();
  // Keep, and let go, what waits.
  void keep(std::string_view bytes, bool is_secret);
  void drop_first();
  void hang_up();
  bool something_waits() const;
  bool is_closed() const;
  // Reads and hands over what there is. False: there will be no more.
  Result<bool> read_frames(FrameReader& reader, const std::function<bool(const Frame&)>& on_frame);

  const std::unique_ptr<PipeTransport> ends_;
  const Limits limits_;
  const std::function<void()> on_gone_;
  mutable std::mutex mutex_;
  std::condition_variable has_room_;
  // In pieces, so that much of it is neither moved nor copied.
  std::deque<std::string> waiting_;
  size_t waiting_bytes_ = 0;   // of all pieces, not yet written
  size_t written_ = 0;         // of the first piece
  bool holds_secret_ = false;  // `waiting_` does
  bool closed_ = false;
  bool gave_up_ = false;  // since it did not read
};

}  // namespace longshore::supervise
