#include "system/windows/service_error.h"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace longshore::system {
namespace {

struct ServiceErrorMeaning {
  DWORD code;
  StatusCode status;
  const char* advice;  // or null
};

constexpr const char* kTryAgain = "try again";

constexpr ServiceErrorMeaning kServiceErrors[] = {
    {ERROR_SERVICE_DOES_NOT_EXIST, StatusCode::kNotFound,
     "services go by their names, which differ from what Windows displays; sc query lists them"},
    {ERROR_INVALID_NAME, StatusCode::kInvalidArgument, nullptr},
    {ERROR_ACCESS_DENIED, StatusCode::kPermissionDenied,
     "the agent needs the rights of SYSTEM or of an administrator, and the service's own "
     "permissions have to let it"},
    {ERROR_SERVICE_DISABLED, StatusCode::kFailedPrecondition,
     "an administrator has to set its start type to manual or automatic"},
    {ERROR_SERVICE_DEPENDENCY_FAIL, StatusCode::kFailedPrecondition,
     "a service that it needs does not start; the System event log says why"},
    {ERROR_SERVICE_DEPENDENCY_DELETED, StatusCode::kFailedPrecondition,
     "install the service that it needs"},
    {ERROR_CIRCULAR_DEPENDENCY, StatusCode::kFailedPrecondition, nullptr},
    {ERROR_SERVICE_LOGON_FAILED, StatusCode::kFailedPrecondition,
     "the password of the service's account may have changed"},
    {ERROR_SERVICE_MARKED_FOR_DELETE, StatusCode::kFailedPrecondition,
     "it is removed when the last program that uses it lets it go"},
    {ERROR_SERVICE_REQUEST_TIMEOUT, StatusCode::kFailedPrecondition,
     "the System event log may say why its program does not answer"},
    {ERROR_SERVICE_NO_THREAD, StatusCode::kResourceExhausted, nullptr},
    {ERROR_DEPENDENT_SERVICES_RUNNING, StatusCode::kFailedPrecondition,
     "stop them first, or set force to have them stopped"},
    {ERROR_INVALID_SERVICE_CONTROL, StatusCode::kFailedPrecondition,
     "this service cannot be stopped"},
    {ERROR_SERVICE_CANNOT_ACCEPT_CTRL, StatusCode::kFailedPrecondition,
     "this service takes no request to stop"},
    {ERROR_FILE_NOT_FOUND, StatusCode::kFailedPrecondition,
     "its program is gone: install it again"},
    {ERROR_PATH_NOT_FOUND, StatusCode::kFailedPrecondition,
     "its program is gone: install it again"},
    {ERROR_SERVICE_DATABASE_LOCKED, StatusCode::kUnavailable, kTryAgain},
    {ERROR_SHUTDOWN_IN_PROGRESS, StatusCode::kUnavailable, nullptr},
    {RPC_S_SERVER_UNAVAILABLE, StatusCode::kUnavailable, kTryAgain},
    {RPC_S_SERVER_TOO_BUSY, StatusCode::kUnavailable, kTryAgain},
    {RPC_S_CALL_FAILED, StatusCode::kUnavailable, kTryAgain},
};

std::error_code system_code(DWORD code) { return {static_cast<int>(code), std::system_category()}; }

}  // namespace

Error service_error(const ServicePurpose& purpose, DWORD code) {
  const auto meaning = std::ranges::find(kServiceErrors, code, &ServiceErrorMeaning::code);
  const bool is_known = meaning != std::end(kServiceErrors);
  Error error =
      purpose.error(is_known ? meaning->status : StatusCode::kUnknown).because(system_code(code));
  if (!is_known || meaning->advice == nullptr) return error;
  return std::move(error).advise(meaning->advice);
}

Error start_failure(const ServicePurpose& purpose, const SERVICE_STATUS_PROCESS& status) {
  std::string cause = "the service stopped again";
  if (status.dwWin32ExitCode == ERROR_SERVICE_SPECIFIC_ERROR) {
    cause += ", with a code of its own: " + std::to_string(status.dwServiceSpecificExitCode);
  } else if (status.dwWin32ExitCode != ERROR_SUCCESS) {
    cause += ", with the error " + std::to_string(status.dwWin32ExitCode) + " (" +
             system_code(status.dwWin32ExitCode).message() + ")";
  }
  return purpose.error(StatusCode::kFailedPrecondition)
      .because(std::move(cause))
      .advise("the System event log may say why");
}

}  // namespace longshore::system
