// The objects of one kind, or those of them that a selector names: each kept once, as compact
// JSON, for all who want to know.
//
//   empty ──first list──► synced ──events, lists, replies of writes──► synced
//
// A list replaces all, and what it does not have is gone. A key never goes back to an older version
// (see resource_version.h), whatever comes first: the event of a write or its reply. Only when the
// server itself has gone back, as one does whose etcd is restored, all is forgotten and taken anew;
// subscriptions hear of it as a RESET.
//
// Threads: one. Owner: the informer.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "kube/object.h"
#include "kube/watch_event.h"

namespace longshore::kube {

class Subscription;

class ObjectCache {
 public:
  // It may live longer than the cache.
  using Kept = std::shared_ptr<const Object>;

  ObjectCache() = default;
  ObjectCache(const ObjectCache&) = delete;
  ObjectCache& operator=(const ObjectCache&) = delete;

  bool is_synced() const { return !version_.empty(); }
  // The server's changes are known up to this one; empty: none.
  const std::string& version() const { return version_; }

  // For replace(): what the cache has already, if that is the same, so that a list needs no room
  // for what has not changed.
  Kept keep(Object object) const;
  void replace(const std::vector<Kept>& objects, const std::string& version);
  // False: it is older than what is known, so that the server has gone back. Only a list tells
  // what is true then.
  bool apply(WatchEvent event);
  // The object that the reply of a write has. It is no undoing of a newer event, and events of
  // older changes do not undo it. Who has a cache with a selector gives it what that selects.
  void take(Object object);

  // Null: there is none.
  Kept find(const std::string& key) const;
  size_t size() const { return objects_.size(); }
  // Of all objects that are kept because of it, also of those gone that somebody still is to hear
  // of.
  size_t bytes() const { return *bytes_; }

 private:
  friend class Subscription;
  // By the object's own key, which is there once.
  struct KeyHash {
    using is_transparent = void;  // NOLINT(*-naming)
    size_t operator()(std::string_view key) const noexcept {
      return std::hash<std::string_view>()(key);
    }
    size_t operator()(const Kept& object) const noexcept { return (*this)(object->key); }
  };
  struct KeyEqual {
    using is_transparent = void;  // NOLINT(*-naming)
    static std::string_view key_of(std::string_view key) { return key; }
    static std::string_view key_of(const Kept& object) { return object->key; }
    bool operator()(const auto& one, const auto& other) const {
      return key_of(one) == key_of(other);
    }
  };
  using Objects = std::unordered_set<Kept, KeyHash, KeyEqual>;

  Kept make_kept(Object object) const;
  bool has_gone_back(const std::vector<Kept>& objects, const std::string& version) const;
  // Answers whether there was none of this key.
  static bool set(Objects& objects, Kept object);
  void put(Object object);
  void remove(Objects::iterator found, Kept last, bool is_tombstone);
  void tell_all();

  const std::shared_ptr<std::atomic<size_t>> bytes_ = std::make_shared<std::atomic<size_t>>(0);
  std::string version_;
  Objects objects_;
  std::set<Subscription*> subscriptions_;
};

}  // namespace longshore::kube
