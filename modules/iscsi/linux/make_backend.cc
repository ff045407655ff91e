#include "iscsi/make_backend.h"

#include <chrono>
#include <string>
#include <string_view>

#include "iscsi/linux/iscsi_backend_linux.h"

namespace longshore::iscsi {
namespace {

Result<void> check_path(std::string_view option, const std::string& path) {
  if (path.empty() || path.starts_with('/')) return {};
  return Error(StatusCode::kInvalidArgument, "use as " + std::string(option), path)
      .because("it is no absolute path");
}

}  // namespace

Result<std::unique_ptr<IscsiBackend>> make_backend(const Settings& settings) {
  IscsiBackendLinux::Options options{.iscsiadm = settings.get_string("iscsiadm"),
                                     .database = settings.get_string("database"),
                                     .login_timeout = std::chrono::ceil<std::chrono::milliseconds>(
                                         settings.get_duration("login_timeout"))};
  if (auto valid = check_path("iscsiadm", options.iscsiadm); !valid) return valid.error();
  if (auto valid = check_path("database", options.database); !valid) return valid.error();
  return std::unique_ptr<IscsiBackend>(std::make_unique<IscsiBackendLinux>(std::move(options)));
}

std::string target_username(const Settings& settings) {
  return settings.get_string("mutual_chap_username");
}

}  // namespace longshore::iscsi
