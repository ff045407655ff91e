// The module longshore-filesystem: csi-proxy's filesystem group on this node's directories.
#include "longshore/module.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "filesystem/api_adapter.h"
#include "filesystem/filesystem_service.h"
#include "filesystem/linux/filesystem_backend_linux.h"
#include "module_description.h"

namespace longshore::filesystem {
namespace {

class FilesystemModule final : public Module {
 public:
  Result<void> start(const Settings& settings, std::string_view) override {
    auto roots = support::AllowedRoots::from(settings.get_strings("allowed_roots"));
    if (!roots) return std::move(roots).error();
    std::vector<support::PosixPath> link_roots;
    for (const std::string& text : settings.get_strings("link_roots")) {
      auto path = support::PosixPath::parse(text, "use as one of the link_roots");
      if (!path) return std::move(path).error();
      link_roots.push_back(*std::move(path));
    }
    backend_.emplace(*roots, std::move(link_roots));
    service_.emplace(*std::move(roots), *backend_);
    versions_.emplace(*service_);
    ApiAdapter::add_to(
        [this](std::string name) { return add_service(std::move(name), *versions_); });
    return {};
  }

 private:
  std::optional<FilesystemBackendLinux> backend_;
  std::optional<FilesystemService> service_;
  std::optional<ApiAdapter> versions_;
};

}  // namespace
}  // namespace longshore::filesystem

LONGSHORE_MODULE(longshore::filesystem::FilesystemModule, "longshore-filesystem", "0.1.0",
                 "Longshore")
