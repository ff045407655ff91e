#include "longshore/kube/object_metadata.hpp"

#include <algorithm>

namespace longshore::kubernetes {
namespace {

bool is_number(std::string_view version) {
  return !version.empty() && version[0] != '0' &&
         std::ranges::all_of(version, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string ObjectMetadata::key() const {
  return name_space.empty() ? name : name_space + '/' + name;
}

bool ObjectMetadata::has_finalizer(std::string_view finalizer) const {
  return std::ranges::find(finalizers, finalizer) != finalizers.end();
}

ObjectMetadata read_metadata(JsonDocument& document) {
  ObjectMetadata metadata;
  metadata.name = document.read_name();
  const JsonFields fields = document.root().object("metadata");
  metadata.name_space = fields.text("namespace");
  metadata.resource_version = fields.text("resourceVersion");
  metadata.is_being_deleted = !fields.text("deletionTimestamp").empty();
  metadata.finalizers = fields.texts("finalizers");
  return metadata;
}

bool is_newer(std::string_view resource_version, std::string_view other) {
  if (!is_number(resource_version)) return false;
  if (other.empty()) return true;
  if (!is_number(other)) return false;
  return resource_version.size() != other.size() ? resource_version.size() > other.size()
                                                 : resource_version > other;
}

}  // namespace longshore::kubernetes
