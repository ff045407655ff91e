#include "volume_attachment.h"

#include <utility>

#include "longshore/kube/json_fields.hpp"

namespace longshore::external_attacher {

using kubernetes::JsonDocument;
using kubernetes::JsonFields;

Result<VolumeAttachment> parse_volume_attachment(std::string_view json) {
  JsonDocument document("VolumeAttachment", json);
  VolumeAttachment attachment;
  attachment.metadata = kubernetes::read_metadata(document);
  const JsonFields metadata = document.root().object("metadata");
  attachment.has_annotations = metadata.has("annotations");
  attachment.node_id = metadata.object("annotations").text(kNodeIdAnnotation);

  const JsonFields spec = document.root().object("spec");
  attachment.attacher = spec.required_text("attacher");
  attachment.node_name = spec.required_text("nodeName");
  const JsonFields source = spec.object("source");
  attachment.persistent_volume_name = source.text("persistentVolumeName");
  attachment.has_inline_volume_spec = source.object("inlineVolumeSpec").is_there();

  const JsonFields status = document.root().object("status");
  attachment.is_attached = status.boolean("attached");
  attachment.attachment_metadata = status.text_map("attachmentMetadata");
  attachment.has_attach_error = status.object("attachError").is_there();
  attachment.has_detach_error = status.object("detachError").is_there();
  if (auto checked = document.check(); !checked) return std::move(checked).error();
  return attachment;
}

bool is_changed(VolumeAttachment before, VolumeAttachment now, const std::string& finalizer) {
  for (VolumeAttachment* const each : {&before, &now}) {
    each->metadata.resource_version.clear();
    std::erase(each->metadata.finalizers, finalizer);
    each->has_annotations = false;
    each->node_id.clear();
    each->has_attach_error = false;
    each->has_detach_error = false;
  }
  return before != now;
}

}  // namespace longshore::external_attacher
