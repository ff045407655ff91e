// Where the API server has a resource and one of its objects, and how people name the resource.
//
//   const std::string path = "/apis/storage.k8s.io/v1/volumeattachments";  // all of its objects
//
// Threads: any; plain functions.
#pragma once

#include <string>
#include <string_view>

#include "longshore/kube/object_metadata.hpp"

namespace longshore::kubernetes {

// As kubectl and RBAC have it: "volumeattachments".
std::string resource_of(std::string_view path);

// The same with its API group, where it has one, as kubectl prints it:
// "volumeattachments.storage.k8s.io".
std::string qualified_resource_of(std::string_view path);

// Of the object among those of the resource. `path` may be of all namespaces or of the object's.
std::string object_path(std::string_view path, const ObjectMetadata& object);

}  // namespace longshore::kubernetes
