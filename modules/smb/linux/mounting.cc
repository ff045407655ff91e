#include "smb/linux/mounting.h"

#include <algorithm>

#include "smb/linux/mount_failure.h"

namespace longshore::smb {

using support::CallLimits;

namespace {

constexpr const char* kMap = "map the share";

// After the call's own deadline nobody waits for an answer, but others wait for the share's turn.
std::chrono::milliseconds time_left(const CallLimits& limits, std::chrono::milliseconds most) {
  const auto now = CallLimits::Clock::now();
  return std::chrono::ceil<std::chrono::milliseconds>(std::min(limits.deadline, now + most) - now);
}

}  // namespace

Result<std::vector<std::string>> Mounting::addresses_of(const RemotePath& share,
                                                        const std::optional<MountedShare>& before) {
  Result<std::vector<std::string>> addresses = mounts_.addresses_of(share.host());
  if (!addresses || !before) return addresses;
  const auto own = std::ranges::find(*addresses, before->address);
  if (own != addresses->end()) std::rotate(addresses->begin(), own, own + 1);
  return addresses;
}

Result<std::unique_ptr<DetachedShare>> Mounting::mount(const RemotePath& share,
                                                       const std::vector<std::string>& addresses,
                                                       const Credentials& credentials,
                                                       ShareMounts::Connection connection,
                                                       const CallLimits& limits) {
  std::optional<Error> failure;
  for (const std::string& address : addresses) {
    if (auto exceeded = limits.exceeded(kMap, share.mapping())) return *std::move(exceeded);
    Mounted mounted = mount_in_time(share, address, credentials, connection, limits);
    if (mounted) return mounted;
    // Time that was its caller's own, and not the server's.
    if (mounted.error().system() == std::errc::timed_out) {
      if (auto exceeded = limits.exceeded(kMap, share.mapping())) return *std::move(exceeded);
    }
    failure = std::move(mounted).error();
    if (!is_unreachable(failure->system())) break;
  }
  if (!failure || !failure->system()) {
    return failure ? *std::move(failure)
                   : Error(StatusCode::kUnavailable, kMap, share.mapping())
                         .because("its server has no address");
  }
  return mount_failure(share, failure->system(), credentials.is_nobody());
}

Mounting::Mounted Mounting::mount_in_time(const RemotePath& share, const std::string& address,
                                          const Credentials& credentials,
                                          ShareMounts::Connection connection,
                                          const CallLimits& limits) {
  // A copy, for the thread may outlive the request.
  const auto own_credentials = std::make_shared<const Credentials>(credentials.copy());
  const auto call = [this, share, address, own_credentials, connection]() -> Mounted {
    Mounted mounted = mounts_.mount(share, address, *own_credentials, connection);
    if (!mounted) return mounted;
    if (const std::error_code error = mounts_.ask(**mounted)) {
      return Error(StatusCode::kUnknown, kMap, share.mapping()).because(error);
    }
    return mounted;
  };
  const auto unanswered = [&](const std::error_code& error) -> Mounted {
    if (error == std::errc::timed_out) {
      return Error(StatusCode::kUnknown, kMap, share.mapping()).because(error);
    }
    return Error(StatusCode::kResourceExhausted, kMap, share.mapping())
        .because("no thread can be started for it: " + error.message());
  };
  return calls_.run(share.mapping(), time_left(limits, time_), call, unanswered);
}

}  // namespace longshore::smb
