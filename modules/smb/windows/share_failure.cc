#include "smb/windows/share_failure.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <system_error>

namespace longshore::smb {
namespace {

constexpr const char* kMapShare = "map the share";

struct ShareErrorMeaning {
  DWORD code;
  StatusCode status;
  const char* cause;
  const char* advice;  // or null
};

constexpr const char* kReachServer =
    "see that the server runs, that its name leads to the right address on the node itself (names "
    "of the cluster's services do not), and that no firewall closes TCP port 445";
constexpr const char* kCheckCredentials =
    "check both; a user of a domain is written domain\\user or user@domain";

constexpr ShareErrorMeaning kShareErrors[] = {
    {ERROR_ACCESS_DENIED, StatusCode::kPermissionDenied, "the user may not use the share",
     "check the permissions of the share; where the agent does not run as SYSTEM it may not map"},
    {ERROR_LOGON_FAILURE, StatusCode::kPermissionDenied,
     "the server refuses the user name or the password", kCheckCredentials},
    {ERROR_INVALID_PASSWORD, StatusCode::kPermissionDenied, "the server refuses the password",
     kCheckCredentials},
    {ERROR_BAD_USERNAME, StatusCode::kPermissionDenied, "the server refuses the user name",
     kCheckCredentials},
    {ERROR_INVALID_PARAMETER, StatusCode::kPermissionDenied,
     "Windows does not take the user name as it is written", kCheckCredentials},
    {ERROR_ACCOUNT_RESTRICTION, StatusCode::kPermissionDenied,
     "the server does not let the user in, as one without a password", nullptr},
    {ERROR_PASSWORD_EXPIRED, StatusCode::kPermissionDenied, "the password has expired",
     "change it, and map the share with the new one"},
    {ERROR_PASSWORD_MUST_CHANGE, StatusCode::kPermissionDenied, "the password has to be changed",
     "change it, and map the share with the new one"},
    {ERROR_ACCOUNT_DISABLED, StatusCode::kPermissionDenied, "the user's account is disabled",
     nullptr},
    {ERROR_ACCOUNT_LOCKED_OUT, StatusCode::kPermissionDenied, "the user's account is locked",
     nullptr},
    {ERROR_LOGON_TYPE_NOT_GRANTED, StatusCode::kPermissionDenied,
     "the user may not log on to the server over the network", nullptr},
    {ERROR_BAD_NETPATH, StatusCode::kUnavailable, "the server is not found or does not answer",
     kReachServer},
    {ERROR_NETNAME_DELETED, StatusCode::kUnavailable, "the connection to the server broke",
     "try again"},
    {ERROR_UNEXP_NET_ERR, StatusCode::kUnavailable, "the connection to the server broke",
     "try again"},
    {ERROR_REM_NOT_LIST, StatusCode::kUnavailable, "the server takes no connections", kReachServer},
    {ERROR_NETWORK_BUSY, StatusCode::kUnavailable, "the network is busy", "try again"},
    {ERROR_SEM_TIMEOUT, StatusCode::kUnavailable, "the server does not answer", kReachServer},
    {ERROR_TIMEOUT, StatusCode::kUnavailable, "the server does not answer", kReachServer},
    {ERROR_NETWORK_UNREACHABLE, StatusCode::kUnavailable, "there is no route to the server",
     kReachServer},
    {ERROR_HOST_UNREACHABLE, StatusCode::kUnavailable, "there is no route to the server",
     kReachServer},
    {ERROR_CONNECTION_REFUSED, StatusCode::kUnavailable,
     "nothing listens at the server's TCP port 445", kReachServer},
    {ERROR_CONNECTION_ABORTED, StatusCode::kUnavailable, "the connection to the server broke",
     "try again"},
    {ERROR_NO_LOGON_SERVERS, StatusCode::kUnavailable,
     "no domain controller can be asked for the user", nullptr},
    {ERROR_TOO_MANY_SESS, StatusCode::kResourceExhausted, "the server has no room for more users",
     "try again later"},
    {ERROR_REQ_NOT_ACCEP, StatusCode::kResourceExhausted,
     "the server has no room for more connections", "try again later"},
    {ERROR_BAD_NET_NAME, StatusCode::kNotFound, "the server has no such share",
     "check the name of the share; it comes right after the server's"},
    {ERROR_NETWORK_ACCESS_DENIED, StatusCode::kFailedPrecondition,
     "the server refuses the network access, as one does that cannot encrypt (SMB 3)",
     "turn on encryption at the server, or set require_privacy = false in the settings of the "
     "module"},
    {ERROR_NOT_SUPPORTED, StatusCode::kFailedPrecondition,
     "the server does not offer what is asked for, as encryption (SMB 3)",
     "turn on encryption at the server, or set require_privacy = false in the settings of the "
     "module"},
    {ERROR_SESSION_CREDENTIAL_CONFLICT, StatusCode::kFailedPrecondition,
     "the node has a connection to this server with another user already",
     "Windows takes one user for a server; remove the mapping that is in the way "
     "(Get-SmbGlobalMapping lists them)"},
    {ERROR_ALREADY_ASSIGNED, StatusCode::kFailedPrecondition, "the share is mapped already",
     nullptr},
    {ERROR_NO_NET_OR_BAD_PATH, StatusCode::kFailedPrecondition,
     "no network provider of the node takes the path",
     "the service LanmanWorkstation (Workstation) has to run"},
    {ERROR_NO_NETWORK, StatusCode::kFailedPrecondition, "the node has no network",
     "the service LanmanWorkstation (Workstation) has to run"},
    {/*NERR_WkstaNotStarted*/ 2138, StatusCode::kFailedPrecondition,
     "the Workstation service does not run", "start the service LanmanWorkstation"},
    {ERROR_SERVICE_NOT_ACTIVE, StatusCode::kFailedPrecondition,
     "the Workstation service does not run", "start the service LanmanWorkstation"},
};

constexpr std::array<DWORD, 3> kMappedAlready = {ERROR_SESSION_CREDENTIAL_CONFLICT,
                                                 ERROR_ALREADY_ASSIGNED, ERROR_ALREADY_EXISTS};

const ShareErrorMeaning* meaning_of(DWORD code) {
  const auto* const meaning = std::ranges::find(kShareErrors, code, &ShareErrorMeaning::code);
  return meaning == std::end(kShareErrors) ? nullptr : meaning;
}

Error of_code(const char* operation, const std::string& object, DWORD code) {
  const std::error_code error(static_cast<int>(code), std::system_category());
  const ShareErrorMeaning* const meaning = meaning_of(code);
  if (meaning == nullptr) {
    return Error(StatusCode::kUnknown, operation, object)
        .because(error)
        .because(error.message() + " (Windows' error " + std::to_string(code) + ")");
  }
  Error failure =
      Error(meaning->status, operation, object)
          .because(error)
          .because(std::string(meaning->cause) + " (Windows' error " + std::to_string(code) + ")");
  return meaning->advice == nullptr ? failure : std::move(failure).advise(meaning->advice);
}

}  // namespace

Error share_failure(const RemotePath& remote, DWORD code) {
  return of_code(kMapShare, remote.mapping(), code);
}

Error failure_below(const RemotePath& remote, DWORD code) {
  if (code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND || code == ERROR_INVALID_NAME ||
      code == ERROR_BAD_PATHNAME) {
    return Error(StatusCode::kNotFound, "find in the share", remote.text())
        .because("there is nothing of this name");
  }
  return of_code("find in the share", remote.text(), code);
}

bool is_unreachable(DWORD code) {
  const ShareErrorMeaning* const meaning = meaning_of(code);
  return meaning != nullptr && meaning->status == StatusCode::kUnavailable;
}

bool is_mapped_already(DWORD code) {
  return std::ranges::find(kMappedAlready, code) != kMappedAlready.end();
}

}  // namespace longshore::smb
