#include "rpc/message_deframer.h"

#include <utility>

#include "longshore/secret.hpp"

namespace longshore::rpc {

MessageDeframer::MessageDeframer(Http2Session& session, ReceiveBudget& budget, Http2Stream& stream,
                                 MessageSink& sink, const Limits& limits)
    : session_(session),
      budget_(budget),
      stream_(stream),
      sink_(sink),
      // nghttp2 tells the peer of new room by half windows.
      small_message_bytes_(limits.stream_window_bytes / 2),
      reader_(limits.max_message_bytes) {}

void MessageDeframer::take(std::string_view bytes) {
  // The connection's window holds no stream back for what another holds of a message: that is
  // bounded by the budget, and streams must not wait for each other.
  const size_t replaceable = budget_.received(bytes.size());
  if (replaceable > 0) session_.consume_connection(replaceable);
  unconsumed_ += bytes.size();
  if (!stopped_) read(bytes);
  settle();
}

void MessageDeframer::allow(uint32_t messages) {
  allowed_ += messages;
  const std::string backlog = std::exchange(backlog_, {});
  if (!stopped_) read(backlog);
  settle();
}

void MessageDeframer::read(std::string_view bytes) {
  while (!stopped_ && !bytes.empty()) {
    if (!may_deliver() && reader_.held_bytes() == 0) {
      backlog_.append(bytes);
      return;
    }
    switch (reader_.read(bytes)) {
      case MessageReader::Step::kMoreNeeded:
        if (reader_.prefix_is_whole()) want_reservation();
        break;
      case MessageReader::Step::kMessage:
        deliver();
        break;
      case MessageReader::Step::kTooLarge:
        fault(StatusCode::kResourceExhausted,
              "the message has " + std::to_string(reader_.length()) + " bytes, the limit is " +
                  std::to_string(reader_.limit()));
        break;
      case MessageReader::Step::kCompressed:
        fault(StatusCode::kInternal,
              "a message has the compressed flag without a grpc-encoding, only identity is "
              "supported");
        break;
      case MessageReader::Step::kBroken:
        fault(StatusCode::kInternal, "the framing of the messages is broken");
        break;
    }
  }
}

void MessageDeframer::deliver() {
  end_reservation();
  if (by_allowance_) --allowed_;
  sink_.on_whole_message(reader_.take_message());
}

void MessageDeframer::want_reservation() {
  if (room_ != Room::kWindow || !attached_) return;
  const size_t bytes = reader_.length();
  if (bytes + kMessagePrefixBytes <= small_message_bytes_) return;
  reserved_ = bytes;
  room_ = Room::kWaiting;
  switch (budget_.reserve(*this, bytes)) {
    case ReceiveBudget::Reservation::kGranted:
      room_ = Room::kReserved;
      reader_.reserve();
      break;
    case ReceiveBudget::Reservation::kWaits:
      break;
    case ReceiveBudget::Reservation::kRefused:
      room_ = Room::kWindow;
      fault(StatusCode::kResourceExhausted, budget_.refusal());
      break;
  }
}

void MessageDeframer::on_reserved() {
  room_ = Room::kReserved;
  reader_.reserve();
  settle();
}

void MessageDeframer::on_reservation_refused() {
  room_ = Room::kWindow;
  fault(StatusCode::kResourceExhausted, budget_.refusal());
}

void MessageDeframer::end_reservation() {
  const Room room = std::exchange(room_, Room::kWindow);
  if (room == Room::kReserved) budget_.give_back(reserved_);
  if (room == Room::kWaiting) budget_.give_up(*this);
}

void MessageDeframer::fault(StatusCode code, std::string_view text) {
  stop();
  sink_.on_intake_fault(code, text);
}

void MessageDeframer::stop() {
  if (std::exchange(stopped_, true)) return;
  end_reservation();
  if (!is_empty()) {
    wipe(backlog_);
    std::string().swap(backlog_);  // an assignment would keep the memory
    reader_.drop();
  }
  settle();
}

void MessageDeframer::detach() {
  end_reservation();
  budget_.change_held(std::exchange(counted_, 0), 0);
  attached_ = false;
}

// Counts what is still held, and lets the peer replace the rest.
void MessageDeframer::settle() {
  if (!attached_) return;
  size_t held = 0;
  if (!stopped_) {
    held = backlog_.size() + (room_ == Room::kReserved ? 0 : reader_.held_bytes());
  }
  if (unconsumed_ > held) session_.consume_stream(stream_, unconsumed_ - held);
  unconsumed_ = held;
  if (held == counted_) return;
  if (budget_.change_held(counted_, held)) {
    counted_ = held;
  } else {
    fault(StatusCode::kResourceExhausted, budget_.refusal());
  }
}

}  // namespace longshore::rpc
