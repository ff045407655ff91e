// A gRPC call on its way into the router: collects the request, hands on cancellation and answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include "router/router.h"
#include "rpc/server.h"

namespace longshore::endpoint {

// What a connection's peer may have, now: a reload may change it between the head of a call and the
// end of its request. Owner: the connection's session, which outlives its calls.
class PeerRights {
 public:
  // Another number when what follows may be different.
  virtual uint64_t version() const = 0;
  virtual bool serves(std::string_view service) const = 0;
  // Null: everything.
  virtual std::shared_ptr<const router::MethodSet> allowed() = 0;

 protected:
  ~PeerRights() = default;
};

// Who calls, and what takes the call from there; all that is referred to outlives it.
struct CallOrigin {
  router::Router& router;
  router::CallRunner& runner;
  std::shared_ptr<const router::Caller> caller;
  PeerRights& rights;
  // For a request to be complete, however long the call itself may take, or if it has no end: who
  // has a request has it at hand.
  std::chrono::nanoseconds request_time = std::chrono::seconds(30);
};

// Decides by the head alone whether the call is made: method, rights and deadline. `head` is copied
// as far as it is needed. Null: refused, and `stream` is finished.
std::unique_ptr<rpc::ServerCallHandler> start_routed_call(const rpc::CallHead& head,
                                                          std::shared_ptr<rpc::ServerStream> stream,
                                                          const CallOrigin& origin);

}  // namespace longshore::endpoint
