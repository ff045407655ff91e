// The built controller in the SDK's fake host, which plays the driver and the API server.
#pragma once

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "csi/v1.pb.h"
#include "kube/field_mask.h"
#include "longshore/host/csi.pb.h"
#include "longshore/host/kube.pb.h"
#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "tests/support/build_tree.h"
#include "tests/unit/external-attacher/json_patches.h"

namespace longshore::external_attacher {

struct Cluster {
  static constexpr const char* kCall = "longshore.host.v1.Csi/Call";
  static constexpr const char* kGet = "longshore.host.v1.Kube/Get";
  static constexpr const char* kWatch = "longshore.host.v1.Kube/Watch";
  static constexpr const char* kPatch = "longshore.host.v1.Kube/Patch";
  static inline const std::string kVolumes = "/api/v1/persistentvolumes";
  static inline const std::string kAttachments = "/apis/storage.k8s.io/v1/volumeattachments";
  static inline const std::string kNodes = "/apis/storage.k8s.io/v1/csinodes";

  Cluster() {
    put(kVolumes, R"({"metadata": {"name": "pv"}, "spec": {"accessModes": ["ReadWriteOnce"],
        "csi": {"volumeHandle": "handle"}}})");
    put(kNodes, R"({"metadata": {"name": "n"},
        "spec": {"drivers": [{"name": "disk.example", "nodeID": "i-1"}]}})");
    host.answer<host::v1::CsiCallRequest>(
        kCall, [this](const host::v1::CsiCallRequest& request) { return answer(request); });
    host.answer_stream<host::v1::KubeWatchRequest>(
        kWatch, [this](const host::v1::KubeWatchRequest& request) {
          return Result<std::vector<host::v1::KubeEvent>>(events(request));
        });
    host.answer<host::v1::KubePatchRequest>(
        kPatch, [this](const host::v1::KubePatchRequest& request) { return patch(request); });
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

  Result<void> start(std::map<std::string, longshore::testing::SettingValue> settings = {}) {
    auto started = host.start({.settings = std::move(settings)});
    settle();
    return started;
  }
  // Until nothing more is due now; each watch ends, and is begun anew a moment later.
  void settle() {
    for (int i = 0; i < 20; ++i) {
      host.advance(std::chrono::nanoseconds(0));
      host.run_posts();
    }
  }
  // Long enough for the watches to begin anew.
  void tell_changes() {
    host.advance(std::chrono::seconds(11));
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
  std::vector<host::v1::KubeEvent> events(const host::v1::KubeWatchRequest& request) const {
    const auto mask = kube::FieldMask::make({request.fields().begin(), request.fields().end()});
    REQUIRE(mask);
    const std::string& resource = request.path();
    std::vector<host::v1::KubeEvent> events;
    for (const auto& [path, object] : objects) {
      if (!path.starts_with(resource + '/')) continue;
      host::v1::KubeEvent event;
      event.set_type(host::v1::KubeEvent::TYPE_INITIAL);
      event.set_key(path.substr(resource.size() + 1));
      event.set_object(mask->masked(json::serialize(object)));
      events.push_back(event);
    }
    events.emplace_back().set_type(host::v1::KubeEvent::TYPE_SYNCED);
    return events;
  }

  // As a server does it: what is being deleted goes with its last finalizer.
  Result<host::v1::KubeObject> patch(const host::v1::KubePatchRequest& request) {
    std::string path = request.path();
    patches.push_back(path);
    if (const auto act = on_patch) act(path);  // which may be its last time
    if (is_forbidden) return Error::of_text(StatusCode::kPermissionDenied, "no, user u");
    if (path.ends_with("/status")) path.resize(path.size() - 7);
    const auto found = objects.find(path);
    if (found == objects.end()) return refused(StatusCode::kNotFound);
    json::value& object = found->second;
    const json::value body = json::parse(request.patch());
    if (request.type() == host::v1::KubePatchRequest::TYPE_MERGE) {
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
  csi::v1::ControllerPublishVolumeRequest published;
  std::string secret;
  bool is_forbidden = false;                              // each write
  std::function<void(const std::string& path)> on_patch;  // before it
  std::vector<std::string> calls;                         // methods of the driver
  std::vector<std::string> gets;                          // paths
  std::vector<std::string> patches;                       // paths
  size_t refusals = 0;                                    // of patches
  int version = 100;
  std::map<std::string, json::value> objects;  // by path
  const longshore::testing::ModuleFile file{test::built_module("external-attacher")};
  longshore::testing::FakeHost host{file.entry()};
};

}  // namespace longshore::external_attacher
