// The built controller in the SDK's fake host, which plays the driver and the API server: which
// requests it makes, and how many.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "csi/v1.pb.h"
#include "kube/field_mask.h"
#include "longshore/host/csi.pb.h"
#include "longshore/host/kube.pb.h"
#include "longshore/module/metrics.pb.h"
#include "longshore/module/objects.pb.h"
#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "tests/support/build_tree.h"
#include "tests/unit/external-attacher/json_patches.h"

namespace longshore::external_attacher {
namespace {

using namespace std::chrono_literals;
using host::v1::KubeEvent;
using host::v1::KubePatchRequest;
using longshore::testing::FakeHost;
using longshore::testing::SettingValue;

constexpr const char* kCall = "longshore.host.v1.Csi/Call";
constexpr const char* kGet = "longshore.host.v1.Kube/Get";
constexpr const char* kList = "longshore.host.v1.Kube/List";
constexpr const char* kWatch = "longshore.host.v1.Kube/Watch";
constexpr const char* kPatch = "longshore.host.v1.Kube/Patch";
const std::string kVolumes = "/api/v1/persistentvolumes";
const std::string kAttachments = "/apis/storage.k8s.io/v1/volumeattachments";
const std::string kNodes = "/apis/storage.k8s.io/v1/csinodes";

// The controller, a driver and an API server.
struct Cluster {
  Cluster() {
    put(kVolumes, R"({"metadata": {"name": "pv"}, "spec": {"accessModes": ["ReadWriteOnce"],
        "csi": {"volumeHandle": "handle"}}})");
    put(kNodes, R"({"metadata": {"name": "n"},
        "spec": {"drivers": [{"name": "disk.example", "nodeID": "i-1"}]}})");
    host.answer<host::v1::CsiCallRequest>(
        kCall, [this](const host::v1::CsiCallRequest& request) { return answer(request); });
    host.answer<host::v1::KubeListRequest>(kList, [this](const host::v1::KubeListRequest& request) {
      lists.push_back(request.path());
      return list_error ? Result<host::v1::KubeObjectPage>(*list_error)
                        : host::v1::KubeObjectPage();
    });
    host.answer_stream<host::v1::KubeWatchRequest>(
        kWatch, [this](const host::v1::KubeWatchRequest& request) {
          return Result<std::vector<KubeEvent>>(events(request));
        });
    host.answer<KubePatchRequest>(
        kPatch, [this](const KubePatchRequest& request) { return patch(request); });
    host.answer<host::v1::KubeGetRequest>(kGet, [this](const host::v1::KubeGetRequest& request) {
      host::v1::KubeObject object;
      object.set_object(secret);
      gets.push_back(request.path());
      return Result<host::v1::KubeObject>(object);
    });
  }

  // An object of the API server's.
  void put(const std::string& resource, const std::string& text) {
    json::value object = json::parse(text);
    object.at("metadata").as_object()["resourceVersion"] = std::to_string(++version);
    objects[resource + '/' + std::string(object.at("metadata").at("name").as_string())] = object;
  }
  void put_attachment(const std::string& name, const std::string& more = {}) {
    put(kAttachments, R"({"metadata": {"name": ")" + name + '"' + more +
                          R"(}, "spec": {"attacher": "disk.example", "nodeName": "n",
        "source": {"persistentVolumeName": "pv"}}, "status": {"attached": false}})");
  }
  const json::value& attachment(const std::string& name) {
    return objects.at(kAttachments + '/' + name);
  }

  Result<void> start(std::map<std::string, SettingValue> settings = {}) {
    auto started = host.start({.settings = std::move(settings)});
    settle();
    return started;
  }
  // Until nothing more is due now; each watch ends, and is begun anew a moment later.
  void settle() {
    for (int i = 0; i < 20; ++i) {
      host.advance(0ns);
      host.run_posts();
    }
  }
  // Long enough for the watches to begin anew.
  void tell_changes() {
    host.advance(11s);
    settle();
  }

  Result<host::v1::CsiCallResponse> answer(const host::v1::CsiCallRequest& request) {
    const std::string method = request.method().substr(request.method().rfind('/') + 1);
    calls.push_back(method);
    host::v1::CsiCallResponse response;
    if (method == "GetPluginInfo") {
      csi::v1::GetPluginInfoResponse info;
      info.set_name(driver_name);
      response.set_response(info.SerializeAsString());
    } else if (method == "GetPluginCapabilities") {
      csi::v1::GetPluginCapabilitiesResponse plugin;
      plugin.add_capabilities()->mutable_service()->set_type(
          csi::v1::PluginCapability::Service::CONTROLLER_SERVICE);
      response.set_response(plugin.SerializeAsString());
    } else if (method == "ControllerGetCapabilities") {
      csi::v1::ControllerGetCapabilitiesResponse controller;
      for (const auto type : capabilities)
        controller.add_capabilities()->mutable_rpc()->set_type(type);
      response.set_response(controller.SerializeAsString());
    } else if (method == "ControllerPublishVolume") {
      if (publish_error) return *publish_error;
      published.ParseFromString(request.request());
      csi::v1::ControllerPublishVolumeResponse done;
      (*done.mutable_publish_context())["lun"] = "1";
      response.set_response(done.SerializeAsString());
    }
    return response;
  }

  // As the agent tells of them: without what the controller has not asked for.
  std::vector<KubeEvent> events(const host::v1::KubeWatchRequest& request) const {
    const auto mask = kube::FieldMask::make({request.fields().begin(), request.fields().end()});
    REQUIRE(mask);
    const std::string& resource = request.path();
    std::vector<KubeEvent> events;
    for (const auto& [path, object] : objects) {
      if (!path.starts_with(resource + '/')) continue;
      KubeEvent event;
      event.set_type(KubeEvent::TYPE_INITIAL);
      event.set_key(path.substr(resource.size() + 1));
      event.set_object(mask->masked(json::serialize(object)));
      events.push_back(event);
    }
    events.emplace_back().set_type(KubeEvent::TYPE_SYNCED);
    return events;
  }

  // As a server does it: what is being deleted goes with its last finalizer.
  Result<host::v1::KubeObject> patch(const KubePatchRequest& request) {
    std::string path = request.path();
    patches.push_back(path);
    if (const auto act = on_patch) act(path);  // which may be its last time
    if (is_forbidden) return Error::of_text(StatusCode::kPermissionDenied, "no, user u");
    if (path.ends_with("/status")) path.resize(path.size() - 7);
    const auto found = objects.find(path);
    if (found == objects.end()) return refused(StatusCode::kNotFound);
    json::value& object = found->second;
    const json::value body = json::parse(request.patch());
    if (request.type() == KubePatchRequest::TYPE_MERGE) {
      merge(object, body);
    } else if (!change(object, body.as_array())) {
      return refused(StatusCode::kInvalidArgument);
    }
    json::object& metadata = object.at("metadata").as_object();
    metadata["resourceVersion"] = std::to_string(++version);
    const json::value* const finalizers = metadata.if_contains("finalizers");
    const bool is_held = finalizers && !finalizers->as_array().empty();
    if (!is_held) metadata.erase("finalizers");
    host::v1::KubeObject answer;
    answer.set_object(json::serialize(object));
    if (!is_held && metadata.contains("deletionTimestamp")) objects.erase(found);
    return answer;
  }
  Error refused(StatusCode code) {
    ++refusals;
    return Error(code, "patch");
  }
  size_t count(const std::string& method) const {
    return static_cast<size_t>(std::count(calls.begin(), calls.end(), method));
  }

  using Rpc = csi::v1::ControllerServiceCapability::RPC;
  std::string driver_name = "disk.example";
  std::vector<Rpc::Type> capabilities = {Rpc::PUBLISH_UNPUBLISH_VOLUME};
  std::optional<Error> publish_error;
  std::optional<Error> list_error;
  csi::v1::ControllerPublishVolumeRequest published;
  std::string secret;
  bool is_forbidden = false;                              // each write
  std::function<void(const std::string& path)> on_patch;  // before it
  std::vector<std::string> calls;                         // methods of the driver
  std::vector<std::string> lists;                         // paths
  std::vector<std::string> gets;                          // paths
  std::vector<std::string> patches;                       // paths
  size_t refusals = 0;                                    // of patches
  int version = 100;
  std::map<std::string, json::value> objects;  // by path
  const longshore::testing::ModuleFile file{test::built_module("external-attacher")};
  FakeHost host{file.entry()};
};

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
  REQUIRE(start({{"retry_interval_start", SettingValue(std::chrono::nanoseconds(60s))}}));
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

TEST_CASE_METHOD(Cluster, "A server that is not reached is told, and asked again") {
  list_error = Error::of_text(StatusCode::kUnavailable, "cannot connect to 10.0.0.1:6443");
  put_attachment("va");
  REQUIRE(start());
  CHECK(host.degraded() == "waits for the API server: cannot connect to 10.0.0.1:6443");
  CHECK(lists == Texts{kAttachments});
  CHECK(patches.empty());
  list_error.reset();
  host.advance(2s);
  settle();
  CHECK(lists == Texts{kAttachments, kAttachments, kVolumes, kNodes});
  CHECK(patches.size() == 3);
  CHECK_THAT(host.degraded(), !Catch::Contains("API server"));
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
        return Result<std::vector<KubeEvent>>(is_stale ? stale : events(request));
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
