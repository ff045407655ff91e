#include "system/linux/systemd_error.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace longshore::system {
namespace {

struct KnownError {
  std::string_view name;
  StatusCode code;
  const char* advice;
};

constexpr KnownError kKnownErrors[] = {
    {"org.freedesktop.systemd1.NoSuchUnit", StatusCode::kNotFound, ""},
    {"org.freedesktop.systemd1.LoadFailed", StatusCode::kFailedPrecondition,
     "its unit file has an error that systemctl status shows"},
    {"org.freedesktop.systemd1.BadUnitSetting", StatusCode::kFailedPrecondition,
     "its unit file has an error that systemctl status shows"},
    {"org.freedesktop.systemd1.UnitMasked", StatusCode::kFailedPrecondition,
     "it is masked: unmask it first"},
    {"org.freedesktop.systemd1.OnlyByDependency", StatusCode::kFailedPrecondition,
     "its unit file forbids to start or stop it by hand"},
    {"org.freedesktop.systemd1.ShuttingDown", StatusCode::kFailedPrecondition,
     "the node is shutting down"},
    {"org.freedesktop.systemd1.TransactionIsDestructive", StatusCode::kAborted,
     "another change of services is under way; try again"},
    {"org.freedesktop.systemd1.TransactionJobsConflicting", StatusCode::kFailedPrecondition,
     "what it needs contradicts itself"},
    {"org.freedesktop.systemd1.TransactionOrderIsCyclic", StatusCode::kFailedPrecondition,
     "what it needs contradicts itself"},
    {"org.freedesktop.DBus.Error.AccessDenied", StatusCode::kPermissionDenied,
     "the agent has to run as root, or a polkit rule has to allow it"},
    {"org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", StatusCode::kPermissionDenied,
     "the agent has to run as root, or a polkit rule has to allow it"},
    {"org.freedesktop.DBus.Error.InvalidArgs", StatusCode::kInvalidArgument, ""},
    {"org.freedesktop.DBus.Error.ServiceUnknown", StatusCode::kUnavailable,
     "systemd is not on this bus"},
    {"org.freedesktop.DBus.Error.NameHasNoOwner", StatusCode::kUnavailable,
     "systemd is not on this bus"},
    {"org.freedesktop.DBus.Error.NoReply", StatusCode::kUnavailable,
     "systemd left the bus before it answered"},
};

}  // namespace

Error systemd_error(const Purpose& purpose, const std::string& name, const std::string& message) {
  const auto* known = std::find_if(std::begin(kKnownErrors), std::end(kKnownErrors),
                                   [&](const KnownError& error) { return error.name == name; });
  if (known == std::end(kKnownErrors)) {
    return purpose.error(StatusCode::kInternal).because(message + " (" + name + ")");
  }
  Error error = purpose.error(known->code).because(message.empty() ? name : message);
  return *known->advice == '\0' ? error : std::move(error).advise(known->advice);
}

}  // namespace longshore::system
