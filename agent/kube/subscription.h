// What one listener still has to hear of a cache: a set of keys, not of objects. Whoever is slow
// hears the latest state of each, and of what came and went meanwhile nothing.
//
//   (RESET) ──► INITIAL ... ──► SYNCED ──► UPSERT, DELETE ... ──► (RESET) ──► ...
//
// INITIAL is each object that there was at the beginning; one that goes before SYNCED is a DELETE
// if it was told. An object that was deleted and made again is one UPSERT: its uid is another. For
// each key the versions grow, up to a RESET. What the listener has heard costs nothing more: it has
// every object of the cache whose key does not wait.
//
// Threads: the cache's. Owner: who listens.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "kube/object_cache.h"

namespace longshore::kube {

struct CacheMessage {
  enum class Type {
    kInitial,
    kSynced,  // all INITIAL have come
    kUpsert,
    kDelete,  // of what was told before
    kReset,   // what was told is to be forgotten
  };
  Type type = Type::kSynced;
  std::string key;           // but for SYNCED and RESET
  ObjectCache::Kept object;  // of a DELETE: the last state
  // Of a DELETE: a list no longer has it, and the last state is what was known before.
  bool is_tombstone = false;
};

class Subscription {
 public:
  // `on_ready` is called when next() had nothing and has something now, inside of the change of
  // the cache: it makes no change itself, and lets nobody go.
  Subscription(std::shared_ptr<ObjectCache> cache, std::function<void()> on_ready);
  ~Subscription();
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  std::optional<CacheMessage> next();
  // How many keys wait.
  size_t pending() const { return queue_.size(); }

 private:
  friend class ObjectCache;
  struct State;
  using States = std::unordered_map<std::string, State>;
  using Queue = std::list<States::value_type*>;
  struct State {
    bool is_told = false;     // the listener knows an object of this key
    bool is_initial = false;  // in the queue from the beginning
    Queue::iterator at;       // in the queue
    ObjectCache::Kept last;   // it is gone
    bool is_tombstone = false;
  };

  void begin_anew(bool is_reset);
  // `is_new`: the cache had none of this key.
  void on_changed(const std::string& key, bool is_new);
  void on_removed(const std::string& key, const ObjectCache::Kept& last, bool is_tombstone);
  void tell();

  State& enqueue(const std::string& key, bool is_told);
  void dequeue(States::iterator found);
  bool is_ready() const;

  const std::shared_ptr<ObjectCache> cache_;
  const std::function<void()> on_ready_;
  States states_;  // of keys that wait
  Queue queue_;    // the one that waits longest first
  size_t initial_left_ = 0;
  bool has_reset_ = false;  // to be told
  bool is_synced_ = false;  // told
  bool is_idle_ = false;    // next() had nothing
};

}  // namespace longshore::kube
