// Paths of resources at an API server, "/apis/<group>/<version>/namespaces/<namespace>/<resource>/
// <name>/<subresource>", in their parts; and the verbs of RBAC. Threads: any; values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kube/request.h"

namespace longshore::kube {

struct ResourcePath {
  std::string group;  // empty: the core's, below /api
  std::string version;
  std::string name_space;  // empty: of the cluster, or of all namespaces
  std::string resource;    // "persistentvolumes"
  std::string name;        // empty: all of them
  std::string subresource;

  std::string text() const;
};

// Nothing for a path of another form, as "/version".
std::optional<ResourcePath> parse_resource_path(std::string_view path);

// "list" and not "get" where a path names no object.
std::string_view verb_of(Method method, std::string_view path);
std::string_view verb_of(const Request& request);  // "watch" of one that watches

// Where the resources of controllers are, by their name alone: "leases".
struct KnownResource {
  std::string_view name;
  std::string_view group;
  std::string_view version;
  bool is_in_namespaces;
};
// Null: it is none of them.
const KnownResource* known_resource(std::string_view name);

}  // namespace longshore::kube
