// What a watch has told of the objects of one kind, and what the attacher itself has written of
// them since. Its own writes are known here before the watch tells of them, and no older state
// comes after a newer one: so nothing is decided by what the attacher has changed already.
//
// Threads: one at a time. Owner: who has the watch.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/host/kube.pb.h"
#include "longshore/kube/object_metadata.hpp"
#include "longshore/result.hpp"

namespace longshore::external_attacher {

template <typename Object>
class WatchedObjects {
 public:
  using Parse = Result<Object> (*)(std::string_view json);
  // Nothing before: it is new. Nothing now: it is gone.
  struct Change {
    std::optional<Object> before;
    std::optional<Object> now;
  };

  explicit WatchedObjects(Parse parse) : parse_(parse) {}

  // A watch begins: all is told anew, and what is not told by its SYNCED is gone.
  void begin() {
    told_.clear();
    is_telling_ = true;
    // The server may have gone back.
    for (auto& [key, entry] : entries_) entry.version.clear();
  }

  // An error: the object is none, and what was known of it stays.
  Result<std::vector<Change>> hear(const host::v1::KubeEvent& event) {
    using Event = host::v1::KubeEvent;
    std::vector<Change> changes;
    if (event.type() == Event::TYPE_RESET) {
      begin();
    } else if (event.type() == Event::TYPE_SYNCED) {
      end_of_telling(changes);
    } else if (event.type() == Event::TYPE_DELETE) {
      erase(entries_.find(event.key()), changes);
    } else if (event.type() == Event::TYPE_INITIAL || event.type() == Event::TYPE_UPSERT) {
      if (is_telling_) told_.insert(event.key());
      auto object = parse_(event.object());
      if (!object) return std::move(object).error();
      put(*std::move(object), changes);
    }
    return changes;
  }

  // What the server has answered to a write. Answers it. What has been told to be gone stays so.
  Result<Object> wrote(std::string_view json) {
    auto object = parse_(json);
    std::vector<Change> changes;
    if (object && entries_.contains(object->metadata.name)) put(*object, changes);
    return object;
  }
  // The same where the write was the object's end; the watch will tell of that too.
  void removed(const Object& object) {
    const auto found = entries_.find(object.metadata.name);
    if (found != entries_.end()) found->second.is_gone = true;
  }

  bool is_synced() const { return is_synced_; }
  const Object* find(const std::string& name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() || found->second.is_gone ? nullptr : &found->second.object;
  }
  void each(const std::function<void(const Object&)>& take) const {
    for (const auto& [name, entry] : entries_) {
      if (!entry.is_gone) take(entry.object);
    }
  }

 private:
  struct Entry {
    Object object;
    std::string version;  // what is not newer than it is no news; empty: all is
    bool is_gone = false;
  };
  using Entries = std::map<std::string, Entry>;

  void put(Object object, std::vector<Change>& changes) {
    const auto found = entries_.find(object.metadata.name);
    if (found == entries_.end()) {
      const std::string version = object.metadata.resource_version;
      changes.push_back({std::nullopt, object});
      const std::string name = object.metadata.name;
      entries_.emplace(name, Entry{std::move(object), version});
      return;
    }
    Entry& entry = found->second;
    if (!kubernetes::is_newer(object.metadata.resource_version, entry.version)) return;
    Change change{std::nullopt, object};
    if (!entry.is_gone) change.before = std::move(entry.object);
    entry = Entry{std::move(object), change.now->metadata.resource_version};
    changes.push_back(std::move(change));
  }

  void erase(typename Entries::iterator found, std::vector<Change>& changes) {
    if (found == entries_.end()) return;
    changes.push_back({std::move(found->second.object), std::nullopt});
    entries_.erase(found);
  }

  void end_of_telling(std::vector<Change>& changes) {
    is_synced_ = true;
    is_telling_ = false;
    for (auto next = entries_.begin(); next != entries_.end();) {
      const auto entry = next++;
      if (!told_.contains(entry->first)) erase(entry, changes);
    }
    told_.clear();
  }

  const Parse parse_;
  Entries entries_;             // by name
  std::set<std::string> told_;  // since the beginning
  bool is_telling_ = false;
  bool is_synced_ = false;
};

}  // namespace longshore::external_attacher
