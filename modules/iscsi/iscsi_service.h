// The iscsi group: what its methods mean, on every system and in every wire version.
//
// One mutation at a time acts on a portal and one on a target through it: whoever asks for the same
// while it runs gets its result, whoever asks for something else is told what is running (ABORTED).
// Only connecting with a secret waits for its turn: the secret of the one that runs may be wrong.
// What is done to one target through different portals waits its turn too.
//
// The secret of MUTUAL_CHAP is set once for all targets. Windows keeps it itself; elsewhere it
// stays in memory: drivers set it before they connect, and a file would outlive the reason
// for it. The module hands it to the instance that replaces it (module.cc); a restart of the agent
// forgets it, and connecting then says what to do. It is wiped here, but not on that way: the agent
// and the transport keep the handover in plain memory for as long as they need it, or longer.
//
// Threads: any number at once. Owner: outlives its calls; the backend outlives it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "iscsi/iscsi_backend.h"
#include "longshore/deadline.hpp"
#include "longshore/result.hpp"
#include "longshore/single_flight.hpp"
#include "support/bulkhead.h"
#include "support/secret.h"

namespace longshore::iscsi {

// A portal as a caller wrote it.
struct PortalRequest {
  std::string address;
  uint32_t port = 0;
};

struct ConnectRequest {
  std::optional<PortalRequest> portal = {};
  std::string target = {};
  int authentication = 0;
  std::string username = {};
  support::Secret secret = {};
};

// Who asks, how long that may take, and where it is said that the call would hang on its portal.
struct Caller {
  Deadline deadline = {};
  std::string request_id = {};
  support::Bulkhead bulkhead = {};
};

class IscsiService {
 public:
  // `target_username` is the CHAP name that targets answer with (MUTUAL_CHAP), in which "{iqn}" is
  // the target's name and "{username}" the node's own CHAP name.
  IscsiService(std::string target_username, IscsiBackend& backend)
      : target_username_(std::move(target_username)), backend_(backend) {}

  // See IscsiBackend. INVALID_ARGUMENT: no portal, or one that cannot be. UNAVAILABLE, and nothing
  // is touched: too many calls hang on the portal already.
  Result<void> add_portal(const std::optional<PortalRequest>& portal, const Caller& caller);
  Result<std::vector<std::string>> discover(const std::optional<PortalRequest>& portal,
                                            const Caller& caller);
  Result<void> remove_portal(const std::optional<PortalRequest>& portal, const Caller& caller);
  Result<std::vector<Portal>> portals() { return backend_.portals(); }

  // FAILED_PRECONDITION: MUTUAL_CHAP and no secret is set.
  Result<void> connect(const ConnectRequest& request, const Caller& caller);
  Result<void> disconnect(const std::optional<PortalRequest>& portal, const std::string& target,
                          const Caller& caller);
  Result<std::vector<uint32_t>> disks(const std::optional<PortalRequest>& portal,
                                      const std::string& target, const Caller& caller);

  Result<void> set_mutual_secret(support::Secret secret);
  // Empty: none is set.
  support::Secret mutual_secret() const;

 private:
  Result<Login> login_of(const ConnectRequest& request) const;
  std::string target_username_for(const ConnectRequest& request) const;
  // Inside of a mutation of the target through one portal.
  Result<void> in_turn(const Target& target, const std::string& operation, const Caller& caller,
                       const std::function<Result<void>()>& mutate);

  const std::string target_username_;
  IscsiBackend& backend_;
  SingleFlight single_flight_;
  mutable std::mutex mutex_;
  support::Secret mutual_secret_;
  std::map<Portal, std::vector<std::string>> discovered_;  // for those who joined a discovery
};

}  // namespace longshore::iscsi
