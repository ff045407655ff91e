#include "smb/linux/share_mounter.h"

#include <algorithm>

#include "smb/linux/mount_failure.h"

namespace longshore::smb {

namespace {

// The device too, for a directory can be another mount's tomorrow.
std::string key_of(const char* call, const MountedShare& share) {
  return call + std::to_string(share.device) + share.point;
}

std::error_code itself(const std::error_code& error) { return error; }

// Whether the kernel has not answered yet; no thread is another matter.
bool is_hanging(const std::error_code& error) {
  return error == std::errc::timed_out || error == std::errc::connection_already_in_progress;
}

Error no_thread(const RemotePath& share, const std::error_code& error) {
  return Error(StatusCode::kResourceExhausted, kMapOperation, share.mapping())
      .because("no thread can be started for it: " + error.message());
}

}  // namespace

Result<std::vector<std::string>> ShareMounter::addresses_of(
    const RemotePath& share, const std::optional<MountedShare>& before, const Deadline& deadline) {
  const auto call = [this, host = share.host()] { return mounts_.addresses_of(host); };
  const auto unanswered = [&](const std::error_code& error) -> Addresses {
    if (!is_hanging(error)) return no_thread(share, error);
    if (auto exceeded = deadline.exceeded(kMapOperation, share.mapping()))
      return *std::move(exceeded);
    return Error(StatusCode::kUnavailable, kMapOperation, share.mapping())
        .because("the node's name server has not answered an earlier call, which was given up")
        .advise("try again, or use the address in place of the name");
  };
  Addresses addresses = address_calls_.run(share.host(), deadline, call, unanswered);
  if (!addresses || !before) return addresses;
  const auto own = std::ranges::find(*addresses, before->address);
  if (own != addresses->end()) std::rotate(addresses->begin(), own, own + 1);
  return addresses;
}

Result<std::unique_ptr<DetachedShare>> ShareMounter::mount(
    const RemotePath& share, const std::vector<std::string>& addresses,
    const Credentials& credentials, ShareMounts::Connection connection, const Deadline& deadline) {
  std::optional<Error> failure;
  for (const std::string& address : addresses) {
    if (auto exceeded = deadline.exceeded(kMapOperation, share.mapping()))
      return *std::move(exceeded);
    Mounted mounted = mount_in_time(share, address, credentials, connection, deadline);
    if (mounted) return mounted;
    // Time that was its caller's own, and not the server's.
    if (mounted.error().system() == std::errc::timed_out) {
      if (auto exceeded = deadline.exceeded(kMapOperation, share.mapping()))
        return *std::move(exceeded);
    }
    failure = std::move(mounted).error();
    if (!is_unreachable(failure->system())) break;
  }
  if (!failure || !failure->system()) {
    return failure ? *std::move(failure)
                   : Error(StatusCode::kUnavailable, kMapOperation, share.mapping())
                         .because("its server has no address");
  }
  return mount_failure(share, failure->system(), credentials.is_nobody());
}

ShareMounter::Mounted ShareMounter::mount_in_time(const RemotePath& share,
                                                  const std::string& address,
                                                  const Credentials& credentials,
                                                  ShareMounts::Connection connection,
                                                  const Deadline& deadline) {
  // A copy, for the thread may outlive the request.
  const auto own_credentials = std::make_shared<const Credentials>(credentials.copy());
  const auto call = [this, share, address, own_credentials, connection]() -> Mounted {
    Mounted mounted = mounts_.mount(share, address, *own_credentials, connection);
    if (!mounted) return mounted;
    if (const std::error_code error = mounts_.ask(**mounted)) {
      return Error(StatusCode::kUnknown, kMapOperation, share.mapping()).because(error);
    }
    return mounted;
  };
  const auto unanswered = [&](const std::error_code& error) -> Mounted {
    if (is_hanging(error)) {
      return Error(StatusCode::kUnknown, kMapOperation, share.mapping()).because(error);
    }
    return no_thread(share, error);
  };
  return mount_calls_.run(share.mapping() + " at " + address, deadline.within(times_.mount), call,
                          unanswered);
}

bool ShareMounter::answers(const MountedShare& share, const Deadline& deadline) {
  const auto call = [this, share] { return mounts_.probe(share); };
  return !other_calls_.run(key_of("probe ", share), deadline.within(times_.probe), call, itself);
}

Result<void> ShareMounter::find(const MountedShare& share, const RemotePath& remote,
                                const Deadline& deadline) {
  const auto call = [this, share, below = remote.below()] { return mounts_.find(share, below); };
  const std::string key = key_of("find ", share) + "/" + remote.below();
  const std::error_code error = other_calls_.run(key, deadline.within(times_.probe), call, itself);
  if (!error) return {};
  if (is_hanging(error)) {
    if (auto exceeded = deadline.exceeded(kMapOperation, remote.mapping()))
      return *std::move(exceeded);
  }
  return failure_below(remote, error);
}

std::error_code ShareMounter::detach(const MountedShare& share, const Deadline& deadline) {
  const auto call = [this, share] { return mounts_.detach(share); };
  const std::error_code error =
      other_calls_.run(key_of("detach ", share), deadline.within(times_.leave), call, itself);
  return is_hanging(error) && is_gone(share) ? std::error_code() : error;
}

bool ShareMounter::is_gone(const MountedShare& share) {
  const auto mounted = mounts_.mounted_below(share.point.substr(0, share.point.rfind('/')));
  return mounted &&
         std::ranges::find(*mounted, share.point, &MountedShare::point) == mounted->end();
}

}  // namespace longshore::smb
