// The smb group: what its methods mean, on every system and in every wire version.
//
// Everything that a request says is checked before anything is done (csi-proxy maps first and
// leaves the mapping behind when the local path is bad).
//
// One change at a time is made to a share. Requests with credentials are never joined to one that
// runs, as other groups do: to tell whether two are the same, the passwords would have to be
// compared. They wait for their turn instead, which is short where the server answers; many volumes
// of one share are mapped at once when a node starts.
//
// Each call says by its bulkhead that it would hang on the server, before it waits for anything,
// and is UNAVAILABLE if too many hang there already.
//
// Threads: any number at once. Owner: outlives its calls; the backend outlives it.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "longshore/result.hpp"
#include "longshore/single_flight.hpp"
#include "smb/smb_backend.h"
#include "support/allowed_roots.h"
#include "support/bulkhead.h"

namespace longshore::smb {

class SmbService {
 public:
  // `patience`: how long a request waits for its turn before it is ABORTED, so that those that wait
  // for a dead server do not hold every thread.
  SmbService(support::AllowedRoots roots, SmbBackend& backend,
             std::chrono::milliseconds patience = std::chrono::seconds(5))
      : roots_(std::move(roots)), backend_(backend), patience_(patience) {}

  // See SmbBackend. An empty `local_path` makes no link. `user_name` and `password` are wiped.
  // `request_id` is what others are told of a request that runs. remove_mapping() takes the text of
  // a link too. It hangs on no server, and so is never refused because others do.
  Result<void> new_mapping(const std::string& remote_path, const std::string& local_path,
                           std::string& user_name, std::string& password, const Deadline& deadline,
                           const std::string& request_id, const support::Bulkhead& bulkhead = {});
  Result<void> remove_mapping(const std::string& remote_path, const Deadline& deadline,
                              const std::string& request_id);

 private:
  support::AllowedRoots roots_;
  SmbBackend& backend_;
  std::chrono::milliseconds patience_;
  SingleFlight single_flight_;
};

}  // namespace longshore::smb
