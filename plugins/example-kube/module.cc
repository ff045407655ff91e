// A controller of Kubernetes objects to start from: it labels each PersistentVolume with the
// namespace of its claim, which no selector of Kubernetes' own finds volumes by.
#include <boost/json/value.hpp>
#include <string>
#include <utility>

#include "longshore/kube/object_controller.hpp"
#include "module_description.h"

namespace longshore::example_kube {

// What matters of a PersistentVolume here.
struct Volume {
  kubernetes::ObjectMetadata metadata;
  std::string claim_namespace;  // empty: no claim has it
  std::string label;            // what it says of that; empty: nothing

  bool operator==(const Volume&) const = default;
};

class ExampleKubeModule final : public kubernetes::ObjectController<Volume> {
 public:
  ExampleKubeModule() : ObjectController("/api/v1/persistentvolumes", "PersistentVolume") {}

 private:
  Result<void> configure(const Settings& settings) override {
    label_ = settings.get_string("label");
    return {};
  }

  // A claim without a namespace makes the volume one that cannot be read, which is logged.
  Volume read(kubernetes::JsonDocument& document) const override {
    Volume volume;
    volume.label = document.root().object("metadata").object("labels").text(label_);
    const auto claim = document.root().object("spec").object("claimRef");
    if (claim.is_there()) volume.claim_namespace = claim.required_text("namespace");
    return volume;
  }

  // Makes the label what it should be. An error is logged, and the queue tries again later.
  Result<void> reconcile(const Volume& volume) override {
    if (volume.label == volume.claim_namespace) return {};
    boost::json::value value;  // null takes the label away
    if (!volume.claim_namespace.empty()) value = volume.claim_namespace;
    return merge_patch(volume, {{"metadata", {{"labels", {{label_, std::move(value)}}}}}});
  }

  std::string label_;
};

}  // namespace longshore::example_kube

LONGSHORE_MODULE(longshore::example_kube::ExampleKubeModule, "longshore-example-kube", "0.1.0",
                 "Longshore")
