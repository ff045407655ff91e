#include "csi_node.h"

#include <utility>

#include "support/json_fields.h"

namespace longshore::external_attacher {

using plugins::JsonDocument;
using plugins::JsonFields;

Result<CsiNode> parse_csi_node(std::string_view json) {
  JsonDocument document("CSINode", json);
  CsiNode node;
  node.name = document.read_name();
  node.resource_version = document.root().object("metadata").text("resourceVersion");
  for (const JsonFields& driver : document.root().object("spec").objects("drivers")) {
    node.node_ids[driver.required_text("name")] = driver.required_text("nodeID");
  }
  if (auto checked = document.check(); !checked) return std::move(checked).error();
  return node;
}

}  // namespace longshore::external_attacher
