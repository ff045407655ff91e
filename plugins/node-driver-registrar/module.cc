// The controller node-driver-registrar: its settings, and its beginning and end.
#include "longshore/module.hpp"

#include <optional>
#include <string>

#include "longshore/csi_address.hpp"
#include "module_description.h"
#include "registrar.h"
#include "support/health_address.h"

namespace longshore::node_driver_registrar {

Result<std::string> kubelet_path(const std::string& path, const std::string& name) {
  const std::string operation = "use the " + name;
  return csi_socket_path(
      path, {.operation = operation.c_str(),
             .form = "write it as the kubelet finds the driver's socket on the node: "
                     "/var/lib/kubelet/plugins/disk.example.com/csi.sock",
             .shorter = "give the driver's folder on the node a shorter path, which is the "
                        "hostPath of the driver's volume"});
}

class NodeDriverRegistrarModule final : public Module {
 public:
  static constexpr uint16_t kAbiMinorNeeded = 2;  // timers

  Result<void> start(const Settings& settings, std::string_view) override {
    Registrar::Options options;
    options.csi_address = settings.get_string("csi_address");
    if (auto path = csi_socket_path(options.csi_address); !path) return std::move(path).error();
    options.names = {.kubelet_registration_path = settings.shown_name("kubelet_registration_path"),
                     .plugin_registration_path = settings.shown_name("plugin_registration_path"),
                     .timeout = settings.shown_name("timeout")};
    auto path = kubelet_path(settings.get_string("kubelet_registration_path"),
                             options.names.kubelet_registration_path);
    if (!path) return std::move(path).error();
    options.kubelet_path = *std::move(path);
    options.folder = settings.get_string("plugin_registration_path");
    while (options.folder.ends_with('/')) options.folder.pop_back();
    if (auto checked = check_folder(options.folder, options.names); !checked) return checked;
    auto address = plugins::health_address(settings, 0);
    if (!address) return std::move(address).error();
    options.http_address = *std::move(address);
    options.timeout = settings.get_duration("timeout");
    options.log = [this](longshore_log_level level, std::string_view text) { log(level, text); };
    options.set_degraded = [this](std::string_view reason) { set_degraded(reason); };
    registrar_.emplace(host(), std::move(options));
    registrar_->start();
    return {};
  }

  Result<std::string> stop(Context) override {
    registrar_->stop();
    return std::string();
  }

 private:
  std::optional<Registrar> registrar_;
};

}  // namespace longshore::node_driver_registrar

LONGSHORE_MODULE(longshore::node_driver_registrar::NodeDriverRegistrarModule,
                 "longshore-node-driver-registrar", "0.1.0", "Longshore")
