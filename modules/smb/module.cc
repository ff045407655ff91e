// The module longshore-smb: csi-proxy's smb group on this node's kernel.
#include "longshore/module.hpp"

#include <chrono>
#include <optional>
#include <string>

#include "module_description.h"
#include "smb/api_adapter.h"
#include "smb/linux/cifs_mounts.h"
#include "smb/linux/mount_options.h"
#include "smb/linux/smb_backend_linux.h"
#include "smb/smb_service.h"

namespace longshore::smb {
namespace {

class SmbModule final : public Module {
 public:
  Result<void> start(const Settings& settings, std::string_view) override {
    auto roots = support::AllowedRoots::from(settings.get_strings("allowed_roots"));
    if (!roots) return std::move(roots).error();
    const auto directory = support::PosixPath::parse(settings.get_string("mappings_directory"),
                                                     "use as mappings_directory");
    if (!directory) return directory.error();
    const bool require_privacy = settings.get_bool("require_privacy");
    auto options = MountOptions::from(settings.get_strings("mount_options"), require_privacy);
    if (!options) return std::move(options).error();
    mounts_.emplace(*std::move(options), require_privacy);
    backend_.emplace(
        SmbBackendLinux::Options{
            .roots = *roots,
            .mappings_directory = *directory,
            .require_privacy = require_privacy,
            .times = {.probe = std::chrono::duration_cast<std::chrono::milliseconds>(
                          settings.get_duration("probe_timeout"))},
        },
        *mounts_);
    service_.emplace(*std::move(roots), *backend_);
    versions_.emplace(*service_);
    ApiAdapter::add_to(
        [this](std::string name) { return add_service(std::move(name), *versions_); });
    return {};
  }

  // It waits for nothing: the kernel may wait for ever, and the agent has deadline of its own.
  Result<std::string> stop(Context) override {
    const size_t calls = backend_ ? backend_->hanging_calls() : 0;
    if (calls != 0) {
      log(LONGSHORE_LOG_WARNING,
          "the kernel has not ended " + std::to_string(calls) +
              " of this module's calls to servers; while a server is silent, it may keep the "
              "process from ending");
    }
    return std::string();
  }

 private:
  std::optional<CifsMounts> mounts_;
  std::optional<SmbBackendLinux> backend_;
  std::optional<SmbService> service_;
  std::optional<ApiAdapter> versions_;
};

}  // namespace
}  // namespace longshore::smb

LONGSHORE_MODULE(longshore::smb::SmbModule, "longshore-smb", "0.1.0", "Longshore")
