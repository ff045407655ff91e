// The module longshore-iscsi: csi-proxy's iscsi group on this node's initiator.
#include "longshore/module.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "iscsi/api_adapter.h"
#include "iscsi/iscsi_service.h"
#include "iscsi/make_backend.h"
#include "module_description.h"

namespace longshore::iscsi {
namespace {

class IscsiModule final : public Module {
 public:
  // The handover is the secret of MUTUAL_CHAP, which is kept in no file.
  Result<void> start(const Settings& settings, std::string_view handover) override {
    auto backend = make_backend(settings);
    if (!backend) return std::move(backend).error();
    backend_ = *std::move(backend);
    // What cannot be cleaned keeps nobody from using what does not need it.
    if (const Result<void> clean = backend_->remove_leftovers(); !clean) {
      log(LONGSHORE_LOG_WARNING,
          "what an earlier agent may have left is not removed: " + clean.error().message());
    }
    service_.emplace(target_username(settings), *backend_);
    // One that another version made, and that is none here, is as good as none.
    if (!handover.empty()) {
      static_cast<void>(service_->set_mutual_secret(support::Secret::copy_of(handover)));
    }
    versions_.emplace(*service_);
    ApiAdapter::add_to(
        [this](std::string name) { return add_service(std::move(name), *versions_); });
    return {};
  }

  Result<std::string> stop(Context) override {
    std::string handover;
    if (!service_) return handover;
    const support::Secret secret = service_->mutual_secret();
    reserve_apart(handover, secret.text().size());
    handover += secret.text();
    return handover;
  }

 private:
  std::unique_ptr<IscsiBackend> backend_;
  std::optional<IscsiService> service_;
  std::optional<ApiAdapter> versions_;
};

}  // namespace
}  // namespace longshore::iscsi

LONGSHORE_MODULE(longshore::iscsi::IscsiModule, "longshore-iscsi", "0.1.0", "Longshore")
