#include "endpoint/alarm.h"

#include <utility>

#include "rpc/alarm.h"

namespace longshore::endpoint {
namespace {

class TimerAlarm final : public Alarm {
 public:
  explicit TimerAlarm(boost::asio::io_context& io) : io_(io) {}

  void set(std::chrono::seconds after, std::function<void()> then) override {
    alarm_.set(io_.get_executor(), after, alive_, std::move(then));
  }
  void clear() override { alarm_.clear(); }

 private:
  boost::asio::io_context& io_;
  const std::shared_ptr<void> alive_ = std::make_shared<char>();  // nothing is called afterwards
  rpc::Alarm alarm_;
};

}  // namespace

std::unique_ptr<Alarm> make_alarm(boost::asio::io_context& io) {
  return std::make_unique<TimerAlarm>(io);
}

}  // namespace longshore::endpoint
