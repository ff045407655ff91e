// A gRPC call on its way into the router: collects the request, hands on cancellation and answers.
#pragma once

#include <memory>
#include <string>

#include "router/router.h"
#include "rpc/server.h"

namespace longshore::endpoint {

// Who calls, and what takes the call from there; router and runner outlive it.
struct CallOrigin {
  router::Router& router;
  router::CallRunner& runner;
  std::shared_ptr<const router::Caller> caller;
  std::shared_ptr<const router::MethodSet> allowed;  // null: everything
};

// `head` is copied as far as it is needed.
std::unique_ptr<rpc::ServerCallHandler> start_routed_call(const rpc::CallHead& head,
                                                          std::shared_ptr<rpc::ServerStream> stream,
                                                          CallOrigin origin);

}  // namespace longshore::endpoint
