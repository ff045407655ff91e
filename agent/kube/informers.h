// One informer for each kind and selection of objects, shared by all who ask: one list and one
// watch at the API server, and each object once in memory.
//
//   const auto informer = informers.find({.path = "/api/v1/persistentvolumes"});
//   Subscription subscription(cache_of(informer), on_ready);
//
// It ends when the last goes who has it, its cache, or a subscription of it.
//
// Threads: the context's. Owner: who makes the client. Access and timing outlive all informers.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "kube/object_cache.h"
#include "kube/reflector.h"
#include "kube/selection.h"

namespace longshore::kube {

class Informer {
 public:
  Informer(ApiAccess& access, Timing& timing, const Selection& selection,
           const Reflector::OnCause& on_cause)
      : reflector_(access, timing, selection, cache_, on_cause) {}

  ObjectCache& cache() { return cache_; }
  const Reflector::State& state() const { return reflector_.state(); }

 private:
  ObjectCache cache_;
  Reflector reflector_;
};

// The cache, which keeps its informer.
inline std::shared_ptr<ObjectCache> cache_of(const std::shared_ptr<Informer>& informer) {
  return {informer, &informer->cache()};
}

class Informers {
 public:
  Informers(ApiAccess& access, Timing& timing, Reflector::OnCause on_cause = {})
      : access_(access), timing_(timing), on_cause_(std::move(on_cause)) {}
  Informers(const Informers&) = delete;
  Informers& operator=(const Informers&) = delete;

  std::shared_ptr<Informer> find(const Selection& selection);

  // Those that somebody has, for people.
  std::map<Selection, std::shared_ptr<Informer>> all() const;

 private:
  ApiAccess& access_;
  Timing& timing_;
  const Reflector::OnCause on_cause_;
  std::map<Selection, std::weak_ptr<Informer>> informers_;
};

}  // namespace longshore::kube
