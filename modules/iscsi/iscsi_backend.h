// What the iscsi group needs of the operating system.
//
// Portals and names of targets are checked already. Errors name the operation, what it was tried on
// and what the system answered; no secret is in them.
//
// Threads: any number at once. IscsiService lets no two mutations of one portal or target meet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "iscsi/login.h"
#include "iscsi/portal.h"
#include "longshore/deadline.hpp"
#include "longshore/result.hpp"

namespace longshore::iscsi {

// A target as it is reached through one portal. A portal with a host's name is, in every call, the
// addresses that the name has at that moment, and on Linux the one by which connect() reached the
// target through it, until disconnect(). (Whoever takes the portal or open-iscsi's record of the
// target away, or rewrites that, meanwhile, takes the second with it.)
struct Target {
  Portal portal;
  std::string name;

  auto operator<=>(const Target&) const = default;

  std::string text() const { return name + " through " + portal.text(); }
};

class IscsiBackend {
 public:
  virtual ~IscsiBackend() = default;

  virtual Result<std::vector<Portal>> portals() = 0;

  // Makes the portal known if it answers. One that is known is success. UNAVAILABLE: it does not.
  virtual Result<void> add_portal(const Portal& portal, const Deadline& deadline) = 0;

  // Asks a known portal for its targets: their names, each once. NOT_FOUND: it is not known.
  virtual Result<std::vector<std::string>> discover(const Portal& portal,
                                                    const Deadline& deadline) = 0;

  // Success if the portal is not known in the end, also if it was not.
  virtual Result<void> remove_portal(const Portal& portal, const Deadline& deadline) = 0;

  // Success if there is a connection to the target through the portal in the end, also if there was
  // one. NOT_FOUND: the portal is not known, or does not offer the target. UNAUTHENTICATED: one
  // side does not accept the other's secret.
  virtual Result<void> connect(const Target& target, const Login& login,
                               const Deadline& deadline) = 0;

  // Success if there is no such connection in the end. FAILED_PRECONDITION: something uses a disk
  // of it, and it is left as it was.
  virtual Result<void> disconnect(const Target& target, const Deadline& deadline) = 0;

  // The numbers of the disks of all such connections, each once; none if there is no connection.
  virtual Result<std::vector<uint32_t>> disks(const Target& target, const Deadline& deadline) = 0;

  // Whether the system itself keeps what targets have to prove in MUTUAL_CHAP, and is given it
  // once. Where it does not, connect() is given it each time.
  virtual bool keeps_target_secret() const { return false; }
  virtual Result<void> keep_target_secret(const support::Secret& secret);

  // Takes away what an earlier agent left behind when it was killed.
  virtual Result<void> remove_leftovers() { return {}; }
};

// For a system that keeps none.
inline Result<void> IscsiBackend::keep_target_secret(const support::Secret&) {
  return Error(StatusCode::kUnimplemented, "keep the secret of MUTUAL_CHAP");
}

}  // namespace longshore::iscsi
