#include "kube/grants.h"

#include <algorithm>
#include <string>
#include <vector>

namespace longshore::kube {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// As RBAC has it: "volumeattachments/status".
std::string resource_name(const ResourcePath& resource) {
  return resource.subresource.empty() ? resource.resource
                                      : resource.resource + '/' + resource.subresource;
}

}  // namespace

Result<void> check_granted(const config::ModuleSettings* controller, std::string_view verb,
                           const ResourcePath& resource) {
  const std::string name = resource_name(resource);
  const auto is_allowed = [&](const config::KubeGrant& grant) {
    return contains(grant.verbs, verb) && contains(grant.api_groups, resource.group) &&
           contains(grant.resources, name);
  };
  Error error(StatusCode::kPermissionDenied, std::string(verb), resource.text());
  if (controller == nullptr) {
    return std::move(error).because("the configuration does not name who asks");
  }
  if (std::ranges::any_of(controller->kube_grants, is_allowed)) return {};
  const std::string table = controller->table() + ".kube_grants";
  return std::move(error)
      .because("no grant in " + table + " allows the verb " + std::string(verb) +
               " on the resource " + name + " of the API group \"" + resource.group + '"')
      .advise("write [" + table + ".<name>] with api_groups = [\"" + resource.group +
              "\"], resources = [\"" + name + "\"] and verbs = [\"" + std::string(verb) + "\"]");
}

}  // namespace longshore::kube
