#include "supervise/linux/frame_socket.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <utility>

namespace longshore::supervise {
namespace {

constexpr size_t kMuchBytes = 8 << 20;
// Whoever leaves so much unread is given up.
constexpr size_t kTooManyBytes = 256 << 20;

iovec part(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

// Whether a system call that failed may be tried again later.
bool is_temporary() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

FrameSocket::FrameSocket(Descriptor socket, size_t max_frame_bytes, std::function<void()> on_gone)
    : socket_(std::move(socket)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      max_frame_bytes_(max_frame_bytes),
      on_gone_(std::move(on_gone)) {}

FrameSocket::Sent FrameSocket::send(const Frame& frame, Room room) {
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
  } else if (waiting_.size() - written_ > kTooManyBytes) {
    hang_up();
    return Sent::kGone;
  }
  const bool first = waiting_.empty();
  for (const std::string_view each : {header, frame.head, frame.payload}) {
    const size_t skipped = std::min(written, each.size());
    waiting_.append(each.substr(skipped));
    written -= skipped;
  }
  if (first && !waiting_.empty()) eventfd_write(wake_.get(), 1);
  return Sent::kYes;
}

size_t FrameSocket::write_now(std::string_view header, std::string_view head,
                              std::string_view payload) {
  iovec parts[] = {part(header), part(head), part(payload)};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 3;
  const ssize_t written = sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (written >= 0) return static_cast<size_t>(written);
  if (!is_temporary()) closed_ = true;
  return 0;
}

void FrameSocket::write_waiting() {
  const std::lock_guard lock(mutex_);
  written_ += write_now(std::string_view(waiting_).substr(written_), {}, {});
  if (written_ == waiting_.size() || closed_) {
    waiting_ = {};
    written_ = 0;
  } else if (written_ > kMuchBytes) {
    waiting_.erase(0, std::exchange(written_, 0));
  }
}

bool FrameSocket::something_waits() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty();
}

void FrameSocket::close() {
  const std::lock_guard lock(mutex_);
  hang_up();
}

void FrameSocket::hang_up() {
  closed_ = true;
  waiting_ = {};
  written_ = 0;
  shutdown(socket_.get(), SHUT_RDWR);  // a process that the child has left behind may hold its end
}

bool FrameSocket::read_some(FrameReader& reader) const {
  const std::span<char> room = reader.room();
  const ssize_t count = recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
  if (count < 0) return is_temporary();
  reader.filled(static_cast<size_t>(count));
  return count > 0;
}

Result<void> FrameSocket::serve(const std::function<bool(const Frame&)>& on_frame,
                                std::vector<Watched> others) {
  FrameReader reader(max_frame_bytes_);
  std::vector<pollfd> watched = {{socket_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  for (const Watched& other : others) watched.push_back({other.descriptor, POLLIN, 0});
  for (;;) {
    watched[0].events = static_cast<short>(something_waits() ? POLLIN | POLLOUT : POLLIN);
    if (poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[1].revents != 0) {
      eventfd_t ignored = 0;
      eventfd_read(wake_.get(), &ignored);
    }
    if ((watched[0].revents & POLLOUT) != 0) write_waiting();
    if ((watched[0].revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) != 0) {
      if (!read_some(reader)) return {};
      for (;;) {
        Result<std::optional<Frame>> frame = reader.next();
        if (!frame) return std::move(frame).error();
        if (!*frame) break;
        if (!on_frame(**frame)) return {};
      }
    }
    for (size_t i = 0; i < others.size(); ++i) {
      pollfd& each = watched[i + 2];
      if (each.revents != 0 && !others[i].on_readable()) each.fd = -1;  // poll leaves it out
    }
  }
}

}  // namespace longshore::supervise
