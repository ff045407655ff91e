#include "kube/request_limits.h"

#include "kube/resource_path.h"

namespace longshore::kube {

RequestTurns& RequestLimits::turns(std::string_view path) {
  const auto resource = parse_resource_path(path);
  if (!resource) return objects_;
  if (resource->group == "coordination.k8s.io" && resource->resource == "leases") return leases_;
  const bool has_events = resource->group.empty() || resource->group == "events.k8s.io";
  return has_events && resource->resource == "events" ? events_ : objects_;
}

}  // namespace longshore::kube
