#include "csi_handler.h"

#include <map>
#include <utility>

#include "support/access_mode.h"
#include "support/sanitized_name.h"

namespace longshore::external_attacher {
namespace {

// The volume that is named, and is one of a CSI driver.
Result<const PersistentVolume*> volume_of(const AttachmentView& view) {
  const VolumeAttachment& attachment = view.attachment;
  const auto refused = [&](StatusCode code, const std::string& why) {
    return Error(code,
                 std::string(attachment.metadata.is_being_deleted ? "detach" : "attach") +
                     " the volume of the VolumeAttachment",
                 attachment.metadata.name)
        .because(why);
  };
  const std::string& name = attachment.persistent_volume_name;
  if (attachment.has_inline_volume_spec && !name.empty()) {
    return refused(StatusCode::kInvalidArgument,
                   "spec.source has both persistentVolumeName and inlineVolumeSpec");
  }
  if (attachment.has_inline_volume_spec) {
    return refused(StatusCode::kUnimplemented,
                   "it has an inlineVolumeSpec, as volumes of in-tree plugins have, which are not "
                   "translated here");
  }
  if (name.empty()) {
    return refused(StatusCode::kInvalidArgument, "spec.source.persistentVolumeName is missing");
  }
  if (!view.volume) {
    return refused(StatusCode::kNotFound, "there is no PersistentVolume \"" + name + '"');
  }
  if (!view.volume->csi) {
    return refused(StatusCode::kUnimplemented,
                   "the PersistentVolume \"" + name +
                       "\" has no spec.csi; volumes of in-tree plugins are not translated here");
  }
  return view.volume.get();
}

Error no_node_id(const AttachmentView& view, const std::string& driver) {
  const VolumeAttachment& attachment = view.attachment;
  return Error(StatusCode::kNotFound,
               std::string("find out how the driver calls the node to ") +
                   (attachment.metadata.is_being_deleted ? "detach from" : "attach to"),
               attachment.node_name)
      .because(!view.node ? "there is no CSINode of this name"
                          : "its CSINode does not have the driver " + driver)
      .advise("see whether the driver's Pod runs on the node and is registered with the kubelet");
}

}  // namespace

CsiHandler::CsiHandler(Options options)
    : options_(std::move(options)),
      finalizer_("external-attacher/" + plugins::sanitized_name(options_.driver)) {}

Result<Step> CsiHandler::next_step(const AttachmentView& view) const {
  const VolumeAttachment& attachment = view.attachment;
  if (attachment.attacher != options_.driver) return Step();
  if (!options_.capabilities.publishes_volumes) {
    if (attachment.is_attached) return Step();
    return Step(attached_status(attachment, {}));
  }
  if (!attachment.metadata.is_being_deleted) {
    if (attachment.is_attached && !view.is_forced) return Step();
    return attach(view);
  }
  if (!attachment.metadata.has_finalizer(finalizer_) && !view.is_forced) return Step();
  return detach(view);
}

// Everything is looked at before anything is written: an attachment that can never be made gets no
// finalizer, and can be deleted.
Result<Step> CsiHandler::attach(const AttachmentView& view) const {
  auto found = volume_of(view);
  if (!found) return std::move(found).error();
  const PersistentVolume& volume = **found;
  if (volume.metadata.is_being_deleted) {
    return Error(StatusCode::kFailedPrecondition, "attach the PersistentVolume",
                 volume.metadata.name)
        .because("it is being deleted");
  }
  const std::string node_id = node_id_of(view);
  if (node_id.empty()) return no_node_id(view, options_.driver);
  auto capability = capability_of(volume);
  if (!capability) return std::move(capability).error();

  AttachStep step;
  step.secret = volume.csi->controller_publish_secret;
  if (!volume.metadata.has_finalizer(finalizer_))
    step.volume_patch = added_finalizer(volume, finalizer_);
  step.attachment_patch = prepared_attachment(view.attachment, finalizer_, node_id);
  step.request.set_volume_id(volume.csi->volume_handle);
  step.request.set_node_id(node_id);
  *step.request.mutable_volume_capability() = *std::move(capability);
  step.request.set_readonly(volume.csi->read_only && options_.capabilities.publishes_read_only);
  for (const auto& [key, value] : volume.csi->volume_attributes) {
    (*step.request.mutable_volume_context())[key] = value;
  }
  return Step(std::move(step));
}

Result<Step> CsiHandler::detach(const AttachmentView& view) const {
  auto found = volume_of(view);
  if (!found) return std::move(found).error();
  // A node that is gone has no CSINode any more, and its volumes have to come off all the same.
  std::string node_id = node_id_of(view);
  if (node_id.empty()) node_id = view.attachment.node_id;
  if (node_id.empty()) return no_node_id(view, options_.driver);
  const PersistentVolume::Csi& csi = *(*found)->csi;

  DetachStep step;
  step.secret = csi.controller_publish_secret;
  step.request.set_volume_id(csi.volume_handle);
  step.request.set_node_id(node_id);
  return Step(std::move(step));
}

std::optional<Patch> CsiHandler::after_publish(
    const VolumeAttachment& attachment, const csi::v1::ControllerPublishVolumeResponse& response) {
  const std::map<std::string, std::string> context(response.publish_context().begin(),
                                                   response.publish_context().end());
  if (attachment.is_attached && !attachment.has_attach_error &&
      attachment.attachment_metadata == context) {
    return std::nullopt;
  }
  return attached_status(attachment, context);
}

// The finalizer first: after a crash between two writes the other order would ask the driver again.
// It is mostly the last one, and then the server removes the object in the same request: there is
// no status left to write. Only for an object that somebody else still holds a second request says
// that it is detached.
std::optional<Patch> CsiHandler::after_unpublish(const VolumeAttachment& attachment) const {
  if (attachment.metadata.has_finalizer(finalizer_))
    return removed_finalizer(attachment, finalizer_);
  if (attachment.metadata.finalizers.empty() || !attachment.is_attached) return std::nullopt;
  return detached_status(attachment);
}

std::optional<Patch> CsiHandler::released_volume(const PersistentVolume& volume,
                                                 const AttachmentIndex& attachments) const {
  if (!volume.metadata.is_being_deleted || !volume.metadata.has_finalizer(finalizer_) ||
      attachments.has_volume(volume.metadata.name)) {
    return std::nullopt;
  }
  return removed_finalizer(volume, finalizer_);
}

bool CsiHandler::is_out_of_step(const AttachmentView& view,
                                const PublishedVolumes& published) const {
  if (view.attachment.attacher != options_.driver) return false;
  const auto volume = volume_of(view);
  if (!volume) return false;  // next_step() says why
  std::string node_id = node_id_of(view);
  if (node_id.empty()) node_id = view.attachment.node_id;
  if (node_id.empty()) return false;
  return published.has((*volume)->csi->volume_handle, node_id) != view.attachment.is_attached;
}

Result<csi::v1::VolumeCapability> CsiHandler::capability_of(const PersistentVolume& volume) const {
  auto mode = plugins::csi_access_mode(volume.access_modes,
                                       options_.capabilities.has_single_node_multi_writer);
  if (!mode) {
    return Error(mode.error().code(), "attach the PersistentVolume", volume.metadata.name)
        .because(mode.error().message());
  }
  csi::v1::VolumeCapability capability;
  capability.mutable_access_mode()->set_mode(*mode);
  if (volume.is_block) {
    capability.mutable_block();
    return capability;
  }
  csi::v1::VolumeCapability::MountVolume& mount = *capability.mutable_mount();
  mount.set_fs_type(volume.csi->fs_type.empty() ? options_.default_fs_type : volume.csi->fs_type);
  for (const std::string& option : volume.mount_options) mount.add_mount_flags(option);
  return capability;
}

std::string CsiHandler::node_id_of(const AttachmentView& view) const {
  if (!view.node) return {};
  const auto found = view.node->node_ids.find(options_.driver);
  return found == view.node->node_ids.end() ? std::string() : found->second;
}

}  // namespace longshore::external_attacher
