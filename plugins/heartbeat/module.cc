// A controller to start from: no service of its own, a stream and timers instead.
#include "longshore/module.hpp"

#include <optional>

#include "heartbeat_watch.h"
#include "module_description.h"

namespace longshore::heartbeat {

class HeartbeatModule final : public Module {
 public:
  static constexpr uint16_t kAbiMinorNeeded = 2;  // timers

  Result<void> start(const Settings& settings, std::string_view) override {
    watch_.emplace(host(),
                   HeartbeatWatch::Options{
                       .listener = settings.instance_name(),
                       .source = settings.get_string("source"),
                       .report_interval = settings.get_duration("report_interval"),
                       .retry_delay_max = settings.get_duration("retry_delay_max"),
                   },
                   [this](std::string_view reason) { set_degraded(reason); });
    return watch_->start();
  }

  Result<std::string> stop(Context) override {
    watch_->stop();
    return std::string();
  }

 private:
  std::optional<HeartbeatWatch> watch_;
};

}  // namespace longshore::heartbeat

LONGSHORE_MODULE(longshore::heartbeat::HeartbeatModule, "longshore-heartbeat", "0.1.0", "Longshore")
