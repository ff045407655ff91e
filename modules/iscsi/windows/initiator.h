// What the iscsi group does with Windows' iSCSI initiator, step by step. Each function takes as
// long as the initiator does.
//
// Windows lists for each target the portals that it is offered at, and for each session those that
// it is connected through; a portal with a host's name is the addresses that the name has now.
// Sessions are made to end with the node, and logged out all, also those that somebody else made.
//
// Threads: any number at once. Owner: the library outlives it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "iscsi/iscsi_backend.h"
#include "iscsi/windows/initiator_queries.h"

namespace longshore::iscsi {

class Initiator {
 public:
  explicit Initiator(InitiatorLibrary& library) : library_(library) {}

  // As IscsiBackend's.
  Result<std::vector<Portal>> portals() const;
  Result<void> add_portal(const Portal& portal) const;
  Result<std::vector<std::string>> discover(const Portal& portal) const;
  Result<void> remove_portal(const Portal& portal) const;
  Result<void> connect(const Target& target, const Login& login) const;
  Result<void> disconnect(const Target& target) const;
  Result<std::vector<uint32_t>> disks(const Target& target) const;
  Result<void> set_target_secret(const support::Secret& secret) const;

 private:
  // The portal by each address that its name has now.
  std::vector<Portal> spellings_of(const Portal& portal) const;
  Result<bool> knows(const Portal& portal, const InitiatorPurpose& purpose) const;
  Result<bool> offers(const Target& target, const InitiatorPurpose& purpose) const;
  Result<std::vector<InitiatorSession>> sessions_of(const Target& target,
                                                    const InitiatorPurpose& purpose) const;
  Result<void> find(const Target& target, const InitiatorPurpose& purpose) const;
  Result<void> log_in(const Target& target, const Login& login,
                      const InitiatorPurpose& purpose) const;

  InitiatorLibrary& library_;
};

}  // namespace longshore::iscsi
