// A module that controls the objects of one resource of the API server, each by itself: the
// informer, the work queue and the writes of such a controller, with the defaults that suit most.
//
//   class Labels final : public longshore::kubernetes::ObjectController<Volume> {
//    public:
//     Labels() : ObjectController("/api/v1/persistentvolumes", "PersistentVolume") {}
//    private:
//     Result<void> configure(const Settings& settings) override { ... }
//     Volume read(JsonDocument& document) const override { ... }
//     Result<void> reconcile(const Volume& volume) override { return merge_patch(volume, {...}); }
//   };
//
// `reconcile` is called for each object that is there at first, and whenever what was read of it
// has changed: again and later each time if it fails, never twice at once for one object. It
// compares what is with what should be, and so is right after any pause. It is not called for what
// is gone: what has to be done at an object's end needs a finalizer, as everywhere in Kubernetes.
//
// While the API server is not reached the controller is degraded, from the beginning on and later,
// and what changed meanwhile is made up for.
//
// The work queue is called as the resource: "persistentvolumes" in the log, in /metrics and in
// `longshorectl controllers`. Of one object people ask by `--object persistentvolumes/NAME`, of one
// in a namespace by `pods/NAMESPACE/NAME`; the kind may be as kubectl prints it. One object is
// handled at a time. A controller that needs more workers, or several resources, is made of
// Informer, WorkQueue and AwaitedCalls, as this one is.
//
// `Object` has a `metadata` and ==, see ObjectStore. The description, the protos and the grants are
// those that WorkQueueModule and Informer name; `merge_patch` needs Kube/Patch and the verb patch
// as well.
//
// Threads: `configure` the module's control; `read` any, and it must not ask the controller;
// `reconcile` the instance's pool, where it may block. Owner: the agent.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "longshore/awaited_calls.hpp"
#include "longshore/host/kube.pb.h"
#include "longshore/kube/informer.hpp"
#include "longshore/kube/json_fields.hpp"
#include "longshore/kube/object_metadata.hpp"
#include "longshore/kube/resource_path.hpp"
#include "longshore/result.hpp"
#include "longshore/settings.hpp"
#include "longshore/work_queue.hpp"
#include "longshore/work_queue_module.hpp"

namespace longshore::kubernetes {

template <std::equality_comparable Object>
class ObjectController : public WorkQueueModule {
 public:
  // `path`: of all objects of the resource. `kind`: what the API calls one of them, for sentences.
  ObjectController(std::string path, std::string kind)
      : path_(std::move(path)), kind_(std::move(kind)) {}

  // What may fail comes first: once objects are told of, the agent has to stop this before its end.
  Result<void> start(const Settings& settings, std::string_view) final {
    if (auto configured = configure(settings); !configured) return configured;
    const std::string resource = qualified_resource_of(path_);
    calls_.emplace(host());
    queue_.emplace(
        host(), resource_of(path_), [this](const std::string& key) { return handle(key); },
        WorkQueue::Options{.resource = resource});
    objects_.emplace(
        host(), resource_of(path_), [this](std::string_view json) { return read_object(json); },
        [this](std::string_view reason) { set_degraded(reason); });
    serve_work_queues({&*queue_});
    objects_->start(watch_request(path_), [this](const auto& change) { queue_->add(change.key); });
    return {};
  }

  Result<std::string> stop(Context) final {
    calls_->stop();  // first: the queue waits for who waits for them
    objects_->stop();
    queue_->stop();
    return std::string();
  }

 protected:
  // Takes the settings. An error keeps the controller from starting, and is read as a sentence:
  //   return Error(StatusCode::kInvalidArgument, "use the label", label_).because("it is empty");
  // is `cannot use the label "...": it is empty`.
  virtual Result<void> configure(const Settings& settings) = 0;
  // What matters of an object, but its metadata, which are added. What is wrong with it is
  // complained of to the document.
  virtual Object read(JsonDocument& document) const = 0;
  // Makes the object what it should be. An error is logged, and it is tried again later.
  virtual Result<void> reconcile(const Object& object) = 0;

  // A JSON merge patch of the object. What the server answers is known at once, before the watch
  // tells of it. In `reconcile` alone.
  Result<void> merge_patch(const Object& object, const boost::json::object& changes) {
    host::v1::KubePatchRequest request;
    request.set_path(object_path(path_, object.metadata));
    request.set_type(host::v1::KubePatchRequest::TYPE_MERGE);
    request.set_patch(boost::json::serialize(changes));
    const auto answer = calls_->call<host::v1::KubeObject>("longshore.host.v1.Kube/Patch", request);
    if (!answer) return answer.error();
    const auto written = objects_->wrote(answer->object());
    return written ? Result<void>() : written.error();
  }

  // For calls of others, such as the CSI driver, that `reconcile` waits for.
  AwaitedCalls& calls() { return *calls_; }

 private:
  Result<Object> read_object(std::string_view json) const {
    JsonDocument document(kind_, json);
    ObjectMetadata metadata = read_metadata(document);  // first: complaints name the object
    Object object = read(document);
    object.metadata = std::move(metadata);
    if (auto checked = document.check(); !checked) return std::move(checked).error();
    return object;
  }

  Result<void> handle(const std::string& key) {
    const auto object = objects_->find(key);
    return object ? reconcile(*object) : Result<void>();
  }

  const std::string path_;
  const std::string kind_;
  std::optional<AwaitedCalls> calls_;
  std::optional<WorkQueue> queue_;
  std::optional<Informer<Object>> objects_;  // last: it is ended first
};

}  // namespace longshore::kubernetes
