#include "iscsi/windows/initiator_error.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <system_error>

namespace longshore::iscsi {
namespace {

struct InitiatorMeaning {
  InitiatorCode code;
  StatusCode status;
  const char* cause;
  const char* advice;  // or null
};

constexpr const char* kNotRunning = "Windows' iSCSI initiator service (MSiSCSI) does not run";
constexpr const char* kStartService =
    "start it, and set its start type to automatic; StartService of the system group may do the "
    "first";
constexpr const char* kReachPortal =
    "see that the portal's address and port are right, and that no firewall closes them";
constexpr const char* kCheckSecrets =
    "check the user name, the secret, and what the target asks for (NONE, ONE_WAY_CHAP or "
    "MUTUAL_CHAP)";
constexpr const char* kSetMutualSecret = "call SetMutualChapSecret first";

constexpr InitiatorMeaning kInitiatorMeanings[] = {
    {0xEFFF003E, StatusCode::kFailedPrecondition, kNotRunning, kStartService},
    {ERROR_SERVICE_NOT_ACTIVE, StatusCode::kFailedPrecondition, kNotRunning, kStartService},
    {RPC_S_SERVER_UNAVAILABLE, StatusCode::kFailedPrecondition, kNotRunning, kStartService},
    {EPT_S_NOT_REGISTERED, StatusCode::kFailedPrecondition, kNotRunning, kStartService},
    {ERROR_MOD_NOT_FOUND, StatusCode::kFailedPrecondition,
     "this Windows has no iSCSI initiator (iscsidsc.dll)", nullptr},
    {ERROR_PROC_NOT_FOUND, StatusCode::kFailedPrecondition,
     "this Windows' iSCSI initiator (iscsidsc.dll) lacks the function for it", nullptr},
    {ERROR_ACCESS_DENIED, StatusCode::kPermissionDenied, "Windows does not let the agent do it",
     "the agent needs the rights of SYSTEM or of an administrator"},
    {0xEFFF0039, StatusCode::kUnavailable, "the initiator service does not answer", "try again"},
    {0xEFFF0003, StatusCode::kUnavailable, "the portal does not answer", kReachPortal},
    {0xEFFF0013, StatusCode::kUnavailable, "the target's service is not available", "try again"},
    {0xEFFF0023, StatusCode::kUnavailable, "the connection to the portal broke", kReachPortal},
    {0xEFFF0024, StatusCode::kUnavailable, "the connection to the portal broke", kReachPortal},
    {0xEFFF0012, StatusCode::kUnavailable, "the target has an error of its own", nullptr},
    {0xEFFF0006, StatusCode::kUnavailable, "the target moved for a time", "try again"},
    {0xEFFF0007, StatusCode::kUnavailable, "the target moved", "discover it again"},
    {0xEFFF0002, StatusCode::kUnavailable, "the target refused the login", nullptr},
    {0xEFFF0009, StatusCode::kUnauthenticated, "one side does not accept the other's secret",
     kCheckSecrets},
    {0xEFFF000A, StatusCode::kPermissionDenied, "the target does not let this node in",
     "allow the node's own iqn at the target"},
    {0xEFFF0022, StatusCode::kUnauthenticated, "the target refused the logon", kCheckSecrets},
    {0xEFFF0028, StatusCode::kFailedPrecondition, "no secret is set for the target",
     kSetMutualSecret},
    {0xEFFF0034, StatusCode::kFailedPrecondition, "no secret is set for MUTUAL_CHAP",
     kSetMutualSecret},
    {0xEFFF002A, StatusCode::kInvalidArgument, "the initiator does not take the login as it is",
     kCheckSecrets},
    {kInitiatorNotFound, StatusCode::kNotFound, "the initiator does not know it", nullptr},
    {0xEFFF000C, StatusCode::kNotFound, "the target was removed", nullptr},
    {kTargetNotFound, StatusCode::kNotFound, "the initiator knows no such target",
     "DiscoverTargetPortal asks a portal for its targets"},
    {kInvalidSession, StatusCode::kNotFound, "there is no such session any more", nullptr},
    {0xEFFF001F, StatusCode::kFailedPrecondition, "something uses a disk of the target",
     "unmount its volumes, and set its disks offline"},
    {0xEFFF0040, StatusCode::kFailedPrecondition, "something uses a disk of the target",
     "unmount its volumes, and set its disks offline"},
    {0xEFFF000E, StatusCode::kResourceExhausted, "the target takes no more connections", nullptr},
    {0xEFFF001E, StatusCode::kResourceExhausted, "there are too many sessions", nullptr},
    {0xEFFF0014, StatusCode::kResourceExhausted, "the initiator or the target is out of resources",
     nullptr},
    {0xEFFF0038, StatusCode::kResourceExhausted, "the target is out of resources", nullptr},
    {0xEFFF0021, StatusCode::kInvalidArgument, "the initiator takes no such kind of address",
     nullptr},
    {0xEFFF0037, StatusCode::kUnimplemented, "the initiator does not support it", nullptr},
};

bool is_initiator_code(InitiatorCode code) { return (code & 0x0fff0000) == 0x0fff0000; }

std::string hexadecimal(InitiatorCode code) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%08lX", code);
  return text.data();
}

}  // namespace

Error initiator_error(const InitiatorPurpose& purpose, InitiatorCode code) {
  const std::error_code windows_code(static_cast<int>(code), std::system_category());
  const std::string number = is_initiator_code(code)
                                 ? " (iSCSI initiator's " + hexadecimal(code) + ")"
                                 : " (Windows' error " + std::to_string(code) + ")";
  const auto* const meaning = std::ranges::find(kInitiatorMeanings, code, &InitiatorMeaning::code);
  if (meaning == std::end(kInitiatorMeanings)) {
    if (!is_initiator_code(code)) {
      return purpose.error(StatusCode::kUnknown)
          .because(windows_code)
          .because(windows_code.message() + number);
    }
    return purpose.error(StatusCode::kInternal).because("the iSCSI initiator failed" + number);
  }
  Error error = purpose.error(meaning->status).because(std::string(meaning->cause) + number);
  return meaning->advice == nullptr ? error : std::move(error).advise(meaning->advice);
}

}  // namespace longshore::iscsi
