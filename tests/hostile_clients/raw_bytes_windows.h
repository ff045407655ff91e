// What a raw stream is on Windows: a named pipe, or a connection to a loopback port.
//
// Threads: one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace longshore::hostile_clients {

// The functions are RawStream's; patience is in milliseconds.
class RawBytes {
 public:
  virtual ~RawBytes() = default;
  virtual size_t send(std::string_view bytes) = 0;
  virtual std::string receive() = 0;
  virtual bool wait_to_send(int patience) = 0;
  virtual void wait_to_receive(int patience) = 0;
  virtual bool closed() const = 0;
};

std::unique_ptr<RawBytes> open_raw_pipe(const std::string& name);
std::unique_ptr<RawBytes> open_raw_port(const std::string& number);

}  // namespace longshore::hostile_clients
