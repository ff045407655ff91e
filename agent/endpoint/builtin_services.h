// gRPC reflection and health, answered for one endpoint from the catalog: each endpoint shows only
// the services that it serves.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "loader/service_catalog.h"
#include "rpc/server.h"

namespace longshore::endpoint {

// Tells whether the endpoint serves a service.
using ServiceFilter = std::function<bool(std::string_view service)>;

// The handler of a call to a built-in service, or null when the method of `head`
// ("grpc.health.v1.Health/Check") is none of theirs.
std::unique_ptr<rpc::ServerCallHandler> start_builtin_call(
    const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream,
    std::shared_ptr<const loader::ServiceCatalog> catalog, ServiceFilter serves);

}  // namespace longshore::endpoint
