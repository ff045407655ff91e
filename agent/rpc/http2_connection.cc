#include "rpc/http2_connection.h"

#include <algorithm>
#include <new>
#include <utility>

#include "longshore/secret.hpp"

namespace longshore::rpc {
namespace {

// What an idle connection keeps for its next request, and what a busy one reads at a time. It is
// called idle again after so many small reads.
constexpr size_t kIdleInputBytes = 2u << 10;
constexpr size_t kBusyInputBytes = 16u << 10;
constexpr unsigned kCalmReads = 16;
// Between two parts of this size it is seen whether a turn has done enough.
constexpr size_t kPartBytes = 1u << 10;
// As much as goes into one write; a local socket takes about twice that without waiting.
constexpr size_t kGatherBytes = 64u << 10;
constexpr size_t kIdleOutputBytes = 2u << 10;  // for its next answers
// While the peer does not read and more frames than this wait, nothing is read from it either.
constexpr size_t kMaxQueuedFrames = 2048;
// Who sends more than this after the end of the session is not about to close.
constexpr size_t kMaxDroppedBytes = 1u << 20;

}  // namespace

Http2Connection::Http2Connection(Http2Session::Role role, std::unique_ptr<Transport> transport,
                                 const Limits& limits, std::shared_ptr<MemoryAccount> account,
                                 std::shared_ptr<FairQueue::Flow> flow)
    : limits_(limits),
      transport_(std::move(transport)),
      session_(role, limits_, *this),
      receive_budget_(limits_.max_buffered_bytes, account),
      account_(std::move(account)),
      flow_(std::move(flow)) {}

void Http2Connection::start_speaking() {
  const auto keep = shared_from_this();  // the peer may be gone already, and the owner lets go
  guarded([this] {
    set_input_size(kIdleInputBytes);
    flush();
    read_more();
  });
}

void Http2Connection::read_more() {
  if (reading_ || closed_ || !unread_.empty()) return;
  if (writing_ && session_.queued_frames() > kMaxQueuedFrames) return;
  reading_ = true;
  transport_->read_some(boost::asio::buffer(input_.get(), input_size_), shared_from_this());
}

void Http2Connection::on_read(std::error_code error, size_t bytes) {
  reading_ = false;
  if (closed_) return;
  guarded([&] {
    if (error && lingers_) return close_connection("both sides are done");
    if (error) return close_connection("the peer is gone: " + error.message());
    if (lingers_) return drop_input(bytes);
    last_read_ = bytes;
    unread_ = {input_.get(), bytes};
    if (flow_ && !FairQueue::is_free(*flow_)) return enter_flow();
    act_on_input();
  });
}

void Http2Connection::enter_flow() {
  FairQueue::enter(flow_, {shared_from_this(), static_cast<FairQueue::Turn*>(this)});
}

void Http2Connection::take_turn() {
  if (closed_) return;
  guarded([this] { act_on_input(); });
}

void Http2Connection::act_on_input() {
  bool in_order = true;
  turn([&] { in_order = receive_part(); });
  if (!in_order) return close_connection(session_.reason());
  if (closed_ || lingers_) return;
  if (!unread_.empty()) return enter_flow();
  fit_input(last_read_);
  read_more();
}

// As much of what was read as one turn may act on.
bool Http2Connection::receive_part() {
  const size_t before = session_.work();
  bool in_order = true;
  while (in_order && !unread_.empty() && session_.work() - before < FairQueue::kQuantum) {
    const auto part = flow_ ? unread_.first(std::min(unread_.size(), kPartBytes)) : unread_;
    in_order = session_.receive({part.data(), part.size()});
    // A secret may be among them. To ask whether would cost more than this; nghttp2 keeps nothing.
    wipe(part.data(), part.size());
    unread_ = unread_.subspan(part.size());
  }
  if (flow_) FairQueue::add_done(*flow_, session_.work() - before);
  return in_order;
}

void Http2Connection::fit_input(size_t last_read) {
  calm_reads_ = last_read < kIdleInputBytes ? calm_reads_ + 1 : 0;
  if (last_read == input_size_ && input_size_ < kBusyInputBytes) {
    set_input_size(kBusyInputBytes);
  } else if ((calm_reads_ >= kCalmReads || streams_.empty()) && input_size_ > kIdleInputBytes) {
    set_input_size(kIdleInputBytes);
  }
}

void Http2Connection::set_input_size(size_t size) {
  input_ = std::make_unique_for_overwrite<char[]>(size);
  input_size_ = size;
}

void Http2Connection::enter_turn() {
  in_turn_ = true;
  on_turn_begin();
}

void Http2Connection::leave_turn() {
  on_turn_end();
  in_turn_ = false;
  if (close_reason_) close_connection(*std::exchange(close_reason_, std::nullopt));
}

void Http2Connection::flush() {
  while (!writing_ && !closed_) {
    if (output_.empty()) gather();
    if (output_.empty() || closed_) break;
    write_output();
  }
  if (!writing_ && !closed_ && !lingers_ && session_.finished()) end_session();
}

void Http2Connection::end_session() {
  if (!session_.reason().empty()) return close_connection(session_.reason());
  if (!may_linger()) return close_connection("both sides are done");
  linger();
}

void Http2Connection::linger() {
  lingers_ = true;
  wipe(unread_.data(), unread_.size());
  unread_ = {};
  transport_->end_writing();
  set_alarm(linger_alarm_, limits_.linger_timeout,
            [this] { close_connection("the client did not close in time"); });
  read_more();
}

void Http2Connection::drop_input(size_t bytes) {
  wipe(input_.get(), bytes);
  dropped_ += bytes;
  if (dropped_ > kMaxDroppedBytes) return close_connection("the client did not close in time");
  read_more();
}

void Http2Connection::gather() {
  enter_turn();
  bool in_order = session_.gather(output_, kGatherBytes);
  while (in_order && on_gathered() && output_.size() < kGatherBytes) {
    in_order = session_.gather(output_, kGatherBytes);
  }
  if (!in_order) {
    close_connection(session_.reason().empty() ? "the HTTP/2 library failed" : session_.reason());
  }
  leave_turn();
}

void Http2Connection::write_output() {
  std::error_code error;
  written_ += transport_->write_now(
      boost::asio::buffer(output_.data() + written_, output_.size() - written_), error);
  if (error) return close_connection("the peer is gone: " + error.message());
  if (written_ < output_.size()) {
    writing_ = true;
    output_charged_ = account_ ? output_.capacity() : 0;
    if (account_) account_->charge_always(output_charged_);
    transport_->write(boost::asio::buffer(output_.data() + written_, output_.size() - written_),
                      shared_from_this());
    return;
  }
  output_is_written();
}

void Http2Connection::output_is_written() {
  written_ = 0;
  output_.clear();
  if (streams_.empty() && output_.capacity() > kIdleOutputBytes) output_.shrink_to_fit();
}

void Http2Connection::on_written(std::error_code error) {
  writing_ = false;
  if (account_) account_->release(std::exchange(output_charged_, 0));
  if (closed_) return;
  guarded([&] {
    if (error) return close_connection("the peer is gone: " + error.message());
    output_is_written();
    flush();
    read_more();
  });
}

// The turn that was under way, if any, has stopped somewhere within.
void Http2Connection::give_up(const std::exception& failure) {
  if (std::exchange(in_turn_, false)) on_turn_end();
  const bool is_memory = dynamic_cast<const std::bad_alloc*>(&failure) != nullptr;
  close_connection(is_memory ? "out of memory" : failure.what());
}

void Http2Connection::close_connection(std::string reason) {
  if (closed_) return;
  if (in_turn_) {
    if (!close_reason_) close_reason_ = std::move(reason);
    return;
  }
  const auto keep = shared_from_this();
  closed_ = true;
  wipe(unread_.data(), unread_.size());
  unread_ = {};
  linger_alarm_.clear();
  transport_->close();
  on_connection_closed(std::move(reason));
}

void Http2Connection::set_alarm(Alarm& alarm, std::chrono::nanoseconds delay,
                                std::function<void()> on_alarm) {
  alarm.set(executor(), delay, weak_from_this(), [this, on_alarm = std::move(on_alarm)] {
    if (!closed_) guarded(on_alarm);
  });
}

}  // namespace longshore::rpc
