// Time and chance, for what waits and tries again; a test has its own.
//
// Threads: the context's. Owner: who makes the client; it outlives what uses it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <random>

namespace longshore::kube {

class Timing {
 public:
  virtual ~Timing() = default;
  virtual std::chrono::system_clock::time_point now() = 0;
  virtual double random() = 0;  // at least 0, less than 1
  // `on_time` is called once, later, unless who asked lets go of the result before.
  virtual std::shared_ptr<void> after(std::chrono::milliseconds delay,
                                      std::function<void()> on_time) = 0;
};

class IoTiming final : public Timing {
 public:
  explicit IoTiming(boost::asio::io_context& io) : io_(io), chance_(std::random_device()()) {}

  std::chrono::system_clock::time_point now() override { return std::chrono::system_clock::now(); }
  double random() override { return std::uniform_real_distribution<>()(chance_); }
  std::shared_ptr<void> after(std::chrono::milliseconds delay,
                              std::function<void()> on_time) override;

 private:
  boost::asio::io_context& io_;
  std::mt19937_64 chance_;
};

}  // namespace longshore::kube
