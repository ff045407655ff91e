// Mounts a share at one of its server's addresses, and gives a server up that does not answer.
//
// The kernel has no limit of its own for all of it: with a server that accepts connections and then
// says nothing it waits for ever. So whatever may wait for the server is asked on a thread of its
// own, one for a share and an address at most; see support/abandonable_calls.h. Nobody waits for it
// any longer when the time is over, nor when its caller's is or the caller has gone: otherwise a
// call without a deadline would keep the share's turn for nobody. The attempt goes on in the
// kernel, and what comes of it is let go. Until it ends the next ones are UNAVAILABLE at once. They
// do not join it, for nobody can tell whether their credentials are the same; and to wait for a
// server that said nothing so far would only hold their threads as well.
//
// Threads: any number at once, one for a share. Owner: outlives its calls; the mounts outlive it.
// On destruction it waits for what still hangs.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "longshore/deadline.hpp"
#include "smb/linux/share_mounts.h"
#include "support/abandonable_calls.h"

namespace longshore::smb {

class ShareMounter {
 public:
  // How long is waited at most.
  struct Times {
    std::chrono::milliseconds probe{5000};
    std::chrono::milliseconds mount{60000};  // at one address of the server
    std::chrono::milliseconds leave{5000};   // for the kernel to take leave of the server
  };

  ShareMounter(ShareMounts& mounts, const Times& times) : mounts_(mounts), times_(times) {}

  // The server's addresses, in the order in which they are to be tried. What is mounted already
  // makes its own address the first: the kernel gives nothing out that it has at another.
  // UNAVAILABLE also while the resolver has not ended an earlier call.
  Result<std::vector<std::string>> addresses_of(const RemotePath& share,
                                                const std::optional<MountedShare>& before,
                                                const Deadline& deadline);

  // A mount that answers. UNAVAILABLE also when the time is over or an earlier attempt still hangs;
  // Error::system() is the kernel's answer, ETIMEDOUT and EALREADY for these two.
  // DEADLINE_EXCEEDED or CANCELLED as `deadline` have it.
  Result<std::unique_ptr<DetachedShare>> mount(const RemotePath& share,
                                               const std::vector<std::string>& addresses,
                                               const Credentials& credentials,
                                               ShareMounts::Connection connection,
                                               const Deadline& deadline);

  // Whether what is mounted answers in time; if the deadline is exceeded before, it does not.
  bool answers(const MountedShare& share, const Deadline& deadline);

  // That what is mounted has the remote path's directory.
  Result<void> find(const MountedShare& share, const RemotePath& remote, const Deadline& deadline);

  // Takes the mount away from its directory, as ShareMounts::detach(). That the kernel has not
  // taken leave of the server yet is success: the mount is gone before.
  std::error_code detach(const MountedShare& share, const Deadline& deadline);

  // How many calls the kernel has not ended.
  size_t hanging_calls() {
    return address_calls_.count() + mount_calls_.count() + other_calls_.count();
  }

 private:
  using Addresses = Result<std::vector<std::string>>;
  using Mounted = Result<std::unique_ptr<DetachedShare>>;

  Mounted mount_in_time(const RemotePath& share, const std::string& address,
                        const Credentials& credentials, ShareMounts::Connection connection,
                        const Deadline& deadline);
  bool is_gone(const MountedShare& share);

  ShareMounts& mounts_;
  Times times_;
  support::AbandonableCalls<Addresses> address_calls_{32};  // by the host
  support::AbandonableCalls<Mounted> mount_calls_{256};     // by the share
  support::AbandonableCalls<std::error_code> other_calls_{
      256};  // keys: what is done, and to which mount
};

}  // namespace longshore::smb
