// Time and chance, for what waits and tries again; a test has its own.
//
// Threads: the context's. Owner: who makes the client; it outlives what uses it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <utility>

namespace longshore::kube {

class Timing {
 public:
  virtual ~Timing() = default;
  virtual std::chrono::system_clock::time_point now() = 0;
  // Since some moment. It goes on while the process is stopped and while the system sleeps, and
  // nobody can set it. [any thread]
  virtual std::chrono::nanoseconds uptime() = 0;
  virtual double random() = 0;  // at least 0, less than 1
  // `on_time` is called once, later, unless who asked lets go of the result before.
  virtual std::shared_ptr<void> after(std::chrono::milliseconds delay,
                                      std::function<void()> on_time) = 0;
};

std::chrono::nanoseconds system_uptime();

class IoTiming final : public Timing {
 public:
  using Uptime = std::function<std::chrono::nanoseconds()>;

  explicit IoTiming(boost::asio::io_context& io, Uptime uptime = system_uptime)
      : io_(io), uptime_(std::move(uptime)), chance_(std::random_device()()) {}

  std::chrono::system_clock::time_point now() override { return std::chrono::system_clock::now(); }
  std::chrono::nanoseconds uptime() override { return uptime_(); }
  double random() override { return std::uniform_real_distribution<>()(chance_); }
  std::shared_ptr<void> after(std::chrono::milliseconds delay,
                              std::function<void()> on_time) override;

 private:
  boost::asio::io_context& io_;
  const Uptime uptime_;
  std::mt19937_64 chance_;
};

}  // namespace longshore::kube
