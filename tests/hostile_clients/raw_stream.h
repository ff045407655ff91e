// The connection of a raw client: what the system takes and has at once, and waiting for that.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace longshore::hostile_clients {

class RawStream {
 public:
  // To a socket or a pipe, as this user, if one is named. A server that cannot be reached leaves a
  // stream that is closed. Pipes know no other user.
  RawStream(const std::string& name, std::optional<unsigned> user);
  ~RawStream();
  RawStream(const RawStream&) = delete;
  RawStream& operator=(const RawStream&) = delete;

  // How many of the bytes were taken; 0 also when none are for now.
  size_t send(std::string_view bytes);
  // What has come; empty also when there is nothing for now.
  std::string receive();
  // False when it takes nothing within that time.
  bool wait_to_send(int milliseconds);
  // Until there is something, or the time is over.
  void wait_to_receive(int milliseconds);
  // With so many descriptors. Pipes carry none: there it is the bytes alone.
  size_t send_with_descriptors(std::string_view bytes, int count);

  bool closed() const;

 private:
  struct System;
  const std::unique_ptr<System> system_;
};

}  // namespace longshore::hostile_clients
