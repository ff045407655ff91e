// Follows the objects of one resource of the API server: client-go's shared informer, typed. It
// lists and then watches through the agent (`longshore.host.v1.Kube/Watch`), which has one cache
// for all controllers, and keeps of each object what the controller's reader makes of its JSON.
//
//   claims_.emplace(host(), "PersistentVolumeClaims", &read_claim,
//                   [this](std::string_view reason) { set_degraded(reason); });
//   claims_->start(watch_request("/api/v1/persistentvolumeclaims"),
//                  [this](const auto& change) { queue_->add(change.key); });
//
//   idle ──start──► telling ──all that there is was told──► synced ──stop──► stopped
//
// Once synced it stays so: when the stream is lost it is begun anew, and the store keeps what it
// has until all is told again; what went meanwhile is then a change like another. The event handler
// gets what is different, not what the server says: a state that is told again, and one that is
// older than an own write, are none. The own write comes when the watch tells of it, as it may hold
// what somebody else has changed: so each costs one look that finds nothing to do. States may be
// left out, the last one never. There is no resync: no change is lost here.
//
// Errors: an object that the reader refuses is logged as a warning, and what was known of it stays.
// `set_degraded` hears when the stream is lost, as PERMISSION_DENIED without a grant or RBAC's
// permission, while the agent does not reach the API server, and when it is well again. What is
// known stays, and may be old then.
//
// Needs an agent of ABI 0.2 (`kAbiMinorNeeded`), `may_call` of Kube/Watch, a grant of the verbs
// list and watch, the target longshore::kubernetes and the proto longshore/host/kube.proto.
// Threads: `start` and `stop` the module's control; the functions that it is given one after the
// other, on threads of the instance's, and they must not block; all else any. The event handler may
// ask the informer; the reader may not, which runs under its lock, and on any thread that tells of
// a write. Owner: the module.
#pragma once

#include <concepts>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/abi.h"
#include "longshore/context.hpp"
#include "longshore/host/kube.pb.h"
#include "longshore/kube/object_store.hpp"
#include "longshore/result.hpp"
#include "longshore/watch.hpp"

namespace longshore::kubernetes {

// Of all objects of a resource, in all namespaces or in that of the path. Selectors may be set.
// `fields`: what the reader reads, "spec.csi" and the like; it gets nothing else of an object but
// what `KubeWatchRequest.fields` has always, and that is all that an ObjectMetadata needs. Empty:
// whole objects.
inline host::v1::KubeWatchRequest watch_request(std::string path,
                                                const std::vector<std::string>& fields = {}) {
  host::v1::KubeWatchRequest request;
  request.set_path(std::move(path));
  for (const std::string& field : fields) request.add_fields(field);
  return request;
}

template <std::equality_comparable Object>
class Informer {
 public:
  using Known = typename ObjectStore<Object>::Known;
  using Reader = typename ObjectStore<Object>::Reader;
  using Change = typename ObjectStore<Object>::Change;

  // `host` is Module::host(). `kind` is what people are told of: "PersistentVolumes".
  // `set_degraded`: see Watch; of several informers each tells its own reason, and the controller
  // joins them. That the server is not reached all of them tell in the same words.
  Informer(const longshore_host* host, const std::string& kind, Reader reader,
           std::function<void(std::string_view reason)> set_degraded)
      : host_(host),
        set_degraded_(std::move(set_degraded)),
        store_(std::move(reader)),
        watch_(host, "the watch of " + kind, set_degraded_) {}

  // Once. `on_change` comes when the store has it already; `on_synced` once, when `on_change` has
  // heard of all that there is.
  void start(host::v1::KubeWatchRequest request,
             std::function<void(const Change& change)> on_change,
             std::function<void()> on_synced = nullptr) {
    on_change_ = std::move(on_change);
    on_synced_ = std::move(on_synced);
    watch_.start<host::v1::KubeEvent>(
        "longshore.host.v1.Kube/Watch", std::move(request),
        [this](const host::v1::KubeEvent& event) { hear(event); },
        [this] {
          const std::lock_guard lock(mutex_);
          store_.begin();
        });
  }

  // Afterwards none of the functions runs any more; the store stays. Twice is harmless. Must not be
  // called under a lock that one of the functions takes.
  void stop() { watch_.stop(); }

  // Whether `on_change` has heard of all that there is. Before that an object that is not known may
  // be there.
  bool has_synced() const {
    const std::lock_guard lock(mutex_);
    return has_synced_;
  }
  // By "namespace/name", or "name" where there are no namespaces; null: it is not known.
  Known find(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    return store_.find(key);
  }
  std::vector<Known> all() const {
    const std::lock_guard lock(mutex_);
    return store_.all();
  }

  // Takes what the server has answered to a write of the controller's own, before the watch tells
  // of it, and answers the object. Where resource versions are no numbers it only answers it. An
  // error: the reader refuses it.
  Result<Object> wrote(std::string_view json) {
    const std::lock_guard lock(mutex_);
    return store_.wrote(json);
  }
  // The same where the write was the object's end: it is not found any more. The watch will tell
  // of that too.
  void removed(const std::string& key) {
    const std::lock_guard lock(mutex_);
    store_.removed(key);
  }

 private:
  Result<std::vector<Change>> take(const host::v1::KubeEvent& event) {
    const std::lock_guard lock(mutex_);
    return store_.hear(event);
  }

  void hear(const host::v1::KubeEvent& event) {
    using Event = host::v1::KubeEvent;
    if (event.type() == Event::TYPE_CURRENT) return set_degraded_({});
    if (event.type() == Event::TYPE_BEHIND) {
      return set_degraded_("waits for the API server: " + event.cause());
    }
    const auto changes = take(event);
    if (!changes) {
      const std::string text = changes.error().message();
      return host_->log(host_, LONGSHORE_LOG_WARNING, 0, to_bytes(text));
    }
    for (const Change& change : *changes) {
      if (on_change_) on_change_(change);
    }
    if (event.type() != Event::TYPE_SYNCED) return;
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(has_synced_, true)) return;
    }
    if (on_synced_) on_synced_();
  }

  const longshore_host* const host_;
  const std::function<void(std::string_view reason)> set_degraded_;
  std::function<void(const Change& change)> on_change_;
  std::function<void()> on_synced_;

  mutable std::mutex mutex_;
  ObjectStore<Object> store_;
  bool has_synced_ = false;
  Watch watch_;  // last: it is ended first
};

}  // namespace longshore::kubernetes
