// The module longshore-smb: csi-proxy's smb group on this node.
#include "longshore/module.hpp"

#include <memory>
#include <optional>
#include <string>

#include "module_description.h"
#include "smb/api_adapter.h"
#include "smb/make_backend.h"
#include "smb/smb_service.h"

namespace longshore::smb {
namespace {

class SmbModule final : public Module {
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

  // It waits for nothing: the kernel may wait for ever, and the agent has deadline of its own.
  Result<std::string> stop(Context) override {
    const size_t calls = backend_ ? backend_->hanging_calls() : 0;
    if (calls != 0) {
      log(LONGSHORE_LOG_WARNING,
          "the system has not ended " + std::to_string(calls) +
              " of this module's calls to servers; while a server is silent, it may keep the "
              "process from ending");
    }
    return std::string();
  }

 private:
  std::unique_ptr<SmbBackend> backend_;
  std::optional<SmbService> service_;
  std::optional<ApiAdapter> versions_;
};

}  // namespace
}  // namespace longshore::smb

LONGSHORE_MODULE(longshore::smb::SmbModule, "longshore-smb", "0.1.0", "Longshore")
