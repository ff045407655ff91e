#include "rpc/send_queue.h"

#include <algorithm>

#include "rpc/message_framing.h"

namespace longshore::rpc {

void SendQueue::push(std::string message, MemoryCharge held) {
  size_ += kMessagePrefixBytes + message.size();
  entries_.push_back({message_prefix(message.size()), std::move(message), std::move(held)});
}

void SendQueue::clear() {
  entries_.clear();
  first_ = offset_ = size_ = 0;
}

void SendQueue::take(size_t bytes, std::string& output) {
  size_ -= bytes;
  while (bytes > 0) {
    Entry& entry = entries_[first_];
    if (offset_ < entry.prefix.size()) {
      const size_t part = std::min(bytes, entry.prefix.size() - offset_);
      output.append(entry.prefix.data() + offset_, part);
      offset_ += part;
      bytes -= part;
    }
    const size_t sent = offset_ - entry.prefix.size();
    const size_t part = std::min(bytes, entry.size() - offset_);
    if (part > 0) {
      output.append(entry.message, sent, part);
      offset_ += part;
      bytes -= part;
    }
    if (offset_ == entry.size()) {
      offset_ = 0;
      ++first_;
      if (keep_sent_) continue;
      std::string().swap(entries_[first_ - 1].message);  // an assignment would keep the memory
      entries_[first_ - 1].held.clear();
    }
  }
  if (!keep_sent_) drop_sent();
}

void SendQueue::rewind() {
  first_ = offset_ = size_ = 0;
  for (const Entry& entry : entries_) size_ += entry.size();
}

void SendQueue::drop_sent() {
  keep_sent_ = false;
  // Moving the rest for each message that goes would be quadratic in a long queue.
  if (first_ == entries_.size() || first_ >= 64) {
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(first_));
    first_ = 0;
  }
}

}  // namespace longshore::rpc
