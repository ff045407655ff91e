#include "longshore/kube/resource_path.hpp"

#include <catch2/catch.hpp>

namespace longshore::kubernetes {
namespace {

TEST_CASE("A resource's name is the end of its path, with the group where it has one") {
  CHECK(resource_of("/api/v1/persistentvolumes") == "persistentvolumes");
  CHECK(resource_of("/apis/apps/v1/namespaces/shop/deployments") == "deployments");
  CHECK(qualified_resource_of("/api/v1/namespaces/shop/pods") == "pods");
  CHECK(qualified_resource_of("/apis/storage.k8s.io/v1/volumeattachments") ==
        "volumeattachments.storage.k8s.io");
  CHECK(resource_of("pods") == "pods");
  CHECK(qualified_resource_of("").empty());
}

TEST_CASE("An object's path is that of its namespace, also where all namespaces are followed") {
  const ObjectMetadata node{.name = "n"};
  const ObjectMetadata pod{.name = "p", .name_space = "shop"};
  CHECK(object_path("/api/v1/nodes", node) == "/api/v1/nodes/n");
  CHECK(object_path("/api/v1/pods", pod) == "/api/v1/namespaces/shop/pods/p");
  CHECK(object_path("/api/v1/namespaces/shop/pods", pod) == "/api/v1/namespaces/shop/pods/p");
  // A namespace is an object without one.
  CHECK(object_path("/api/v1/namespaces", {.name = "shop"}) == "/api/v1/namespaces/shop");
}

}  // namespace
}  // namespace longshore::kubernetes
