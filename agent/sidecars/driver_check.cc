#include "sidecars/driver_check.h"

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <utility>

#include "config/settings.h"
#include "csi/csi_service.h"
#include "services/run_condition.h"

namespace longshore::sidecars {
namespace {

using services::RunCondition;
using Clock = std::chrono::steady_clock;

class ChangeWait final : public RunCondition::Observer {
 public:
  void condition_changed() override {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  void wait(const std::function<bool()>& is_over, Clock::time_point end) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, end, is_over);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

Result<std::string> driver_name(csi::CsiService& drivers, const std::string& address,
                                Clock::time_point end) {
  const auto told = std::make_shared<std::promise<Result<std::string>>>();
  std::future<Result<std::string>> name = told->get_future();
  drivers.ask_name(address, [told](Result<std::string> answer) { told->set_value(answer); });
  if (name.wait_until(end) == std::future_status::ready) return name.get();
  return Error(StatusCode::kDeadlineExceeded, "ask the CSI driver's name at", address)
      .because("it does not answer")
      .advise("see whether the driver hangs");
}

RunCondition::State state_by(csi::CsiService& drivers, const std::string& address,
                             Clock::time_point end) {
  config::ModuleSettings waits;
  waits.name = "check";
  waits.wait_for_driver = address;
  const auto condition = drivers.run_condition(waits);
  if (!condition) return {};  // the address is none, as who asks for the name is told
  const auto wait = std::make_shared<ChangeWait>();
  condition->observe(wait);
  wait->wait([&] { return condition->state().is_met; }, end);
  return condition->state();
}

}  // namespace

std::optional<std::string> check_driver(const std::string& address,
                                        std::chrono::milliseconds patience, CheckReport& report) {
  const auto drivers = csi::CsiService::make();
  if (!drivers) {
    report.wrong(drivers.error().message());
    return std::nullopt;
  }
  // First: a driver that is on its way does not tell its name yet.
  const RunCondition::State state = state_by(**drivers, address, Clock::now() + patience);
  const auto name = driver_name(**drivers, address, Clock::now() + patience);
  if (!name) {
    report.wrong(name.error().message());
    return std::nullopt;
  }
  if (state.is_met) {
    report.ok("the CSI driver at \"" + address + "\" is ready, and is called " + *name);
  } else {
    report.wrong(state.reason + "; see in its log what it waits for");
  }
  return *name;
}

}  // namespace longshore::sidecars
