// The loop of a client: Asio's.
//
// Threads and owner: as ApiLoop says.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "kube/api_loop.h"

namespace longshore::kube {

class IoLoop final : public ApiLoop {
 public:
  // A test has its own.
  using MakeAccess = std::function<Result<std::unique_ptr<ApiAccess>>(
      boost::asio::io_context& io, const AccessOptions& options)>;

  explicit IoLoop(MakeAccess make_access = make_client, IoTiming::Uptime uptime = system_uptime);

  void run() override { io_.run(); }
  void stop() override { io_.stop(); }
  void post(std::function<void()> function) override;
  Timing& timing() override { return timing_; }
  Result<std::unique_ptr<ApiAccess>> access(const AccessOptions& options) override {
    return make_access_(io_, options);
  }

 private:
  static Result<std::unique_ptr<ApiAccess>> make_client(boost::asio::io_context& io,
                                                        const AccessOptions& options);

  const MakeAccess make_access_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> more_to_do_{
      io_.get_executor()};
  // Makes Asio's reactor now: what that lacks would end the process at the thread's first timer.
  const boost::asio::steady_timer first_timer_{io_};
  IoTiming timing_;
};

}  // namespace longshore::kube
