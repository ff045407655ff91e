#include "supervise/linux/frame_pipes.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

#include <algorithm>
#include <utility>

namespace longshore::supervise {
namespace {

constexpr size_t kMuchBytes = 8 << 20;
// Whoever leaves so many of the largest frames unread is given up: more than the credit of several
// streams lets come.
constexpr size_t kTooManyFrames = 64;
// What may still lie in a pipe when the other side has ended, in parts of a frame reader's room.
constexpr int kMostLastReads = 256;

iovec part(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

// Whether a system call that failed may be tried again later.
bool is_temporary() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOMEM;
}

}  // namespace

Result<FrameEnds> FrameEnds::of(Descriptor input, Descriptor output) {
  Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return Error(StatusCode::kUnknown, "make an event descriptor").because(last_error());
  return FrameEnds{std::move(input), std::move(output), std::move(wake)};
}

FramePipes::FramePipes(FrameEnds ends, size_t max_frame_bytes, std::function<void()> on_gone)
    : ends_(std::move(ends)), max_frame_bytes_(max_frame_bytes), on_gone_(std::move(on_gone)) {}

FramePipes::Sent FramePipes::send(const Frame& frame, Room room) {
  const FrameHeader header_bytes = header_of(frame);
  const std::string_view header(header_bytes.data(), header_bytes.size());
  const std::lock_guard lock(mutex_);
  if (closed_) return Sent::kGone;
  size_t written = 0;
  if (waiting_.empty()) {
    written = write_now(header, frame.head, frame.payload);
    if (closed_) {
      if (on_gone_) on_gone_();
      return Sent::kGone;
    }
  } else if (room == Room::kUnlessMuchWaits && waiting_.size() - written_ > kMuchBytes) {
    return Sent::kMuchWaits;
  } else if ((waiting_.size() - written_) / kTooManyFrames > max_frame_bytes_) {
    gave_up_ = true;
    hang_up();
    return Sent::kGone;
  }
  const bool first = waiting_.empty();
  for (const std::string_view each : {header, frame.head, frame.payload}) {
    const size_t skipped = std::min(written, each.size());
    waiting_.append(each.substr(skipped));
    written -= skipped;
  }
  if (first && !waiting_.empty()) eventfd_write(ends_.wake.get(), 1);
  return Sent::kYes;
}

size_t FramePipes::write_now(std::string_view header, std::string_view head,
                             std::string_view payload) {
  const iovec parts[] = {part(header), part(head), part(payload)};
  const ssize_t written = writev(ends_.output.get(), parts, 3);
  if (written >= 0) return static_cast<size_t>(written);
  if (!is_temporary()) hang_up();
  return 0;
}

void FramePipes::write_waiting() {
  const std::lock_guard lock(mutex_);
  if (closed_ || waiting_.empty()) return;
  written_ += write_now(std::string_view(waiting_).substr(written_), {}, {});
  if (closed_) return;
  if (written_ == waiting_.size()) {
    waiting_ = {};
    written_ = 0;
  } else if (written_ > kMuchBytes) {
    waiting_.erase(0, std::exchange(written_, 0));
  }
}

bool FramePipes::something_waits() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty();
}

void FramePipes::close() {
  const std::lock_guard lock(mutex_);
  hang_up();
}

void FramePipes::hang_up() {
  closed_ = true;
  waiting_ = {};
  written_ = 0;
  eventfd_write(ends_.wake.get(), 1);
}

bool FramePipes::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

FramePipes::Read FramePipes::read_once(FrameReader& reader) const {
  const std::span<char> room = reader.room();
  const ssize_t count = read(ends_.input.get(), room.data(), room.size());
  if (count < 0) return is_temporary() ? Read::kNothing : Read::kEnd;
  reader.filled(static_cast<size_t>(count));
  return count > 0 ? Read::kSome : Read::kEnd;
}

Result<bool> FramePipes::read_frames(FrameReader& reader,
                                     const std::function<bool(const Frame&)>& on_frame) {
  // Asked before it is read: then what was written before the close is seen.
  const bool last = is_closed();
  for (int reads = last ? kMostLastReads : 1; reads > 0; --reads) {
    const Read outcome = read_once(reader);
    if (outcome == Read::kEnd) return false;
    if (outcome == Read::kNothing) break;
    for (;;) {
      Result<std::optional<Frame>> frame = reader.next();
      if (!frame) return std::move(frame).error();
      if (!*frame) break;
      if (!on_frame(**frame)) return false;
    }
  }
  return !last;
}

Result<void> FramePipes::serve(const std::function<bool(const Frame&)>& on_frame,
                               std::vector<Watched> others) {
  enum : size_t { kInput, kOutput, kWake, kOthers };
  FrameReader reader(max_frame_bytes_);
  std::vector<pollfd> watched = {
      {ends_.input.get(), POLLIN, 0}, {ends_.output.get(), 0, 0}, {ends_.wake.get(), POLLIN, 0}};
  for (const Watched& other : others) watched.push_back({other.descriptor, POLLIN, 0});
  for (;;) {
    watched[kOutput].events = static_cast<short>(something_waits() ? POLLOUT : 0);
    if (poll(watched.data(), watched.size(), -1) < 0) {
      if (is_temporary()) continue;
      return Error(StatusCode::kUnknown, "wait for frames").because(last_error());
    }
    if (watched[kWake].revents != 0) {
      eventfd_t ignored = 0;
      eventfd_read(ends_.wake.get(), &ignored);
    }
    if ((watched[kOutput].revents & POLLOUT) != 0) write_waiting();
    if ((watched[kOutput].revents & (POLLERR | POLLNVAL)) != 0) {
      close();  // nobody can read any more
      watched[kOutput].fd = -1;
    }
    const Result<bool> goes_on = read_frames(reader, on_frame);
    if (!goes_on) return goes_on.error();
    if (!*goes_on) break;
    for (size_t i = 0; i < others.size(); ++i) {
      pollfd& each = watched[kOthers + i];
      if (each.revents != 0 && !others[i].on_readable()) each.fd = -1;  // poll leaves it out
    }
  }
  const std::lock_guard lock(mutex_);
  if (gave_up_) return Error(StatusCode::kResourceExhausted, {}).because("it does not read");
  return {};
}

}  // namespace longshore::supervise
