#include "csi_node.h"

#include <utility>

#include "longshore/kube/json_fields.hpp"

namespace longshore::external_attacher {

using kubernetes::JsonDocument;
using kubernetes::JsonFields;

Result<CsiNode> parse_csi_node(std::string_view json) {
  JsonDocument document("CSINode", json);
  CsiNode node;
  node.metadata = kubernetes::read_metadata(document);
  for (const JsonFields& driver : document.root().object("spec").objects("drivers")) {
    node.node_ids[driver.required_text("name")] = driver.required_text("nodeID");
  }
  if (auto checked = document.check(); !checked) return std::move(checked).error();
  return node;
}

}  // namespace longshore::external_attacher
