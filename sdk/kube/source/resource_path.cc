#include "longshore/kube/resource_path.hpp"

namespace longshore::kubernetes {
namespace {

constexpr std::string_view kGroups = "/apis/";  // the core's are below /api, and it has no name

}  // namespace

std::string resource_of(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string qualified_resource_of(std::string_view path) {
  std::string resource = resource_of(path);
  if (!path.starts_with(kGroups)) return resource;
  path.remove_prefix(kGroups.size());
  return resource + '.' + std::string(path.substr(0, path.find('/')));
}

std::string object_path(std::string_view path, const ObjectMetadata& object) {
  const std::string resource = resource_of(path);
  std::string all(path.substr(0, path.size() - resource.size()));
  const std::string in_namespace = "/namespaces/" + object.name_space + '/';
  if (!object.name_space.empty() && !all.ends_with(in_namespace)) {
    all += in_namespace.substr(1);
  }
  return all + resource + '/' + object.name;
}

}  // namespace longshore::kubernetes
