#include "rpc/message_deframer.h"

#include <utility>

#include "longshore/secret.hpp"
#include "rpc/gzip.h"

namespace longshore::rpc {

MessageDeframer::MessageDeframer(Http2Session& session, ReceiveBudget& budget, Http2Stream& stream,
                                 MessageSink& sink, const Limits& limits)
    : session_(session),
      budget_(budget),
      stream_(stream),
      sink_(sink),
      max_message_bytes_(limits.max_message_bytes),
      // nghttp2 tells the peer of new room by half windows.
      small_message_bytes_(limits.stream_window_bytes / 2),
      reader_(limits.max_message_bytes) {}

void MessageDeframer::take(std::string_view bytes) {
  // The connection's window never holds a stream back: what is held is bounded by the budget, and
  // streams must not wait for each other.
  session_.consume_connection(bytes.size());
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
                  std::to_string(max_message_bytes_));
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
  const bool compressed = reader_.compressed();
  std::string message = reader_.take_message();
  if (compressed) {
    if (!gzip_) {
      return fault(StatusCode::kInternal, "a message is compressed without a grpc-encoding");
    }
    auto plain = gzip_decompress(message, max_message_bytes_);
    wipe(message);
    if (!plain) return fault(plain.error().code(), plain.error().message());
    message = std::move(*plain);
  }
  sink_.on_whole_message(std::move(message));
}

void MessageDeframer::want_reservation() {
  if (room_ != Room::kWindow || !attached_) return;
  const size_t bytes = reader_.length();
  if (bytes + kMessagePrefixBytes <= small_message_bytes_) return;
  reserved_ = bytes;
  room_ = Room::kWaiting;
  if (budget_.reserve(*this, bytes)) {
    room_ = Room::kReserved;
    reader_.reserve();
  }
}

void MessageDeframer::on_reserved() {
  room_ = Room::kReserved;
  reader_.reserve();
  settle();
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
  backlog_ = {};
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
  const bool fits = budget_.change_held(std::exchange(counted_, held), held);
  if (!fits) {
    fault(StatusCode::kResourceExhausted,
          "the connection holds too much of messages that are not complete");
  }
}

}  // namespace longshore::rpc
