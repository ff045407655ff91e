// Which requests the built controller makes of the driver and the API server, and how many.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "longshore/module/metrics.pb.h"
#include "longshore/module/objects.pb.h"
#include "tests/unit/external-attacher/attacher_cluster.h"

namespace longshore::external_attacher {
namespace {

using namespace std::chrono_literals;

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE_METHOD(Cluster,
                 "An attachment is made by three writes and one call, and then left alone") {
  put_attachment("va");
  REQUIRE(start());
  const Texts expected = {kVolumes + "/pv", kAttachments + "/va", kAttachments + "/va/status"};
  CHECK(patches == expected);
  CHECK(count("ControllerPublishVolume") == 1);
  CHECK(published.volume_id() == "handle");
  CHECK(published.node_id() == "i-1");
  CHECK(attachment("va").at("status") ==
        json::parse(R"({"attached": true, "attachmentMetadata": {"lun": "1"}})"));
  CHECK(attachment("va").at("metadata").at("finalizers") ==
        json::parse(R"(["external-attacher/disk-example"])"));
  tell_changes();
  CHECK(patches == expected);
  CHECK(count("ControllerPublishVolume") == 1);
  CHECK(refusals == 0);
}

// Of a volume it is told of those members alone that its watch names.
TEST_CASE_METHOD(Cluster, "All that a volume says of how it is to be attached reaches the driver") {
  put(kVolumes, R"({"metadata": {"name": "pv", "labels": {"a": "b"}}, "spec": {
      "accessModes": ["ReadOnlyMany"], "mountOptions": ["noatime"], "capacity": {"storage": "1Gi"},
      "csi": {"volumeHandle": "handle", "fsType": "xfs", "volumeAttributes": {"tier": "cold"}}}})");
  put(kVolumes, R"({"metadata": {"name": "raw"}, "spec": {"accessModes": ["ReadWriteOnce"],
      "volumeMode": "Block", "csi": {"volumeHandle": "raw", "readOnly": false}}})");
  put_attachment("va");
  REQUIRE(start());
  using csi::v1::VolumeCapability;
  const VolumeCapability& mounted = published.volume_capability();
  CHECK(mounted.access_mode().mode() == VolumeCapability::AccessMode::MULTI_NODE_READER_ONLY);
  CHECK(mounted.mount().fs_type() == "xfs");
  REQUIRE(mounted.mount().mount_flags_size() == 1);
  CHECK(mounted.mount().mount_flags(0) == "noatime");
  REQUIRE(published.volume_context().contains("tier"));
  CHECK(published.volume_context().at("tier") == "cold");

  put(kAttachments, R"({"metadata": {"name": "raw"}, "spec": {"attacher": "disk.example",
      "nodeName": "n", "source": {"persistentVolumeName": "raw"}}, "status": {"attached": false}})");
  tell_changes();
  CHECK(published.volume_id() == "raw");
  CHECK(published.volume_capability().has_block());
  CHECK(published.volume_capability().access_mode().mode() ==
        VolumeCapability::AccessMode::SINGLE_NODE_WRITER);
}

TEST_CASE_METHOD(Cluster, "Its queues are counted by the names that the sidecar's have") {
  put_attachment("va");
  REQUIRE(start());
  const auto counted = host.call<module::v1::CollectMetricsResponse>(
      "longshore.module.v1.Metrics/Collect", module::v1::CollectMetricsRequest());
  REQUIRE(counted);
  REQUIRE(counted->work_queues_size() == 2);
  CHECK(counted->work_queues(0).name() == "csi-attacher-va");
  CHECK(counted->work_queues(1).name() == "csi-attacher-pv");
  const module::v1::WorkQueueFigures& attachments = counted->work_queues(0);
  CHECK(attachments.depth() == 0);
  CHECK(attachments.adds() > 0);
  const auto& buckets = attachments.worked().buckets();
  CHECK(buckets.size() == 11);
  CHECK(std::accumulate(buckets.begin(), buckets.end(), uint64_t{0}) == attachments.adds());
  CHECK(attachments.worked().seconds() > 0);
}

TEST_CASE_METHOD(Cluster, "What happened to an attachment and to a volume can be asked for") {
  put_attachment("va");
  put(kAttachments, R"({"metadata": {"name": "others"}, "spec": {"attacher": "other.example",
      "nodeName": "n", "source": {"persistentVolumeName": "pv"}}})");
  REQUIRE(start());
  module::v1::DescribeObjectRequest request;
  const auto ask = [&](const std::string& kind, const std::string& key) {
    request.set_kind(kind);
    request.set_key(key);
    auto known = host.call<module::v1::DescribeObjectResponse>(
        "longshore.module.v1.Objects/Describe", request);
    REQUIRE(known);
    return *known;
  };
  REQUIRE(ask("va", "va").objects_size() == 1);
  CHECK(ask("va", "va").objects(0).queue() == "csi-attacher-va");
  CHECK(ask("va", "va").objects(0).last_tries(0).is_done());
  CHECK(ask("va", "pv").objects().empty());
  for (const auto& [kind, key] : {std::pair("va", "va"), std::pair("va", "nobody"),
                                  std::pair("pv", "others"), std::pair("pv", "pv")}) {
    CHECK(ask(kind, key).why_nothing().empty());
  }
  for (const char* const kind : {"va", "volumeattachment.storage.k8s.io"}) {
    CHECK(ask(kind, "others").why_nothing() ==
          "is of the driver \"other.example\", and this one attaches for \"disk.example\"");
  }
  const auto unknown = ask("shelf", "va");
  CHECK(unknown.objects().empty());
  CHECK(std::vector<std::string>(unknown.kinds().begin(), unknown.kinds().end()) ==
        std::vector<std::string>{"va", "pv"});
}

TEST_CASE_METHOD(Cluster, "Two attachments of a volume write it once") {
  put_attachment("va-1");
  put_attachment("va-2");
  REQUIRE(start());
  CHECK(std::count(patches.begin(), patches.end(), kVolumes + "/pv") == 1);
  CHECK(patches.size() == 5);
  CHECK(refusals == 0);
}

TEST_CASE_METHOD(Cluster,
                 "An attachment is ended by one call and one write, and its volume can go") {
  put_attachment("va");
  REQUIRE(start());
  patches.clear();
  objects.at(kAttachments + "/va").at("metadata").as_object()["deletionTimestamp"] = "t";
  objects.at(kAttachments + "/va").at("metadata").as_object()["resourceVersion"] = "200";
  objects.at(kVolumes + "/pv").at("metadata").as_object()["deletionTimestamp"] = "t";
  objects.at(kVolumes + "/pv").at("metadata").as_object()["resourceVersion"] = "201";
  version = 300;
  tell_changes();
  CHECK(count("ControllerUnpublishVolume") == 1);
  CHECK(patches.at(0) == kAttachments + "/va");
  tell_changes();
  CHECK(patches == Texts{kAttachments + "/va", kVolumes + "/pv"});
  CHECK_FALSE(objects.contains(kAttachments + "/va"));
  CHECK_FALSE(objects.contains(kVolumes + "/pv"));
  CHECK(refusals == 0);
}

TEST_CASE_METHOD(Cluster, "An attachment that is deleted while its status is written is ended") {
  put_attachment("va");
  on_patch = [this](const std::string& path) {
    if (!path.ends_with("/status")) return;
    on_patch = nullptr;
    json::value& object = objects.at(kAttachments + "/va");
    object.at("metadata").as_object()["deletionTimestamp"] = "t";
    ++version;
  };
  REQUIRE(start());
  CHECK_FALSE(on_patch);
  CHECK(attachment("va").at("status").at("attached") == true);
  CHECK(count("ControllerUnpublishVolume") == 0);
  tell_changes();
  CHECK(count("ControllerUnpublishVolume") == 1);
  CHECK_FALSE(objects.contains(kAttachments + "/va"));
}

TEST_CASE_METHOD(Cluster, "A finalizer that a volume has twice goes as a whole") {
  put(kVolumes, R"({"metadata": {"name": "pv", "deletionTimestamp": "t", "finalizers":
      ["external-attacher/disk-example", "other", "external-attacher/disk-example"]},
      "spec": {"csi": {"volumeHandle": "handle"}}})");
  REQUIRE(start());
  CHECK(objects.at(kVolumes + "/pv").at("metadata").at("finalizers") ==
        json::parse(R"(["other"])"));
}

TEST_CASE_METHOD(Cluster,
                 "What the driver refuses stands in the status, and is tried again later") {
  put_attachment("va");
  publish_error = Error::of_text(StatusCode::kResourceExhausted, "no slot is free");
  REQUIRE(start(
      {{"retry_interval_start", longshore::testing::SettingValue(std::chrono::nanoseconds(60s))}}));
  const json::value error = attachment("va").at("status").at("attachError");
  CHECK(error.at("message") == "RESOURCE_EXHAUSTED: no slot is free");
  CHECK(error.at("errorCode") == 8);
  // Not already when the watch tells of what it has written.
  tell_changes();
  CHECK(count("ControllerPublishVolume") == 1);
  publish_error.reset();
  host.advance(61s);
  settle();
  CHECK(count("ControllerPublishVolume") == 2);
  CHECK(attachment("va").at("status").at("attached") == true);
  CHECK_FALSE(attachment("va").at("status").as_object().contains("attachError"));
}

TEST_CASE_METHOD(Cluster, "The driver gets the bytes of the volume's secret, asked for each time") {
  put(kVolumes, R"({"metadata": {"name": "pv"}, "spec": {"accessModes": ["ReadWriteOnce"],
      "csi": {"volumeHandle": "handle",
              "controllerPublishSecretRef": {"name": "s", "namespace": "ns"}}}})");
  put_attachment("va");
  secret = R"({"metadata": {"name": "s"}, "data": {"key": "AP8="}})";
  REQUIRE(start());
  CHECK(gets == Texts{"/api/v1/namespaces/ns/secrets/s"});
  CHECK(published.secrets().at("key") == std::string("\x00\xff", 2));
}

TEST_CASE_METHOD(Cluster, "A secret that is none keeps the driver from being called") {
  put(kVolumes, R"({"metadata": {"name": "pv"}, "spec": {"accessModes": ["ReadWriteOnce"],
      "csi": {"volumeHandle": "handle",
              "controllerPublishSecretRef": {"name": "s", "namespace": "ns"}}}})");
  put_attachment("va");
  secret = R"({"metadata": {"name": "s"}, "data": {"key": "secret!"}})";
  REQUIRE(start());
  CHECK(count("ControllerPublishVolume") == 0);
  CHECK(patches == Texts{kAttachments + "/va/status"});
  CHECK(attachment("va").at("status").at("attachError").at("message") ==
        "cannot read the Secret \"s\": data.key is not base64");
}

TEST_CASE_METHOD(Cluster, "A driver that attaches nothing costs one write") {
  capabilities.clear();
  put_attachment("va");
  REQUIRE(start());
  CHECK(patches == Texts{kAttachments + "/va/status"});
  CHECK(attachment("va").at("status").at("attached") == true);
}

TEST_CASE_METHOD(Cluster, "What the API server forbids is told until it allows it") {
  put_attachment("va");
  is_forbidden = true;
  REQUIRE(start());
  CHECK_THAT(host.degraded(), Catch::Contains("no, user u"));
  CHECK(count("ControllerPublishVolume") == 0);
  is_forbidden = false;
  host.advance(2s);
  settle();
  CHECK(attachment("va").at("status").at("attached") == true);
  CHECK_THAT(host.degraded(), !Catch::Contains("no, user u"));
}

TEST_CASE_METHOD(Cluster, "A driver without a name is told, and asked again") {
  driver_name.clear();
  put_attachment("va");
  REQUIRE(start());
  CHECK_THAT(host.degraded(), Catch::Contains("it has no name"));
  CHECK(patches.empty());
  driver_name = "disk.example";
  host.advance(2s);
  settle();
  CHECK(patches.size() == 3);
  CHECK_THAT(host.degraded(), !Catch::Contains("it has no name"));
}

TEST_CASE_METHOD(Cluster, "An address that is no Unix socket is refused") {
  const auto started = start({{"csi_address", std::string("tcp://10.0.0.1:1")}});
  REQUIRE_FALSE(started);
  CHECK_THAT(started.error().message(), Catch::Contains("it is a TCP address"));
}

TEST_CASE_METHOD(Cluster, "A watch that is never answered does not hold up the end") {
  host.hold(kWatch);
  REQUIRE(start());
  REQUIRE(host.await_invocations(kWatch, 3));
  CHECK(host.stop());
  CHECK(patches.empty());
}

TEST_CASE_METHOD(Cluster,
                 "A write that the server refuses is tried again, and not told as the driver's") {
  put_attachment("va");
  REQUIRE(start());
  patches.clear();
  // With another controller's finalizer, of which the watch does not tell yet.
  put_attachment("late");
  host::v1::KubeWatchRequest watched;
  watched.set_path(kAttachments);
  const auto stale = events(watched);
  objects.at(kAttachments + "/late").at("metadata").as_object()["finalizers"] =
      json::array{json::value("other")};
  host.answer_stream<host::v1::KubeWatchRequest>(
      kWatch, [this, stale,
               is_first = std::make_shared<bool>(true)](const host::v1::KubeWatchRequest& request) {
        const bool is_stale = request.path() == kAttachments && std::exchange(*is_first, false);
        return Result<std::vector<host::v1::KubeEvent>>(is_stale ? stale : events(request));
      });
  tell_changes();
  CHECK(refusals == 1);
  // No error in its status in between.
  const std::string late = kAttachments + "/late";
  CHECK(patches == Texts{late, late, late + "/status"});
  CHECK(attachment("late").at("status").at("attached") == true);
  CHECK(attachment("late").at("metadata").at("finalizers") ==
        json::parse(R"(["other", "external-attacher/disk-example"])"));
}

}  // namespace longshore::external_attacher
