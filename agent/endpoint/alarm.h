// A time at which the I/O thread does something; for tests, on a clock of their own.
//
// Threads: the I/O thread. Owner: who sets it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>

namespace longshore::endpoint {

class Alarm {
 public:
  virtual ~Alarm() = default;

  // Calls `then` after that time, instead of what was set before.
  virtual void set(std::chrono::seconds after, std::function<void()> then) = 0;
  // What was set is not called any more; the end of the object does the same.
  virtual void clear() = 0;
};

std::unique_ptr<Alarm> make_alarm(boost::asio::io_context& io);

}  // namespace longshore::endpoint
