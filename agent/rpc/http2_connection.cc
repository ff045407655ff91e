#include "rpc/http2_connection.h"

#include <algorithm>
#include <utility>

#include "longshore/secret.hpp"

namespace longshore::rpc {
namespace {

// What an idle connection keeps for its next request, and what a busy one reads at a time. It is
// called idle again after so many small reads.
constexpr size_t kIdleInputBytes = 2u << 10;
constexpr size_t kBusyInputBytes = 16u << 10;
constexpr unsigned kCalmReads = 16;
// As much as goes into one write; a local socket takes about twice that without waiting.
constexpr size_t kGatherBytes = 64u << 10;
constexpr size_t kIdleOutputBytes = 16u << 10;
// While the peer does not read and more frames than this wait, nothing is read from it either.
constexpr size_t kMaxQueuedFrames = 2048;

}  // namespace

Http2Connection::Http2Connection(Http2Session::Role role, std::unique_ptr<Transport> transport,
                                 const Limits& limits)
    : limits_(limits),
      transport_(std::move(transport)),
      session_(role, limits_, *this),
      receive_budget_(limits_.max_buffered_bytes) {}

void Http2Connection::start_speaking() {
  const auto keep = shared_from_this();  // the peer may be gone already, and the owner lets go
  set_input_size(kIdleInputBytes);
  flush();
  read_more();
}

void Http2Connection::read_more() {
  if (reading_ || closed_) return;
  if (writing_ && session_.queued_frames() > kMaxQueuedFrames) return;
  reading_ = true;
  transport_->read_some(boost::asio::buffer(input_.get(), input_size_), shared_from_this());
}

void Http2Connection::on_read(std::error_code error, size_t bytes) {
  reading_ = false;
  if (closed_) return;
  if (error) return close_connection("the peer is gone: " + error.message());
  if (!heard_) {
    heard_ = true;
    on_first_bytes();
  }
  bool in_order = true;
  turn([&] { in_order = session_.receive({input_.get(), bytes}); });
  // A secret may be among them. To ask whether would cost more than this; nghttp2 keeps nothing.
  wipe(input_.get(), bytes);
  if (!in_order) return close_connection(session_.reason());
  fit_input(bytes);
  read_more();
}

void Http2Connection::fit_input(size_t last_read) {
  calm_reads_ = last_read < kIdleInputBytes ? calm_reads_ + 1 : 0;
  if (last_read == input_size_ && input_size_ < kBusyInputBytes) {
    set_input_size(kBusyInputBytes);
  } else if (calm_reads_ >= kCalmReads && input_size_ > kIdleInputBytes) {
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
  if (!writing_ && !closed_ && session_.finished()) {
    close_connection(session_.reason().empty() ? "both sides are done" : session_.reason());
  }
}

void Http2Connection::gather() {
  enter_turn();
  bool in_order = session_.gather(output_, kGatherBytes);
  while (in_order && on_gathered() && output_.size() < kGatherBytes) {
    in_order = session_.gather(output_, kGatherBytes);
  }
  if (!in_order) close_connection("the HTTP/2 library failed");
  leave_turn();
}

void Http2Connection::write_output() {
  std::error_code error;
  written_ += transport_->write_now(
      boost::asio::buffer(output_.data() + written_, output_.size() - written_), error);
  if (error) return close_connection("the peer is gone: " + error.message());
  if (written_ < output_.size()) {
    writing_ = true;
    transport_->write(boost::asio::buffer(output_.data() + written_, output_.size() - written_),
                      shared_from_this());
    return;
  }
  written_ = 0;
  output_.clear();
  if (streams_.empty() && output_.capacity() > kIdleOutputBytes) output_.shrink_to_fit();
}

void Http2Connection::on_written(std::error_code error) {
  writing_ = false;
  if (closed_) return;
  if (error) return close_connection("the peer is gone: " + error.message());
  written_ = 0;
  output_.clear();
  flush();
  read_more();
}

void Http2Connection::close_connection(std::string reason) {
  if (closed_) return;
  if (in_turn_) {
    if (!close_reason_) close_reason_ = std::move(reason);
    return;
  }
  const auto keep = shared_from_this();
  closed_ = true;
  alarm_.reset();
  transport_->close();
  on_connection_closed(std::move(reason));
}

void Http2Connection::set_alarm(std::chrono::milliseconds delay, std::function<void()> on_alarm) {
  clear_alarm();
  alarm_ = std::make_unique<boost::asio::steady_timer>(executor(), delay);
  alarm_->async_wait([weak = weak_from_this(), on_alarm = std::move(on_alarm),
                      number = alarm_number_](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!error && self && !self->closed_ && self->alarm_number_ == number) on_alarm();
  });
}

void Http2Connection::clear_alarm() {
  ++alarm_number_;
  alarm_.reset();
}

}  // namespace longshore::rpc
