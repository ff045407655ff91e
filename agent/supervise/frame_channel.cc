#include "supervise/frame_channel.h"

#include <algorithm>
#include <utility>

#include "longshore/secret.hpp"

namespace longshore::supervise {
namespace {

// While so much waits nothing new begins. So much of frames that end something may wait beyond what
// may wait of others; then the other side is given up.
constexpr size_t kMuchBytes = 8 << 20;
// A piece of what waits is given no more once it has so much.
constexpr size_t kPieceBytes = 64 << 10;
// What may still lie in a pipe when the other side has ended, in parts of a frame reader's room.
constexpr int kMostLastReads = 256;

}  // namespace

FrameChannel::FrameChannel(std::unique_ptr<PipeTransport> ends, Limits limits,
                           std::function<void()> on_gone)
    : ends_(std::move(ends)), limits_(limits), on_gone_(std::move(on_gone)) {}

FrameChannel::Sent FrameChannel::send(const Frame& frame, Room room) {
  const std::lock_guard lock(mutex_);
  const size_t most = std::min(kMuchBytes, limits_.waiting_bytes);
  if (room == Room::kUnlessMuchWaits && !closed_ && waiting_bytes_ > most) {
    return Sent::kMuchWaits;
  }
  return write_or_keep(frame);
}

bool FrameChannel::send_when_room(const Frame& frame) {
  const size_t bytes = kFrameHeaderBytes + frame.head.size() + frame.payload.size();
  std::unique_lock lock(mutex_);
  has_room_.wait(lock, [&] {
    return closed_ || waiting_.empty() || waiting_bytes_ + bytes <= limits_.waiting_bytes;
  });
  return write_or_keep(frame) != Sent::kGone;
}

FrameChannel::Sent FrameChannel::write_or_keep(const Frame& frame) {
  const FrameHeader header_bytes = header_of(frame);
  const std::string_view header(header_bytes.data(), header_bytes.size());
  if (closed_) return Sent::kGone;
  size_t written = 0;
  if (waiting_.empty()) {
    written = write_now(header, frame.head, frame.payload);
    if (closed_) {
      if (on_gone_) on_gone_();
      return Sent::kGone;
    }
  } else if (waiting_bytes_ > limits_.waiting_bytes + kMuchBytes) {
    gave_up_ = true;
    hang_up();
    return Sent::kGone;
  }
  const bool first = waiting_.empty();
  for (const std::string_view each : {header, frame.head, frame.payload}) {
    const size_t skipped = std::min(written, each.size());
    keep(each.substr(skipped), frame.is_secret);
    written -= skipped;
  }
  if (first && !waiting_.empty()) ends_->wake();
  return Sent::kYes;
}

size_t FrameChannel::write_now(std::string_view header, std::string_view head,
                               std::string_view payload) {
  const std::string_view parts[] = {header, head, payload};
  const std::optional<size_t> written = ends_->write(parts);
  if (!written) hang_up();
  return written.value_or(0);
}

void FrameChannel::write_waiting() {
  const std::lock_guard lock(mutex_);
  if (closed_ || waiting_.empty()) return;
  const size_t written = write_now(std::string_view(waiting_.front()).substr(written_), {}, {});
  if (closed_) return;
  waiting_bytes_ -= written;
  written_ += written;
  if (written_ == waiting_.front().size()) drop_first();
  has_room_.notify_all();
}

void FrameChannel::keep(std::string_view bytes, bool is_secret) {
  if (bytes.empty()) return;
  holds_secret_ |= is_secret;
  if (waiting_.empty() || waiting_.back().size() >= kPieceBytes) waiting_.emplace_back();
  if (holds_secret_) {
    append_apart(waiting_.back(), bytes);
  } else {
    waiting_.back().append(bytes);
  }
  waiting_bytes_ += bytes.size();
}

void FrameChannel::drop_first() {
  std::string& first = waiting_.front();
  if (holds_secret_) wipe(first.data(), first.size());
  waiting_.pop_front();
  written_ = 0;
  if (waiting_.empty()) holds_secret_ = false;
}

bool FrameChannel::something_waits() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty();
}

void FrameChannel::close() {
  const std::lock_guard lock(mutex_);
  hang_up();
}

void FrameChannel::hang_up() {
  closed_ = true;
  while (!waiting_.empty()) drop_first();
  waiting_bytes_ = 0;
  has_room_.notify_all();
  ends_->wake();
}

bool FrameChannel::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

Result<bool> FrameChannel::read_frames(FrameReader& reader,
                                       const std::function<bool(const Frame&)>& on_frame) {
  // Asked before it is read: then what was written before the close is seen.
  const bool last = is_closed();
  for (int reads = last ? kMostLastReads : 1; reads > 0; --reads) {
    const std::optional<size_t> count = ends_->read(reader.room());
    if (!count) return false;
    if (*count == 0) break;
    reader.filled(*count);
    for (;;) {
      Result<std::optional<Frame>> frame = reader.next();
      if (!frame) return std::move(frame).error();
      if (!*frame) break;
      if (!on_frame(**frame)) return false;
    }
  }
  return !last;
}

Result<void> FrameChannel::serve(const std::function<bool(const Frame&)>& on_frame,
                                 std::vector<Watched> others) {
  FrameReader reader(limits_.frame_bytes);
  for (;;) {
    const Result<PipeTransport::Found> found = ends_->wait(something_waits(), others);
    if (!found) return found.error();
    if (found->has_room) write_waiting();
    if (found->nobody_reads) close();
    const Result<bool> goes_on = read_frames(reader, on_frame);
    if (!goes_on) return goes_on.error();
    if (!*goes_on) break;
    std::erase_if(others, [](Watched& other) { return other.is_ready && !other.on_ready(); });
  }
  const std::lock_guard lock(mutex_);
  if (gave_up_) return Error(StatusCode::kResourceExhausted, {}).because("it does not read");
  return {};
}

}  // namespace longshore::supervise
