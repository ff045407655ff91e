// What is to be done for an attachment, step by step, from objects that are values.
#include "plugins/external-attacher/csi_handler.h"

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace longshore::external_attacher {
namespace {

const std::string kFinalizer = "external-attacher/disk-example";
using AccessMode = csi::v1::VolumeCapability::AccessMode;

// What attaches without a hitch, to be spoilt by each test.
struct World {
  VolumeAttachment attachment{.metadata = {.name = "va"},
                              .attacher = "disk.example",
                              .node_name = "n",
                              .persistent_volume_name = "pv"};
  PersistentVolume volume{.metadata = {.name = "pv"},
                          .csi = PersistentVolume::Csi{.volume_handle = "handle"},
                          .access_modes = {"ReadWriteOnce"}};
  CsiNode node{.metadata = {.name = "n"}, .node_ids = {{"disk.example", "i-1"}}};
  CsiHandler::Options options{.driver = "disk.example",
                              .capabilities = {.publishes_volumes = true}};
  bool has_volume = true;
  bool has_node = true;
  bool is_forced = false;

  AttachmentView view() const {
    return {.attachment = attachment,
            .volume = has_volume ? std::make_shared<PersistentVolume>(volume) : nullptr,
            .node = has_node ? std::make_shared<CsiNode>(node) : nullptr,
            .is_forced = is_forced};
  }
  CsiHandler handler() const { return CsiHandler(options); }
  Result<Step> step() const { return handler().next_step(view()); }
  AttachStep attach() const {
    auto next = step();
    REQUIRE(next);
    REQUIRE(std::holds_alternative<AttachStep>(*next));
    return std::get<AttachStep>(*next);
  }
  DetachStep detach() const {
    auto next = step();
    REQUIRE(next);
    REQUIRE(std::holds_alternative<DetachStep>(*next));
    return std::get<DetachStep>(*next);
  }
  bool has_nothing_to_do() const {
    auto next = step();
    return next && std::holds_alternative<std::monostate>(*next);
  }
};

World being_deleted() {
  World world;
  world.attachment.metadata.is_being_deleted = true;
  world.attachment.is_attached = true;
  world.attachment.metadata.finalizers = {kFinalizer};
  world.attachment.has_annotations = true;
  world.attachment.node_id = "i-1";
  world.volume.metadata.finalizers = {kFinalizer};
  return world;
}

csi::v1::ControllerPublishVolumeResponse published(const std::string& key,
                                                   const std::string& value) {
  csi::v1::ControllerPublishVolumeResponse response;
  (*response.mutable_publish_context())[key] = value;
  return response;
}

TEST_CASE("A new attachment costs a write of the volume, two of its own and one call") {
  World world;
  const AttachStep step = world.attach();
  CHECK(step.volume_patch == added_finalizer(world.volume, kFinalizer));
  CHECK(step.attachment_patch == prepared_attachment(world.attachment, kFinalizer, "i-1"));
  CHECK_FALSE(step.secret);
  CHECK(step.request.volume_id() == "handle");
  CHECK(step.request.node_id() == "i-1");
  CHECK_FALSE(step.request.readonly());
  CHECK(step.request.volume_context().empty());
  CHECK(step.request.volume_capability().access_mode().mode() == AccessMode::SINGLE_NODE_WRITER);
  CHECK(step.request.volume_capability().has_mount());
  CHECK(CsiHandler::after_publish(world.attachment, published("lun", "1")) ==
        attached_status(world.attachment, {{"lun", "1"}}));

  // What is written already is not written again, as after a call that failed.
  world.volume.metadata.finalizers = {kFinalizer};
  world.attachment.metadata.finalizers = {kFinalizer};
  world.attachment.node_id = "i-1";
  CHECK_FALSE(world.attach().volume_patch);
  CHECK_FALSE(world.attach().attachment_patch);
  world.attachment.is_attached = true;
  CHECK(world.has_nothing_to_do());
}

TEST_CASE("The request has all that the volume says") {
  World world;
  world.options.capabilities.publishes_read_only = true;
  world.options.capabilities.has_single_node_multi_writer = true;
  world.options.default_fs_type = "ext4";
  world.volume.mount_options = {"noatime", "discard"};
  world.volume.csi->read_only = true;
  world.volume.csi->volume_attributes = {{"pool", "p"}};
  world.volume.csi->controller_publish_secret = plugins::SecretReference{"s", "ns"};
  AttachStep step = world.attach();
  CHECK(step.secret == plugins::SecretReference{"s", "ns"});
  CHECK(step.request.readonly());
  CHECK(step.request.volume_context().at("pool") == "p");
  const csi::v1::VolumeCapability& capability = step.request.volume_capability();
  CHECK(capability.access_mode().mode() == AccessMode::SINGLE_NODE_MULTI_WRITER);
  CHECK(capability.mount().fs_type() == "ext4");
  CHECK(std::vector<std::string>(capability.mount().mount_flags().begin(),
                                 capability.mount().mount_flags().end()) ==
        world.volume.mount_options);

  world.volume.csi->fs_type = "xfs";
  CHECK(world.attach().request.volume_capability().mount().fs_type() == "xfs");
  world.volume.is_block = true;
  step = world.attach();
  CHECK(step.request.volume_capability().has_block());
  world.options.capabilities.publishes_read_only = false;
  CHECK_FALSE(world.attach().request.readonly());
}

TEST_CASE("What cannot be attached is told in a sentence, and gets no finalizer") {
  const std::string of_va = "cannot attach the volume of the VolumeAttachment \"va\": ";
  const std::vector<std::pair<std::function<void(World&)>, std::string>> table = {
      {[](World& world) { world.has_volume = false; },
       of_va + "there is no PersistentVolume \"pv\""},
      {[](World& world) { world.volume.csi.reset(); },
       of_va + "the PersistentVolume \"pv\" has no spec.csi"},
      {[](World& world) { world.attachment.persistent_volume_name.clear(); },
       of_va + "spec.source.persistentVolumeName is missing"},
      {[](World& world) { world.attachment.has_inline_volume_spec = true; },
       of_va + "spec.source has both persistentVolumeName and inlineVolumeSpec"},
      {[](World& world) {
         world.attachment.has_inline_volume_spec = true;
         world.attachment.persistent_volume_name.clear();
       },
       of_va + "it has an inlineVolumeSpec"},
      {[](World& world) { world.volume.metadata.is_being_deleted = true; },
       "cannot attach the PersistentVolume \"pv\": it is being deleted"},
      {[](World& world) { world.has_node = false; },
       "cannot find out how the driver calls the node to attach to \"n\": there is no CSINode"},
      {[](World& world) {
         world.node.node_ids = {{"other", "i-1"}};
       },
       "its CSINode does not have the driver disk.example"},
      // The annotation is for detaching: an attach to a node that has gone would go nowhere.
      {[](World& world) {
         world.has_node = false;
         world.attachment.node_id = "i-1";
       },
       "there is no CSINode of this name"},
      {[](World& world) { world.volume.access_modes.clear(); },
       "cannot attach the PersistentVolume \"pv\": cannot map the access modes: there are none"}};
  for (const auto& [spoil, sentence] : table) {
    World world;
    spoil(world);
    INFO(sentence);
    const auto step = world.step();
    REQUIRE_FALSE(step);
    CHECK_THAT(step.error().message(), Catch::Contains(sentence));
  }
}

TEST_CASE("An attachment that is being deleted costs one call and one write") {
  World world = being_deleted();
  world.volume.metadata.is_being_deleted = true;
  world.volume.csi->controller_publish_secret = plugins::SecretReference{"s", "ns"};
  const DetachStep step = world.detach();
  CHECK(step.request.volume_id() == "handle");
  CHECK(step.request.node_id() == "i-1");
  CHECK(step.secret == plugins::SecretReference{"s", "ns"});
  const CsiHandler handler = world.handler();
  CHECK(handler.after_unpublish(world.attachment) ==
        removed_finalizer(world.attachment, kFinalizer));
  // As the server answers to that.
  world.attachment.metadata.finalizers.clear();
  CHECK_FALSE(handler.after_unpublish(world.attachment));
  CHECK(world.has_nothing_to_do());
}

TEST_CASE("An attachment that somebody else still holds is told to be detached") {
  World world = being_deleted();
  world.attachment.metadata.finalizers = {"other"};
  const CsiHandler handler = world.handler();
  CHECK(handler.after_unpublish(world.attachment) == detached_status(world.attachment));
  world.attachment.is_attached = false;
  CHECK_FALSE(handler.after_unpublish(world.attachment));
}

TEST_CASE("A node that is gone is known by the annotation when its volume is detached") {
  World world = being_deleted();
  world.attachment.node_id = "i-0";
  CHECK(world.detach().request.node_id() == "i-1");
  world.has_node = false;
  CHECK(world.detach().request.node_id() == "i-0");
  world.has_node = true;
  world.node.node_ids.clear();
  CHECK(world.detach().request.node_id() == "i-0");
  world.attachment.node_id.clear();
  const auto step = world.step();
  REQUIRE_FALSE(step);
  CHECK_THAT(step.error().message(), Catch::Contains("calls the node to detach from \"n\""));
}

TEST_CASE("A detach without its volume is told in a sentence") {
  World world = being_deleted();
  world.has_volume = false;
  const auto step = world.step();
  REQUIRE_FALSE(step);
  CHECK(step.error().message() ==
        "cannot detach the volume of the VolumeAttachment \"va\": there is no PersistentVolume "
        "\"pv\"");
}

TEST_CASE("Attachments of others need nothing") {
  World world;
  world.attachment.attacher = "other";
  world.is_forced = true;
  CHECK(world.has_nothing_to_do());
  world = being_deleted();
  world.attachment.attacher = "other";
  CHECK(world.has_nothing_to_do());
}

TEST_CASE(
    "What the driver has otherwise than the status says is done again, and not written again") {
  World world;
  world.volume.metadata.finalizers = {kFinalizer};
  world.attachment.metadata.finalizers = {kFinalizer};
  world.attachment.node_id = "i-1";
  world.attachment.is_attached = true;
  world.attachment.attachment_metadata = {{"lun", "1"}};
  world.is_forced = true;
  const AttachStep step = world.attach();
  CHECK_FALSE(step.volume_patch);
  CHECK_FALSE(step.attachment_patch);
  CHECK_FALSE(CsiHandler::after_publish(world.attachment, published("lun", "1")));
  CHECK(CsiHandler::after_publish(world.attachment, published("lun", "2")));
  world.attachment.has_attach_error = true;
  CHECK(CsiHandler::after_publish(world.attachment, published("lun", "1")));

  world = being_deleted();
  world.attachment.metadata.finalizers = {"other"};
  CHECK(world.has_nothing_to_do());
  world.is_forced = true;
  CHECK(world.detach().request.node_id() == "i-1");
}

TEST_CASE("Of a driver that attaches nothing the status says that all is attached") {
  World world;
  world.options.capabilities = {};
  world.has_volume = false;
  world.has_node = false;
  auto step = world.step();
  REQUIRE(step);
  CHECK(std::get<Patch>(*step) == attached_status(world.attachment, {}));
  world.attachment.is_attached = true;
  CHECK(world.has_nothing_to_do());
  world.attachment.metadata.is_being_deleted = true;
  CHECK(world.has_nothing_to_do());
}

TEST_CASE("A volume is released when it is being deleted and no attachment names it") {
  const CsiHandler handler = World().handler();
  PersistentVolume volume{
      .metadata = {.name = "pv", .is_being_deleted = true, .finalizers = {"x", kFinalizer}}};
  AttachmentIndex attachments;
  CHECK(handler.released_volume(volume, attachments) == removed_finalizer(volume, kFinalizer));
  attachments.put("of another attacher", "pv");
  CHECK_FALSE(handler.released_volume(volume, attachments));
  attachments.remove("of another attacher");
  volume.metadata.is_being_deleted = false;
  CHECK_FALSE(handler.released_volume(volume, attachments));
  volume.metadata.is_being_deleted = true;
  volume.metadata.finalizers = {"external-attacher/other"};
  CHECK_FALSE(handler.released_volume(volume, attachments));
}

TEST_CASE("An attachment is out of step where the driver's list says otherwise") {
  World world;
  csi::v1::ListVolumesResponse page;
  auto& entry = *page.add_entries();
  entry.mutable_volume()->set_volume_id("handle");
  entry.mutable_status()->add_published_node_ids("i-1");
  PublishedVolumes listed;
  listed.add(page);
  const PublishedVolumes none;
  const auto is_out_of_step = [&](const PublishedVolumes& published) {
    return world.handler().is_out_of_step(world.view(), published);
  };
  CHECK(is_out_of_step(listed));
  CHECK_FALSE(is_out_of_step(none));
  world.attachment.is_attached = true;
  CHECK_FALSE(is_out_of_step(listed));
  CHECK(is_out_of_step(none));
  world.has_node = false;
  CHECK_FALSE(is_out_of_step(none));  // nobody knows which node
  world.attachment.node_id = "i-2";
  CHECK(is_out_of_step(listed));
  world.has_volume = false;
  CHECK_FALSE(is_out_of_step(none));
  world.has_volume = true;
  world.attachment.attacher = "other";
  CHECK_FALSE(is_out_of_step(none));
}

}  // namespace
}  // namespace longshore::external_attacher
