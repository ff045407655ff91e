#include "sidecars/registration_check.h"

#include "main/socket_folder.h"
#include "sidecars/text_option.h"

namespace longshore::sidecars {

void check_registration(const config::Configuration& configuration,
                        const std::map<std::string, std::string>& drivers, CheckReport& report) {
  for (const config::ModuleSettings& module : configuration.modules) {
    std::string folder = text_option(module, "plugin_registration_path");
    while (folder.ends_with('/')) folder.pop_back();
    // A relative one is refused by the controller itself.
    if (!module.enabled || !folder.starts_with('/')) continue;
    const auto driver = drivers.find(text_option(module, "csi_address"));
    const std::string name =
        driver == drivers.end() ? std::string(config::kDriverInLease) : driver->second;
    if (const auto there = check_socket_folder(folder + '/' + name + "-reg.sock"); !there) {
      report.wrong(there.error().message());
    } else {
      report.ok("the folder of the registration socket \"" + folder + "\" is there");
    }
  }
}

}  // namespace longshore::sidecars
