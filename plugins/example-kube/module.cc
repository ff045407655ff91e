// A controller of Kubernetes objects to start from: it labels each PersistentVolume with the
// namespace of its claim, which no selector of Kubernetes' own finds volumes by.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string>
#include <utility>

#include "longshore/awaited_calls.hpp"
#include "longshore/kube/informer.hpp"
#include "longshore/work_queue_module.hpp"
#include "module_description.h"

namespace longshore::example_kube {

const char* const kVolumes = "/api/v1/persistentvolumes";

// What matters of a PersistentVolume here.
struct Volume {
  kubernetes::ObjectMetadata metadata;
  std::string claim_namespace;  // empty: no claim has it
  std::string label;            // what it says of that; empty: nothing

  bool operator==(const Volume&) const = default;
};

Result<Volume> read_volume(std::string_view json, const std::string& label) {
  kubernetes::JsonDocument document("PersistentVolume", json);
  Volume volume{.metadata = kubernetes::read_metadata(document)};
  volume.label = document.root().object("metadata").object("labels").text(label);
  const auto claim = document.root().object("spec").object("claimRef");
  if (claim.is_there()) volume.claim_namespace = claim.required_text("namespace");
  if (auto checked = document.check(); !checked) return std::move(checked).error();
  return volume;
}

class ExampleKubeModule final : public WorkQueueModule {
 public:
  Result<void> start(const Settings& settings, std::string_view) override {
    label_ = settings.get_string("label");
    calls_.emplace(host());
    queue_.emplace(host(), "volumes", [this](const auto& name) { return reconcile(name); });
    volumes_.emplace(
        host(), "PersistentVolumes", [this](auto json) { return read_volume(json, label_); },
        [this](std::string_view reason) { set_degraded(reason); });
    volumes_->start(kubernetes::watch_request(kVolumes),
                    [this](const auto& change) { queue_->add(change.key); });
    serve_work_queues({&*queue_});  // for /metrics and longshorectl
    return {};
  }

  Result<std::string> stop(Context) override {
    calls_->stop();  // first: the queue waits for who waits for them
    volumes_->stop();
    queue_->stop();
    return std::string();
  }

 private:
  // Makes the label what it should be. An error is logged, and the queue tries again later.
  Result<void> reconcile(const std::string& name) {
    const auto volume = volumes_->find(name);
    if (!volume || volume->label == volume->claim_namespace) return {};
    boost::json::value value;  // null takes the label away
    if (!volume->claim_namespace.empty()) value = volume->claim_namespace;
    const boost::json::object patch{{"metadata", {{"labels", {{label_, std::move(value)}}}}}};
    host::v1::KubePatchRequest request;
    request.set_path(kVolumes + ('/' + name));
    request.set_type(host::v1::KubePatchRequest::TYPE_MERGE);
    request.set_patch(boost::json::serialize(patch));
    const auto answer = calls_->call<host::v1::KubeObject>("longshore.host.v1.Kube/Patch", request);
    if (!answer) return answer.error();
    const auto written = volumes_->wrote(answer->object());  // before the watch tells of it
    return written ? Result<void>() : written.error();
  }

  std::string label_;
  std::optional<AwaitedCalls> calls_;
  std::optional<WorkQueue> queue_;
  std::optional<kubernetes::Informer<Volume>> volumes_;  // last: it is ended first
};

}  // namespace longshore::example_kube

LONGSHORE_MODULE(longshore::example_kube::ExampleKubeModule, "longshore-example-kube", "0.1.0",
                 "Longshore")
