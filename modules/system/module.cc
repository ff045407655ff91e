// The module longshore-system: csi-proxy's system group on this node's services.
#include "longshore/module.hpp"

#include <memory>
#include <optional>

#include "module_description.h"
#include "system/api_adapter.h"
#include "system/make_backend.h"
#include "system/system_service.h"

namespace longshore::system {
namespace {

class SystemModule final : public Module {
 public:
  Result<void> start(const Settings& settings, std::string_view) override {
    auto allowed = AllowedServices::from(settings.get_strings("allowed_services"));
    if (!allowed) return std::move(allowed).error();
    auto backend = make_backend(settings);
    if (!backend) return std::move(backend).error();
    backend_ = *std::move(backend);
    service_.emplace(*std::move(allowed), settings.get_duration("service_timeout"), *backend_);
    v1alpha1_.emplace(*service_);
    V1alpha1::add_to(add_service("v1alpha1.System", *v1alpha1_));
    return {};
  }

 private:
  std::unique_ptr<SystemBackend> backend_;
  std::optional<SystemService> service_;
  std::optional<V1alpha1> v1alpha1_;
};

}  // namespace
}  // namespace longshore::system

LONGSHORE_MODULE(longshore::system::SystemModule, "longshore-system", "0.1.0", "Longshore")
