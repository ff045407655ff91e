// Mounts a share at one of its server's addresses, and gives a server up that does not answer.
//
// The kernel has no limit of its own for all of it: with a server that accepts connections and then
// says nothing it waits for ever. So it is asked on a thread of its own, one for a share at most;
// see bounded_calls.h.
//
// Threads: any number at once, one for a share. Owner: outlives its calls; the mounts outlive it.
// On destruction it waits for what still hangs.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "smb/linux/bounded_calls.h"
#include "smb/linux/share_mounts.h"
#include "support/call_limits.h"

namespace longshore::smb {

class Mounting {
 public:
  // `time`: how long one address may take.
  Mounting(ShareMounts& mounts, std::chrono::milliseconds time) : mounts_(mounts), time_(time) {}

  // The server's addresses, in the order in which they are to be tried. What is mounted already
  // makes its own address the first: the kernel gives nothing out that it has at another.
  Result<std::vector<std::string>> addresses_of(const RemotePath& share,
                                                const std::optional<MountedShare>& before);

  // A mount that answers. UNAVAILABLE also when the time is over or an earlier attempt still hangs;
  // Error::system() is the kernel's answer, ETIMEDOUT for these two. DEADLINE_EXCEEDED or CANCELLED
  // as `limits` have it.
  Result<std::unique_ptr<DetachedShare>> mount(const RemotePath& share,
                                               const std::vector<std::string>& addresses,
                                               const Credentials& credentials,
                                               ShareMounts::Connection connection,
                                               const support::CallLimits& limits);

  // How many attempts have not ended.
  size_t calls() { return calls_.count(); }

 private:
  using Mounted = Result<std::unique_ptr<DetachedShare>>;

  Mounted mount_in_time(const RemotePath& share, const std::string& address,
                        const Credentials& credentials, ShareMounts::Connection connection,
                        const support::CallLimits& limits);

  ShareMounts& mounts_;
  std::chrono::milliseconds time_;
  BoundedCalls<Mounted> calls_;
};

}  // namespace longshore::smb
