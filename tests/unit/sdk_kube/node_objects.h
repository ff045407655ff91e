// A controller's view of an object, and what a watch tells of such ones.
//
// Threads: any; plain functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "longshore/host/kube.pb.h"
#include "longshore/kube/object_metadata.hpp"
#include "longshore/result.hpp"

namespace longshore::kubernetes {

struct Node {
  ObjectMetadata metadata;
  std::string id;

  bool operator==(const Node&) const = default;
};

inline Result<Node> read_node(std::string_view json) {
  JsonDocument document("Node", json);
  Node node{.metadata = read_metadata(document),
            .id = document.root().object("spec").required_text("id")};
  if (auto checked = document.check(); !checked) return std::move(checked).error();
  return node;
}

inline std::string node(const std::string& name, const std::string& version,
                        const std::string& id = "i") {
  return R"({"metadata": {"name": ")" + name + R"(", "resourceVersion": ")" + version +
         R"("}, "spec": {"id": ")" + id + R"("}})";
}

inline host::v1::KubeEvent event(host::v1::KubeEvent::Type type, const std::string& key = {},
                                 const std::string& object = {}) {
  host::v1::KubeEvent event;
  event.set_type(type);
  event.set_key(key);
  event.set_object(object);
  return event;
}

}  // namespace longshore::kubernetes
