#include <algorithm>

#include "config/check.h"
#include "config/toml_text.h"
#include "longshore/csi_address.hpp"

namespace longshore::config {

void check_driver_waits(const Draft& draft, const HostServiceNames& host_services,
                        Findings& findings) {
  const bool has_drivers = std::ranges::find(host_services.for_modules, "longshore.host.v1.Csi") !=
                           host_services.for_modules.end();
  for (const ModuleSettings& module : draft.configuration.modules) {
    if (module.wait_for_driver.empty()) continue;
    const std::string path = joined(module.table(), "wait_for_driver");
    const Place place = place_of(draft.origins, {path});
    if (!module.is_controller) {
      findings.add(place, in_quotes(path) + " is for controllers, and " + in_quotes(module.name) +
                              " is a module, which runs at all times; leave it out");
    } else if (!has_drivers) {
      findings.add(place, in_quotes(path) +
                              " is for longshored and csi-sidecars: an agent in "
                              "another program connects to no CSI drivers");
    } else if (const auto socket = csi_socket_path(module.wait_for_driver); !socket) {
      findings.add(place, in_quotes(path) + ": " + socket.error().message());
    }
  }
}

}  // namespace longshore::config
