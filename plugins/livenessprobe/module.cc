// The controller livenessprobe: its settings, and its beginning and end.
#include "longshore/module.hpp"

#include <optional>
#include <string>

#include "liveness_probe.h"
#include "longshore/csi_address.hpp"
#include "module_description.h"
#include "support/health_address.h"

namespace longshore::livenessprobe {

constexpr int64_t kDefaultHealthPort = 9808;

class LivenessProbeModule final : public Module {
 public:
  static constexpr uint16_t kAbiMinorNeeded = 2;  // timers

  Result<void> start(const Settings& settings, std::string_view) override {
    LivenessProbe::Options options;
    options.csi_address = settings.get_string("csi_address");
    if (auto path = csi_socket_path(options.csi_address); !path) return std::move(path).error();
    auto address = plugins::health_address(settings, kDefaultHealthPort);
    if (!address) return std::move(address).error();
    options.http_address = *std::move(address);
    options.probe_timeout = settings.get_duration("probe_timeout");
    options.probe_timeout_name = settings.shown_name("probe_timeout");
    options.log = [this](longshore_log_level level, std::string_view text) { log(level, text); };
    options.set_degraded = [this](std::string_view reason) { set_degraded(reason); };
    probe_.emplace(host(), std::move(options));
    probe_->start();
    return {};
  }

  Result<std::string> stop(Context) override {
    probe_->stop();
    return std::string();
  }

 private:
  std::optional<LivenessProbe> probe_;
};

}  // namespace longshore::livenessprobe

LONGSHORE_MODULE(longshore::livenessprobe::LivenessProbeModule, "longshore-livenessprobe", "0.1.0",
                 "Longshore")
