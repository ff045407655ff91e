// What the attacher reads of a VolumeAttachment.
//
// Threads: any; values.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "longshore/kube/object_metadata.hpp"
#include "longshore/result.hpp"

namespace longshore::external_attacher {

// Where it is told which node it was, for the time when there is no CSINode any more.
inline constexpr std::string_view kNodeIdAnnotation = "csi.alpha.kubernetes.io/node-id";

struct VolumeAttachment {
  kubernetes::ObjectMetadata metadata;
  bool has_annotations = false;
  std::string node_id;  // by kNodeIdAnnotation; empty: none

  // spec
  std::string attacher;
  std::string node_name;
  std::string persistent_volume_name;  // empty: none
  bool has_inline_volume_spec = false;

  // status
  bool is_attached = false;
  std::map<std::string, std::string> attachment_metadata;
  bool has_attach_error = false;
  bool has_detach_error = false;

  bool operator==(const VolumeAttachment&) const = default;
};

// FAILED_PRECONDITION: it is none.
Result<VolumeAttachment> parse_volume_attachment(std::string_view json);

// Whether what has become of it is worth a look: more than what the attacher itself writes before
// and after an attempt that fails, which is its finalizer, the node's id and an error. The next
// attempt has a time of its own.
bool is_changed(VolumeAttachment before, VolumeAttachment now, const std::string& finalizer);

}  // namespace longshore::external_attacher
