#include "iscsi/linux/exit_codes.h"

#include <algorithm>
#include <iterator>

namespace longshore::iscsi {
namespace {

struct Meaning {
  int exit_code;
  StatusCode status;
  const char* sentence;
  const char* advice;
};

constexpr const char* kSeeJournal = "journalctl -u iscsid may tell more";
constexpr const char* kCheckPortal =
    "check the address, the port, the network between, and that the target's service runs";
constexpr const char* kStartDaemon = "start it: systemctl start iscsid";

constexpr Meaning kMeanings[] = {
    {1, StatusCode::kInternal, "open-iscsi failed without a reason", kSeeJournal},
    {2, StatusCode::kNotFound, "there is no such session", ""},
    {3, StatusCode::kResourceExhausted, "open-iscsi has no memory", ""},
    {4, StatusCode::kUnavailable, "the portal cannot be reached", kCheckPortal},
    {5, StatusCode::kUnavailable, "the target did not let the node log in", kSeeJournal},
    {6, StatusCode::kInternal, "open-iscsi cannot use its database",
     "check that its folder and /run/lock/iscsi can be written"},
    {7, StatusCode::kInternal, "open-iscsi did not accept its arguments", ""},
    {8, StatusCode::kUnavailable, "the portal did not answer in time", kCheckPortal},
    {9, StatusCode::kInternal, "iscsid or the kernel failed", kSeeJournal},
    {10, StatusCode::kInternal, "the logout failed", kSeeJournal},
    {11, StatusCode::kUnavailable, "the target stopped answering", kCheckPortal},
    {12, StatusCode::kFailedPrecondition, "the kernel has no iSCSI over TCP",
     "load the kernel's module iscsi_tcp, at every start of the node"},
    {13, StatusCode::kPermissionDenied, "open-iscsi does not serve this user",
     "the agent has to run as root for this"},
    {14, StatusCode::kUnimplemented, "the kernel's iSCSI transport cannot do it", ""},
    {15, StatusCode::kAlreadyExists, "a session is logged in", ""},
    {16, StatusCode::kInternal, "iscsid does not understand iscsiadm",
     "both have to be of one version: restart iscsid after an upgrade"},
    {17, StatusCode::kUnimplemented, "iSNS is not supported", ""},
    {18, StatusCode::kUnavailable, "the connection to iscsid broke", kSeeJournal},
    {19, StatusCode::kFailedPrecondition, "the target refused the login for good",
     "check that the portal still offers it, and what it expects of CHAP"},
    {20, StatusCode::kUnavailable, "iscsid does not run", kStartDaemon},
    {21, StatusCode::kNotFound, "open-iscsi knows nothing of the kind", ""},
    {22, StatusCode::kInternal, "open-iscsi did not find the session in /sys", ""},
    {23, StatusCode::kInternal, "open-iscsi did not find the kernel's iSCSI host", ""},
    {24, StatusCode::kUnauthenticated, "the target did not accept this node",
     "check the CHAP user name and secret, whether the target wants CHAP at all, and that it "
     "allows "
     "the node's name (/etc/iscsi/initiatorname.iscsi)"},
    {25, StatusCode::kUnavailable, "the iSNS query failed", ""},
    {26, StatusCode::kUnavailable, "the iSNS registration failed", ""},
    {27, StatusCode::kUnimplemented, "open-iscsi cannot do it", ""},
    {28, StatusCode::kFailedPrecondition, "it is in use", ""},
    {29, StatusCode::kUnavailable, "it failed for now", "repeat the call"},
    {30, StatusCode::kInternal, "open-iscsi does not know this kind of discovery", ""},
    {31, StatusCode::kInternal, "a process of open-iscsi was ended", kSeeJournal},
    {32, StatusCode::kUnavailable, "the session has lost its connection", kCheckPortal},
    {33, StatusCode::kUnavailable, "iscsid did not answer in time", kSeeJournal},
};

}  // namespace

Error error_of_exit_code(int exit_code, std::string operation, std::string object,
                         const std::string& complaint) {
  static constexpr Meaning kUnknown = {0, StatusCode::kInternal, "open-iscsi failed", kSeeJournal};
  const auto found = std::ranges::find(kMeanings, exit_code, &Meaning::exit_code);
  const Meaning& meaning = found == std::end(kMeanings) ? kUnknown : *found;
  std::string cause = meaning.sentence;
  cause += " (iscsiadm ended with " + std::to_string(exit_code);
  cause += complaint.empty() ? ")" : ": " + complaint + ")";
  return Error(meaning.status, std::move(operation), std::move(object))
      .because(std::move(cause))
      .advise(meaning.advice);
}

}  // namespace longshore::iscsi
