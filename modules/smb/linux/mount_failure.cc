#include "smb/linux/mount_failure.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

namespace longshore::smb {
namespace {

struct Meaning {
  int error;
  StatusCode code;
  const char* cause;
  const char* advice;
};

constexpr const char* kReach =
    "see that the server runs, that its name leads to the right address, and that no firewall "
    "closes TCP port 445";

constexpr Meaning kMeanings[] = {
    {EACCES, StatusCode::kPermissionDenied,
     "the server refuses the user name or the password, or the user may not use the share",
     "check both; a user of a domain is written domain\\user or user@domain"},
    {EKEYEXPIRED, StatusCode::kPermissionDenied, "the password has expired or has to be changed",
     "change it, and map the share with the new one"},
    {EKEYREJECTED, StatusCode::kPermissionDenied, "the server refuses the password",
     "map the share with the right one"},
    {EKEYREVOKED, StatusCode::kPermissionDenied, "the server refuses the user", nullptr},
    {ENOKEY, StatusCode::kFailedPrecondition,
     "the server wants Kerberos, for which this node has no ticket",
     "let the server allow NTLMv2 for this user"},
    {ENOENT, StatusCode::kNotFound, "the server has no such share",
     "check the name of the share; it comes right after the server's"},
    {ENXIO, StatusCode::kNotFound, "the server has no such share", nullptr},
    {ECONNREFUSED, StatusCode::kUnavailable, "nothing listens at the server's TCP port 445",
     kReach},
    {ECONNRESET, StatusCode::kUnavailable, "the server closed the connection",
     "it may speak SMB 1 only, or have too many connections"},
    {ECONNABORTED, StatusCode::kUnavailable, "the server closed the connection",
     "it may speak SMB 1 only, or have too many connections"},
    {EHOSTUNREACH, StatusCode::kUnavailable, "there is no route to the server", kReach},
    {ENETUNREACH, StatusCode::kUnavailable, "there is no route to the server", kReach},
    {EADDRNOTAVAIL, StatusCode::kUnavailable, "this node has no address to reach the server's from",
     kReach},
    {EAFNOSUPPORT, StatusCode::kUnavailable,
     "this node's kernel does not know the kind of the server's address", kReach},
    {EHOSTDOWN, StatusCode::kUnavailable, "the server does not answer", kReach},
    {ETIMEDOUT, StatusCode::kUnavailable, "the server does not answer", kReach},
    {EINPROGRESS, StatusCode::kUnavailable, "the server does not answer", kReach},
    {EALREADY, StatusCode::kUnavailable,
     "the kernel still waits for the server's answer to an earlier call, which was given up",
     "call again when the server answers or has closed the connection"},
    {EAGAIN, StatusCode::kUnavailable,
     "the server does not answer, or it takes the user for a guest, for whom nothing is encrypted",
     "check the user name, that the server runs, and that no firewall closes TCP port 445"},
    {EDEADLK, StatusCode::kUnavailable, "the connection to the server broke", "try again"},
    {ENOTCONN, StatusCode::kUnavailable, "the connection to the server broke", "try again"},
    {EPIPE, StatusCode::kUnavailable, "the connection to the server broke", "try again"},
    {EIO, StatusCode::kUnavailable, "the server gave no answer that makes sense",
     "the kernel's log may say more"},
    {ESTALE, StatusCode::kUnavailable, "the share was taken away and made again", "try again"},
    {EINTR, StatusCode::kUnavailable, "it was interrupted", "try again"},
    {EOPNOTSUPP, StatusCode::kFailedPrecondition,
     "the server does not offer encryption, or none of the versions of SMB that may be used, or "
     "the share is a DFS link, which this kernel does not follow",
     "turn on encryption at the server (SMB 3), or set require_privacy = false in the settings of "
     "the module; the option vers= in mount_options narrows the versions"},
    {EREMOTE, StatusCode::kFailedPrecondition,
     "the share is a DFS link, which this kernel does not follow",
     "map the share that it leads to"},
    {ENODEV, StatusCode::kFailedPrecondition, "this node's kernel has no cifs filesystem",
     "install the kernel's modules (a package such as linux-modules-extra, or the distribution's "
     "full kernel in place of its cloud kernel) and load cifs"},
    {EPERM, StatusCode::kFailedPrecondition, "the agent may not mount",
     "it needs CAP_SYS_ADMIN in the node's own user namespace"},
    {EINVAL, StatusCode::kFailedPrecondition,
     "the kernel does not take the options, or not together",
     "look at mount_options in the settings of the module"},
    {ENOMEM, StatusCode::kResourceExhausted, "the node is out of memory", nullptr},
    {ENOSPC, StatusCode::kResourceExhausted, "the node or the server is out of resources", nullptr},
    {EUSERS, StatusCode::kResourceExhausted, "the server has no room for another user",
     "try again later"},
    {EMFILE, StatusCode::kResourceExhausted, "the agent has too many files open", nullptr},
};

constexpr std::array kUnreachable = {EADDRNOTAVAIL, ECONNREFUSED, ECONNRESET, ECONNABORTED,
                                     EHOSTUNREACH,  ENETUNREACH,  EHOSTDOWN,  ETIMEDOUT,
                                     EINPROGRESS,   EALREADY,     EAGAIN,     EAFNOSUPPORT};
// EDEADLK: the server no longer takes requests on it. Not ETIMEDOUT: that is an attempt which was
// given up, and another would be given up as well.
constexpr std::array kOfConnection = {EHOSTDOWN, ENOTCONN,   EPIPE,        EIO,    ESTALE,
                                      EAGAIN,    ECONNRESET, ECONNABORTED, EDEADLK};

template <typename Numbers>
bool contains(const Numbers& numbers, const std::error_code& error) {
  return std::ranges::find(numbers, error.value()) != std::end(numbers);
}

}  // namespace

Error mount_failure(const RemotePath& share, const std::error_code& error, bool is_nobody) {
  if (error.value() == EACCES && is_nobody) {
    return Error(StatusCode::kPermissionDenied, kMapOperation, share.mapping())
        .because("the server lets nobody in without a user name")
        .advise("send user name and password");
  }
  const auto meaning = std::ranges::find(kMeanings, error.value(), &Meaning::error);
  if (meaning == std::end(kMeanings)) {
    return Error(StatusCode::kUnknown, kMapOperation, share.mapping()).because(error);
  }
  Error failure = Error(meaning->code, kMapOperation, share.mapping())
                      .because(error)
                      .because(std::string(meaning->cause) + " (" + error.message() + ")");
  if (meaning->advice == nullptr) return failure;
  return std::move(failure).advise(meaning->advice);
}

Error failure_below(const RemotePath& remote, const std::error_code& error) {
  if (is_of_connection(error) || is_unreachable(error)) {
    return mount_failure(remote, error, /*is_nobody=*/false);
  }
  Error failure = Error(StatusCode::kUnknown, "find in the share", remote.text()).because(error);
  if (error == std::errc::too_many_symbolic_link_levels) {
    return std::move(failure).advise("links in a share are not followed");
  }
  return failure;
}

bool is_unreachable(const std::error_code& error) { return contains(kUnreachable, error); }

bool is_of_connection(const std::error_code& error) { return contains(kOfConnection, error); }

}  // namespace longshore::smb
