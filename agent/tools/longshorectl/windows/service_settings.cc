#include "tools/longshorectl/windows/service_settings.h"

#include <array>
#include <optional>
#include <system_error>
#include <utility>

namespace longshore::ctl {
namespace {

constexpr DWORD kRestartDelay = 10'000;       // as csi-proxy's installation has it
constexpr DWORD kForgetAfter = 24 * 60 * 60;  // seconds without a failure

Error refused(const std::string& setting, DWORD code) {
  const char* const advice =
      code == ERROR_ACCESS_DENIED
          ? "the service works without; run longshorectl service configure as an administrator"
          : "the service works without; longshorectl service configure tries again";
  return Error(StatusCode::kUnknown, "set " + setting + " of the service", "longshored")
      .because(std::error_code(static_cast<int>(code), std::system_category()))
      .advise(advice);
}

}  // namespace

Result<std::vector<std::string>> set_service_settings(const ChangeServiceSetting& change) {
  std::wstring words = L"Serves storage modules to CSI drivers, as csi-proxy does.";
  SERVICE_DESCRIPTIONW description{words.data()};
  std::array<SC_ACTION, 3> actions{};
  actions.fill({SC_ACTION_RESTART, kRestartDelay});
  SERVICE_FAILURE_ACTIONSW failure{};
  failure.dwResetPeriod = kForgetAfter;
  failure.cActions = static_cast<DWORD>(actions.size());
  failure.lpsaActions = actions.data();
  // A start that fails with an exit code counts as a failure too.
  SERVICE_FAILURE_ACTIONS_FLAG flag{TRUE};
  SERVICE_DELAYED_AUTO_START_INFO delayed{TRUE};

  struct Setting {
    const char* name;
    DWORD level;
    void* value;
  };
  const std::array<Setting, 4> settings{{
      {"the description", SERVICE_CONFIG_DESCRIPTION, &description},
      {"the restart after a failure", SERVICE_CONFIG_FAILURE_ACTIONS, &failure},
      {"the restart after a failed start", SERVICE_CONFIG_FAILURE_ACTIONS_FLAG, &flag},
      {"the late start", SERVICE_CONFIG_DELAYED_AUTO_START_INFO, &delayed},
  }};
  std::vector<std::string> unknown;
  std::optional<Error> error;
  for (const Setting& setting : settings) {
    const DWORD code = change(setting.level, setting.value);
    if (code == ERROR_INVALID_LEVEL) {
      unknown.emplace_back(setting.name);
    } else if (code != ERROR_SUCCESS && !error) {
      error = refused(setting.name, code);
    }
  }
  if (error) return *std::move(error);
  return unknown;
}

}  // namespace longshore::ctl
