// What each object of Kubernetes' has in `metadata`, as far as controllers decide by it
// (ObjectMeta of the API).
//
//   JsonDocument document("PersistentVolume", json);
//   volume.metadata = read_metadata(document);
//
// Labels and annotations are left out: they may be large, and a controller reads those that it
// knows by JsonFields.
//
// Threads: any; values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longshore/kube/json_fields.hpp"

namespace longshore::kubernetes {

struct ObjectMetadata {
  std::string name;
  std::string name_space;         // empty: the resource has no namespaces
  std::string resource_version;   // see is_newer()
  bool is_being_deleted = false;  // it waits for the end of its finalizers, or its time of grace
  std::vector<std::string> finalizers;

  // "namespace/name", or "name" without a namespace: as Kube/Watch and client-go have it.
  std::string key() const;
  bool has_finalizer(std::string_view finalizer) const;

  bool operator==(const ObjectMetadata&) const = default;
};

// A name that is missing or empty, and a member of another type, are complaints of the document's,
// which from then on names the object. Of an object that has been made by nobody yet the resource
// version is empty.
ObjectMetadata read_metadata(JsonDocument& document);

// Whether a resource version is of a later state of an object than another, which may be empty. KEP
// 5504 has them as whole numbers without a limit, which are compared within one resource. Those of
// aggregated API servers may be no numbers: then nothing is known to be newer.
bool is_newer(std::string_view resource_version, std::string_view other);

}  // namespace longshore::kubernetes
