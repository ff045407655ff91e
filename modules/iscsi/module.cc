// The module longshore-iscsi: csi-proxy's iscsi group on this node's open-iscsi.
#include "longshore/module.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "iscsi/api_adapter.h"
#include "iscsi/iscsi_service.h"
#include "iscsi/linux/iscsi_backend_linux.h"
#include "module_description.h"

namespace longshore::iscsi {
namespace {

Result<void> check_path(std::string_view option, const std::string& path) {
  if (path.empty() || path.starts_with('/')) return {};
  return Error(StatusCode::kInvalidArgument, "use as " + std::string(option), path)
      .because("it is no absolute path");
}

class IscsiModule final : public Module {
 public:
  // The handover is the secret of MUTUAL_CHAP, which is kept in no file.
  Result<void> start(const Settings& settings, std::string_view handover) override {
    IscsiBackendLinux::Options options{
        .iscsiadm = settings.get_string("iscsiadm"),
        .database = settings.get_string("database"),
        .login_timeout =
            std::chrono::ceil<std::chrono::milliseconds>(settings.get_duration("login_timeout"))};
    if (auto valid = check_path("iscsiadm", options.iscsiadm); !valid) return valid;
    if (auto valid = check_path("database", options.database); !valid) return valid;
    backend_.emplace(std::move(options));
    // A database that cannot be cleaned keeps nobody from using what does not need it.
    if (const Result<void> clean = backend_->remove_leftovers(); !clean) {
      log(LONGSHORE_LOG_WARNING,
          "what an earlier agent may have left in open-iscsi's database is "
          "not removed: " +
              clean.error().message());
    }
    service_.emplace(settings.get_string("mutual_chap_username"), *backend_);
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
  std::optional<IscsiBackendLinux> backend_;
  std::optional<IscsiService> service_;
  std::optional<ApiAdapter> versions_;
};

}  // namespace
}  // namespace longshore::iscsi

LONGSHORE_MODULE(longshore::iscsi::IscsiModule, "longshore-iscsi", "0.1.0", "Longshore")
