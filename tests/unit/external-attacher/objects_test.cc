// What is read of VolumeAttachments, PersistentVolumes and CSINodes, and what is said of broken
// ones.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/external-attacher/csi_node.h"
#include "plugins/external-attacher/persistent_volume.h"
#include "plugins/external-attacher/volume_attachment.h"

namespace longshore::external_attacher {
namespace {

using Sentences = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("Of a VolumeAttachment everything that matters is read") {
  const auto attachment = parse_volume_attachment(R"({
    "kind": "VolumeAttachment", "metadata": {"name": "va-1", "uid": "u",
      "deletionTimestamp": "2026-01-02T03:04:05Z", "finalizers": ["a", "b"],
      "annotations": {"x": "y", "csi.alpha.kubernetes.io/node-id": "i-1"}},
    "spec": {"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": "pv-1"}},
    "status": {"attached": true, "attachmentMetadata": {"device": "sdb"},
      "attachError": {"message": "x"}, "detachError": {"message": "y"}, "unheard": [1]}})");
  REQUIRE(attachment);
  CHECK(*attachment ==
        VolumeAttachment{
            .metadata = {.name = "va-1", .is_being_deleted = true, .finalizers = {"a", "b"}},
            .has_annotations = true,
            .node_id = "i-1",
            .attacher = "d",
            .node_name = "n",
            .persistent_volume_name = "pv-1",
            .is_attached = true,
            .attachment_metadata = {{"device", "sdb"}},
            .has_attach_error = true,
            .has_detach_error = true});
  const auto inline_volume = parse_volume_attachment(
      R"({"metadata": {"name": "a"}, "spec": {"attacher": "d", "nodeName": "n",
          "source": {"persistentVolumeName": null, "inlineVolumeSpec": {}}}})");
  REQUIRE(inline_volume);
  CHECK(*inline_volume == VolumeAttachment{.metadata = {.name = "a"},
                                           .attacher = "d",
                                           .node_name = "n",
                                           .has_inline_volume_spec = true});
}

TEST_CASE("Of a PersistentVolume everything that matters is read") {
  const auto volume = parse_persistent_volume(R"({
    "metadata": {"name": "pv-1", "deletionTimestamp": "2026-01-02T03:04:05Z", "finalizers": ["a"]},
    "spec": {"volumeMode": "Block", "mountOptions": ["ro", "noatime"],
      "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
      "csi": {"driver": "d", "volumeHandle": "v", "readOnly": true, "fsType": "xfs",
        "volumeAttributes": {"pool": "p"},
        "controllerPublishSecretRef": {"name": "s", "namespace": "ns"}}}})");
  REQUIRE(volume);
  CHECK(volume->is_block);
  CHECK(volume->metadata.is_being_deleted);
  CHECK(volume->metadata.finalizers == std::vector<std::string>{"a"});
  CHECK(volume->mount_options == std::vector<std::string>{"ro", "noatime"});
  CHECK(volume->access_modes == std::vector<std::string>{"ReadWriteOnce"});
  CHECK(volume->csi == PersistentVolume::Csi{.volume_handle = "v",
                                             .read_only = true,
                                             .fs_type = "xfs",
                                             .volume_attributes = {{"pool", "p"}},
                                             .controller_publish_secret = plugins::SecretReference{
                                                 .name = "s", .name_space = "ns"}});
  const auto other =
      parse_persistent_volume(R"({"metadata": {"name": "nfs"}, "spec": {"nfs": {}}})");
  REQUIRE(other);
  CHECK(*other == PersistentVolume{.metadata = {.name = "nfs"}});
}

TEST_CASE("Of a CSINode the ids that drivers have for it are read") {
  const auto node = parse_csi_node(R"({"metadata": {"name": "n"}, "spec": {"drivers": [
      {"name": "d", "nodeID": "i-1", "topologyKeys": null}, {"name": "e", "nodeID": "2"}]}})");
  REQUIRE(node);
  CHECK(*node == CsiNode{.metadata = {.name = "n"}, .node_ids = {{"d", "i-1"}, {"e", "2"}}});
  // As the kubelet makes it, before any driver is there.
  CHECK(parse_csi_node(R"({"metadata": {"name": "n"}, "spec": {"drivers": null}})").ok());
}

TEST_CASE("A VolumeAttachment that is none is refused with a sentence") {
  const std::string spec = R"("spec": {"attacher": "d", "nodeName": "n"})";
  const std::string name = R"("metadata": {"name": "a"})";
  const std::string of_a = "cannot read the VolumeAttachment \"a\": ";
  const std::string status = "{" + name + "," + spec + R"(,"status": )";
  const Sentences table = {
      {"{}", "cannot read the VolumeAttachment: metadata.name is missing"},
      {"{" + name + "}", of_a + "spec.attacher is missing"},
      {R"({"metadata": {"name": "a", "annotations": []},)" + spec + "}",
       of_a + "metadata.annotations is a list, not an object"},
      {R"({"metadata": {"name": "a", "annotations": {"csi.alpha.kubernetes.io/node-id": 1}},)" +
           spec + "}",
       of_a + "metadata.annotations.csi.alpha.kubernetes.io/node-id is a number, not a string"},
      {"{" + name + R"(,"spec": {"attacher": "d"}})", of_a + "spec.nodeName is missing"},
      {"{" + name + R"(,"spec": {"attacher": "d", "nodeName": "n", "source": "pv"}})",
       of_a + "spec.source is a string, not an object"},
      {"{" + name +
           R"(,"spec": {"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": []}}})",
       of_a + "spec.source.persistentVolumeName is a list, not a string"},
      {"{" + name +
           R"(,"spec": {"attacher": "d", "nodeName": "n", "source": {"inlineVolumeSpec": 1}}})",
       of_a + "spec.source.inlineVolumeSpec is a number, not an object"},
      {status + R"({"attached": "true"}})", of_a + "status.attached is a string, not a boolean"},
      {status + R"({"attachmentMetadata": {"a": 1}}})",
       of_a + "status.attachmentMetadata.a is a number, not a string"},
      {status + R"({"attachError": "x"}})", of_a + "status.attachError is a string, not an object"},
      {status + R"({"detachError": 1.5}})",
       of_a + "status.detachError is a number, not an object"}};
  for (const auto& [json, sentence] : table) {
    INFO(json);
    const auto attachment = parse_volume_attachment(json);
    REQUIRE_FALSE(attachment);
    CHECK(attachment.error().code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(attachment.error().message(), Catch::Contains(sentence));
  }
}

TEST_CASE("A PersistentVolume that is none is refused with a sentence") {
  const Sentences table = {
      {R"("csi": {})", "spec.csi.volumeHandle is missing"},
      {R"("csi": [])", "spec.csi is a list, not an object"},
      {R"("csi": {"volumeHandle": ""})", "spec.csi.volumeHandle is empty"},
      {R"("csi": {"volumeHandle": 12})", "spec.csi.volumeHandle is a number, not a string"},
      {R"("csi": {"volumeHandle": "v", "readOnly": 1})",
       "spec.csi.readOnly is a number, not a boolean"},
      {R"("csi": {"volumeHandle": "v", "fsType": {}})",
       "spec.csi.fsType is an object, not a string"},
      {R"("csi": {"volumeHandle": "v", "volumeAttributes": "a"})",
       "spec.csi.volumeAttributes is a string, not an object"},
      {R"("csi": {"volumeHandle": "v", "volumeAttributes": {"a": true}})",
       "spec.csi.volumeAttributes.a is a boolean, not a string"},
      {R"("csi": {"volumeHandle": "v", "controllerPublishSecretRef": "s"})",
       "spec.csi.controllerPublishSecretRef is a string, not an object"},
      {R"("csi": {"volumeHandle": "v", "controllerPublishSecretRef": {"name": "s"}})",
       "spec.csi.controllerPublishSecretRef.namespace is missing"},
      {R"("csi": {"volumeHandle": "v", "controllerPublishSecretRef": {"namespace": "s"}})",
       "spec.csi.controllerPublishSecretRef.name is missing"},
      {R"("volumeMode": 1)", "spec.volumeMode is a number, not a string"},
      {R"("mountOptions": "ro")", "spec.mountOptions is a string, not a list"},
      {R"("accessModes": [{}])", "spec.accessModes[0] is an object, not a string"}};
  for (const auto& [spec, sentence] : table) {
    const auto volume =
        parse_persistent_volume(R"({"metadata": {"name": "pv"}, "spec": {)" + spec + "}}");
    REQUIRE_FALSE(volume);
    CHECK(volume.error().message() == "cannot read the PersistentVolume \"pv\": " + sentence);
  }
}

TEST_CASE("A CSINode that is none is refused with a sentence") {
  const Sentences table = {
      {R"({})", "spec.drivers is an object, not a list"},
      {R"(["d"])", "spec.drivers[0] is a string, not an object"},
      {R"([{"name": "d", "nodeID": "i"}, {"name": "e"}])", "spec.drivers[1].nodeID is missing"},
      {R"([{"name": "d", "nodeID": ""}])", "spec.drivers[0].nodeID is empty"},
      {R"([{"nodeID": "i"}])", "spec.drivers[0].name is missing"}};
  for (const auto& [drivers, sentence] : table) {
    const auto node =
        parse_csi_node(R"({"metadata": {"name": "n"}, "spec": {"drivers": )" + drivers + "}}");
    REQUIRE_FALSE(node);
    CHECK(node.error().message() == "cannot read the CSINode \"n\": " + sentence);
  }
}

TEST_CASE("What the attacher writes when an attempt fails is no change that is worth a look") {
  const VolumeAttachment before{.metadata = {.name = "a"}, .attacher = "d"};
  VolumeAttachment now = before;
  now.metadata.resource_version = "2";
  now.metadata.finalizers = {"own"};
  now.has_annotations = true;
  now.node_id = "i-1";
  now.has_attach_error = true;
  now.has_detach_error = true;
  CHECK_FALSE(is_changed(before, now, "own"));
  CHECK_FALSE(is_changed(now, before, "own"));
  CHECK(is_changed(before, now, "other"));
  now.metadata.is_being_deleted = true;
  CHECK(is_changed(before, now, "own"));
  now = before;
  now.is_attached = true;
  CHECK(is_changed(before, now, "own"));
}

}  // namespace
}  // namespace longshore::external_attacher
