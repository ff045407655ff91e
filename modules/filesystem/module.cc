// The module longshore-filesystem: csi-proxy's filesystem group on this node's directories.
#include "longshore/module.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "filesystem/api_adapter.h"
#include "filesystem/filesystem_service.h"
#include "filesystem/make_backend.h"
#include "module_description.h"

namespace longshore::filesystem {
namespace {

class FilesystemModule final : public Module {
 public:
  Result<void> start(const Settings& settings, std::string_view) override {
    auto roots = support::AllowedRoots::from(settings.get_strings("allowed_roots"));
    if (!roots) return std::move(roots).error();
    auto backend = make_backend(settings, *roots);
    if (!backend) return std::move(backend).error();
    backend_ = *std::move(backend);
    service_.emplace(*std::move(roots), *backend_);
    versions_.emplace(*service_);
    ApiAdapter::add_to(
        [this](std::string name) { return add_service(std::move(name), *versions_); });
    return {};
  }

 private:
  std::unique_ptr<FilesystemBackend> backend_;
  std::optional<FilesystemService> service_;
  std::optional<ApiAdapter> versions_;
};

}  // namespace
}  // namespace longshore::filesystem

LONGSHORE_MODULE(longshore::filesystem::FilesystemModule, "longshore-filesystem", "0.1.0",
                 "Longshore")
