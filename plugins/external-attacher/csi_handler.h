// What is to be done for a VolumeAttachment and for a PersistentVolume. It does nothing itself: who
// has it makes the step, and asks again with what has become of the objects.
//
//   attach   PV: finalizer ─► VA: finalizer, node id ─► ControllerPublishVolume ─► VA: status
//   detach   ControllerUnpublishVolume ─► VA: finalizer away
//
// Both finalizers are there before the driver is called: what it may have done is then undone
// before the objects can go. What is settled needs no step, so a look too many costs nothing.
//
// Of a driver that attaches nothing (no PUBLISH_UNPUBLISH_VOLUME) the only step is to say in the
// status that the volume is attached.
//
// Threads: any; it changes nothing after it was made. Owner: the attacher, until the driver has
// other capabilities.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "attachment_index.h"
#include "csi/v1.pb.h"
#include "csi_node.h"
#include "driver_capabilities.h"
#include "longshore/result.hpp"
#include "patch.h"
#include "persistent_volume.h"
#include "published_volumes.h"
#include "support/secret_data.h"
#include "volume_attachment.h"

namespace longshore::external_attacher {

// A VolumeAttachment and what it refers to; null: there is no such object.
struct AttachmentView {
  const VolumeAttachment& attachment;
  std::shared_ptr<const PersistentVolume> volume = nullptr;
  std::shared_ptr<const CsiNode> node = nullptr;
  // The driver has it otherwise than the status says: `is_out_of_step` of the last ListVolumes.
  bool is_forced = false;
};

// In this order. The secret's data goes into the request.
struct AttachStep {
  std::optional<plugins::SecretReference> secret;
  std::optional<Patch> volume_patch;
  std::optional<Patch> attachment_patch;
  csi::v1::ControllerPublishVolumeRequest request;
};

struct DetachStep {
  std::optional<plugins::SecretReference> secret;
  csi::v1::ControllerUnpublishVolumeRequest request;
};

// There is nothing to do; or a status to write.
using Step = std::variant<std::monostate, AttachStep, DetachStep, Patch>;

class CsiHandler {
 public:
  struct Options {
    std::string driver;  // its name
    DriverCapabilities capabilities;
    std::string default_fs_type;  // for volumes without one; empty: the driver's own
  };

  explicit CsiHandler(Options options);

  const std::string& driver() const { return options_.driver; }
  const std::string& finalizer() const { return finalizer_; }

  // An error is for the status: failed_status().
  Result<Step> next_step(const AttachmentView& view) const;

  // What to write after the driver has said OK. Nothing: the status says it already.
  static std::optional<Patch> after_publish(
      const VolumeAttachment& attachment, const csi::v1::ControllerPublishVolumeResponse& response);
  // Again with what the server has answered to it, until there is nothing.
  std::optional<Patch> after_unpublish(const VolumeAttachment& attachment) const;

  // Takes the finalizer from a volume that is being deleted, and that no attachment names.
  std::optional<Patch> released_volume(const PersistentVolume& volume,
                                       const AttachmentIndex& attachments) const;

  // Whether the driver lists the volume on the node and the status does not say so, or the other
  // way.
  bool is_out_of_step(const AttachmentView& view, const PublishedVolumes& published) const;

 private:
  Result<Step> attach(const AttachmentView& view) const;
  Result<Step> detach(const AttachmentView& view) const;
  Result<csi::v1::VolumeCapability> capability_of(const PersistentVolume& volume) const;
  // As the CSINode has it; empty: it does not.
  std::string node_id_of(const AttachmentView& view) const;

  const Options options_;
  const std::string finalizer_;
};

}  // namespace longshore::external_attacher
