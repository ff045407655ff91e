// What the attacher reads of a CSINode: how drivers call a node.
//
// Threads: any; values.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "longshore/kube/object_metadata.hpp"
#include "longshore/result.hpp"

namespace longshore::external_attacher {

struct CsiNode {
  kubernetes::ObjectMetadata metadata;
  std::map<std::string, std::string> node_ids;  // by the name of the driver

  bool operator==(const CsiNode&) const = default;
};

// FAILED_PRECONDITION: it is none.
Result<CsiNode> parse_csi_node(std::string_view json);

}  // namespace longshore::external_attacher
