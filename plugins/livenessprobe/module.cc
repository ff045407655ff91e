// The controller livenessprobe: its settings, and its beginning and end.
#include "longshore/module.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "liveness_probe.h"
#include "longshore/csi_address.hpp"
#include "module_description.h"

namespace longshore::livenessprobe {

constexpr int64_t kDefaultHealthPort = 9808;

class LivenessProbeModule final : public Module {
 public:
  static constexpr uint16_t kAbiMinorNeeded = 2;  // timers

  Result<void> start(const Settings& settings, std::string_view) override {
    LivenessProbe::Options options;
    options.csi_address = settings.get_string("csi_address");
    if (auto path = csi_socket_path(options.csi_address); !path) return std::move(path).error();
    auto address = http_address(settings);
    if (!address) return std::move(address).error();
    options.http_address = *std::move(address);
    options.probe_timeout = settings.get_duration("probe_timeout");
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
  static Result<std::string> http_address(const Settings& settings) {
    std::string endpoint = settings.get_string("http_endpoint");
    const int64_t health_port = settings.get_int("health_port");
    if (endpoint.empty()) return "0.0.0.0:" + std::to_string(health_port);
    const auto refused = [&](const char* why) {
      return Error(StatusCode::kInvalidArgument, "serve /healthz at http_endpoint", endpoint)
          .because(why);
    };
    if (health_port != kDefaultHealthPort) {
      return refused("health_port is set too").advise("leave out health_port");
    }
    const size_t colon = endpoint.rfind(':');
    const std::string_view port =
        colon == std::string::npos ? "" : std::string_view(endpoint).substr(colon + 1);
    uint16_t number = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (port.empty() || error != std::errc() || end != port.data() + port.size()) {
      return refused("it is no IP address and port").advise("write it as 127.0.0.1:9808 or :9808");
    }
    return endpoint;
  }

  std::optional<LivenessProbe> probe_;
};

}  // namespace longshore::livenessprobe

LONGSHORE_MODULE(longshore::livenessprobe::LivenessProbeModule, "longshore-livenessprobe", "0.1.0",
                 "Longshore")
