// What the attacher writes, byte for byte.
#include "plugins/external-attacher/patch.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

namespace longshore::external_attacher {
namespace {

const std::string kOurs = "external-attacher/d";
const std::string kAttachment = "/apis/storage.k8s.io/v1/volumeattachments/a";
const std::chrono::system_clock::time_point kTime =
    std::chrono::sys_days(std::chrono::year(2026) / 2 / 3) + std::chrono::hours(4) +
    std::chrono::minutes(5) + std::chrono::milliseconds(6789);

VolumeAttachment attachment() {
  return {.metadata = {.name = "a"}, .attacher = "d", .node_name = "n"};
}

TEST_CASE("A volume's first finalizer makes the list, where there is still none") {
  CHECK(added_finalizer({.metadata = {.name = "pv"}}, kOurs) ==
        Patch{"/api/v1/persistentvolumes/pv", Patch::Type::kJson,
              R"([{"op":"test","path":"/metadata/finalizers","value":null},)"
              R"({"op":"add","path":"/metadata/finalizers","value":["external-attacher/d"]}])"});
}

TEST_CASE("A further finalizer leaves the others as they are, and is not added to other ones") {
  CHECK(added_finalizer({.metadata = {.name = "pv", .finalizers = {"other"}}}, kOurs).body ==
        R"([{"op":"test","path":"/metadata/finalizers","value":["other"]},)"
        R"({"op":"add","path":"/metadata/finalizers/-","value":"external-attacher/d"}])");
}

TEST_CASE("A finalizer is removed where it stands, if it still stands there") {
  const std::string body =
      R"([{"op":"test","path":"/metadata/finalizers/1","value":"external-attacher/d"},)"
      R"({"op":"remove","path":"/metadata/finalizers/1"}])";
  CHECK(removed_finalizer(
            PersistentVolume{.metadata = {.name = "pv", .finalizers = {"x", kOurs, "y"}}}, kOurs) ==
        Patch{"/api/v1/persistentvolumes/pv", Patch::Type::kJson, body});
  VolumeAttachment held = attachment();
  held.metadata.finalizers = {"x", kOurs};
  CHECK(removed_finalizer(held, kOurs) == Patch{kAttachment, Patch::Type::kJson, body});
}

TEST_CASE("Finalizer and node id of an attachment are one request, and of both what is missing") {
  VolumeAttachment some = attachment();
  CHECK(prepared_attachment(some, kOurs, "i-1") ==
        Patch{kAttachment, Patch::Type::kJson,
              R"([{"op":"test","path":"/metadata/finalizers","value":null},)"
              R"({"op":"add","path":"/metadata/finalizers","value":["external-attacher/d"]},)"
              R"({"op":"test","path":"/metadata/annotations","value":null},)"
              R"({"op":"add","path":"/metadata/annotations",)"
              R"("value":{"csi.alpha.kubernetes.io/node-id":"i-1"}}])"});
  some.has_annotations = true;
  some.node_id = "i-0";
  some.metadata.finalizers = {kOurs};
  CHECK(prepared_attachment(some, kOurs, "i-\"1")->body ==
        R"([{"op":"add","path":"/metadata/annotations/csi.alpha.kubernetes.io~1node-id",)"
        R"("value":"i-\"1"}])");
  CHECK_FALSE(prepared_attachment(some, kOurs, "i-0"));
  some.metadata.finalizers = {"other"};
  CHECK(prepared_attachment(some, kOurs, "i-0")->body ==
        R"([{"op":"test","path":"/metadata/finalizers","value":["other"]},)"
        R"({"op":"add","path":"/metadata/finalizers/-","value":"external-attacher/d"}])");
}

TEST_CASE("The status says what is attached, and keeps nothing of what was before") {
  VolumeAttachment some = attachment();
  CHECK(attached_status(some, {}) ==
        Patch{kAttachment + "/status", Patch::Type::kMerge,
              R"({"status":{"attached":true,"attachError":null,"attachmentMetadata":null}})"});
  some.attachment_metadata = {{"lun", "1"}, {"old", "x"}};
  CHECK(attached_status(some, {{"lun", "2"}}).body ==
        R"({"status":{"attached":true,"attachError":null,)"
        R"("attachmentMetadata":{"lun":"2","old":null}}})");
  CHECK(detached_status(some) ==
        Patch{kAttachment + "/status", Patch::Type::kMerge,
              R"({"status":{"attached":false,"attachmentMetadata":null,"detachError":null}})"});
}

TEST_CASE("A failure has its time and text, and the driver's code where it attaches") {
  VolumeAttachment some = attachment();
  CHECK(failed_status(some, {"no \"disk\"", kTime, StatusCode::kResourceExhausted}) ==
        Patch{kAttachment + "/status", Patch::Type::kMerge,
              R"({"status":{"attachError":{"time":"2026-02-03T04:05:06Z",)"
              R"("message":"no \"disk\"","errorCode":8}}})"});
  // A code of the failure before is not this one's.
  CHECK(failed_status(some, {"no node", kTime, {}}).body ==
        R"({"status":{"attachError":{"time":"2026-02-03T04:05:06Z","message":"no node",)"
        R"("errorCode":null}}})");
  some.metadata.is_being_deleted = true;
  CHECK(failed_status(some, {"busy", kTime, StatusCode::kInternal}).body ==
        R"({"status":{"detachError":{"time":"2026-02-03T04:05:06Z","message":"busy"}}})");
}

TEST_CASE("A failure's text is cut to 1024 bytes, between two characters") {
  const std::string text(1022, 'x');
  CHECK_THAT(failed_status(attachment(), {text + "\xe2\x82\xac and more", kTime, {}}).body,
             Catch::Contains('"' + text + "\",\"errorCode\""));
  CHECK_THAT(failed_status(attachment(), {"bad \xff", kTime, {}}).body,
             Catch::Contains("\"bad ?\""));
}

}  // namespace
}  // namespace longshore::external_attacher
