// What systemd answered.
//
// Threads: one at a time, and not beside the connection that it came from.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "system/linux/sd_bus_library.h"

namespace longshore::system {

// The reply of a call, to be read from left to right.
class BusReply {
 public:
  BusReply(const SdBusLibrary& library, sd_bus_message* message)
      : library_(&library), message_(message) {}
  BusReply(BusReply&& other) noexcept
      : library_(other.library_), message_(std::exchange(other.message_, nullptr)) {}
  BusReply& operator=(BusReply&&) = delete;
  ~BusReply() { library_->bus_message_unref(message_); }

  // Who sent it: a unique name on the bus.
  std::string sender() const;

  // A string or object path; nothing when something else comes next.
  std::optional<std::string> text();

  // Reads an a{sv}: calls `take` for each key. What `take` leaves unread (returns false) is
  // skipped. False: the reply has another form.
  bool each_property(const std::function<bool(const std::string& key)>& take);
  // For `take`: the value, if it is a string or an array of strings.
  std::optional<std::string> variant_text();
  std::optional<std::vector<std::string>> variant_texts();

 private:
  const SdBusLibrary* library_;
  sd_bus_message* message_;
};

}  // namespace longshore::system
