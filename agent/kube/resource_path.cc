#include "kube/resource_path.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace longshore::kube {
namespace {

constexpr std::string_view kSnapshots = "snapshot.storage.k8s.io";
constexpr std::string_view kGroupSnapshots = "groupsnapshot.storage.k8s.io";

constexpr KnownResource kKnown[] = {
    {"csidrivers", "storage.k8s.io", "v1", false},
    {"csinodes", "storage.k8s.io", "v1", false},
    {"csistoragecapacities", "storage.k8s.io", "v1", true},
    {"events", "", "v1", true},
    {"leases", "coordination.k8s.io", "v1", true},
    {"namespaces", "", "v1", false},
    {"nodes", "", "v1", false},
    {"persistentvolumeclaims", "", "v1", true},
    {"persistentvolumes", "", "v1", false},
    {"pods", "", "v1", true},
    {"replicasets", "apps", "v1", true},
    {"secrets", "", "v1", true},
    {"storageclasses", "storage.k8s.io", "v1", false},
    {"volumeattachments", "storage.k8s.io", "v1", false},
    {"volumeattributesclasses", "storage.k8s.io", "v1", false},
    {"volumegroupsnapshotclasses", kGroupSnapshots, "v1", false},
    {"volumegroupsnapshotcontents", kGroupSnapshots, "v1", false},
    {"volumegroupsnapshots", kGroupSnapshots, "v1", true},
    {"volumesnapshotclasses", kSnapshots, "v1", false},
    {"volumesnapshotcontents", kSnapshots, "v1", false},
    {"volumesnapshots", kSnapshots, "v1", true},
};

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  path.remove_prefix(1);
  for (;;) {
    const size_t slash = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, slash));
    if (slash == path.size()) return parts;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

std::string ResourcePath::text() const {
  std::string path = group.empty() ? "/api/" + version : "/apis/" + group + '/' + version;
  if (!name_space.empty()) path += "/namespaces/" + name_space;
  path += '/' + resource;
  if (!name.empty()) path += '/' + name;
  if (!subresource.empty()) path += '/' + subresource;
  return path;
}

std::optional<ResourcePath> parse_resource_path(std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  const std::vector<std::string_view> parts = parts_of(path);
  const bool is_core = parts[0] == "api";
  if (!is_core && parts[0] != "apis") return std::nullopt;
  size_t next = is_core ? 1 : 2;
  const auto take = [&] { return std::string(next < parts.size() ? parts[next++] : ""); };
  ResourcePath found;
  if (!is_core && parts.size() > 1) found.group = parts[1];
  found.version = take();
  // "namespaces/<name>" alone is a namespace itself, and these are its subresources.
  if (next + 2 < parts.size() && parts[next] == "namespaces" && parts[next + 2] != "status" &&
      parts[next + 2] != "finalize") {
    ++next;
    found.name_space = take();
  }
  found.resource = take();
  found.name = take();
  found.subresource = take();
  if (found.version.empty() || found.resource.empty() || next < parts.size()) return std::nullopt;
  return found;
}

std::string_view verb_of(Method method, std::string_view path) {
  const auto resource = parse_resource_path(path);
  const bool is_many = resource && resource->name.empty();
  switch (method) {
    case Method::kGet:
      return is_many ? "list" : "get";
    case Method::kPost:
      return "create";
    case Method::kPut:
      return "update";
    case Method::kPatch:
      return "patch";
    case Method::kDelete:
      return is_many ? "deletecollection" : "delete";
  }
  return "get";
}

std::string_view verb_of(const Request& request) {
  return request.watches ? "watch" : verb_of(request.method, request.path);
}

const KnownResource* known_resource(std::string_view name) {
  const auto* const found = std::ranges::find(kKnown, name, &KnownResource::name);
  return found == std::end(kKnown) ? nullptr : found;
}

}  // namespace longshore::kube
