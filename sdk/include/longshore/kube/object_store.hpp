// What a watch has told of the objects of one resource, and what the controller itself has written
// of them since: the store of client-go's informers, with the own writes as well.
//
// Own writes are known here before the watch tells of them, and no older state comes after a newer
// one: so nothing is decided by what the controller has changed already. The answer to a write may
// hold what somebody else changed just before. So the watch's own news of that state is a change
// still, against what was told last. Where resource versions have no order the watch alone is
// heard, in its own. When the watch begins anew, what is not told until its SYNCED is gone
// (client-go's Replace).
//
// `Object` is what a controller reads of an object: a struct with an ObjectMetadata `metadata` and
// ==. Objects in the store are never changed; who has one keeps it as it was.
//
// Threads: one at a time. Owner: the Informer.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/host/kube.pb.h"
#include "longshore/kube/object_metadata.hpp"
#include "longshore/result.hpp"

namespace longshore::kubernetes {

template <std::equality_comparable Object>
class ObjectStore {
 public:
  // What the store has of an object; null: nothing.
  using Known = std::shared_ptr<const Object>;
  // An error says what is wrong with the object.
  using Reader = std::function<Result<Object>(std::string_view json)>;
  // Nothing before: it is new. Nothing now: it is gone.
  struct Change {
    std::string key;  // "namespace/name", or "name" where there are no namespaces
    Known before;     // as the last change had it; of what is gone, as it was known
    Known now;
  };

  explicit ObjectStore(Reader reader) : reader_(std::move(reader)) {}

  // A watch begins: all is told anew.
  void begin() {
    for (auto& [key, entry] : entries_) {
      entry.is_told = false;
      entry.has_version = false;  // the server may have gone back
    }
  }

  // An error: the reader refuses the object, and what was known of it stays.
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
      const auto known = entries_.find(event.key());
      if (known != entries_.end()) known->second.is_told = true;  // also where it is refused
      auto object = reader_(event.object());
      if (!object) return std::move(object).error();
      put(event.key(), std::make_shared<const Object>(*std::move(object)), changes);
    }
    return changes;
  }

  // What the server has answered to a write. Answers it. What has been told to be gone stays so,
  // and all stays as it is where the answer is not known to be newer. An error: the reader refuses
  // it.
  Result<Object> wrote(std::string_view json) {
    auto object = reader_(json);
    if (!object) return object;
    const auto found = entries_.find(object->metadata.key());
    if (found == entries_.end()) return object;
    Entry& entry = found->second;
    const std::string& version = object->metadata.resource_version;
    if (!is_newer(version, version_of(entry))) return object;
    entry.known = std::make_shared<const Object>(*object);
    if (entry.is_gone) entry.told = nullptr;
    entry.has_version = true;
    entry.is_gone = false;
    return object;
  }
  // A write was the object's end; the watch will tell of that too.
  void removed(const std::string& key) {
    const auto found = entries_.find(key);
    if (found != entries_.end()) found->second.is_gone = true;
  }

  Known find(const std::string& key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() || found->second.is_gone ? nullptr : found->second.known;
  }
  std::vector<Known> all() const {
    std::vector<Known> objects;
    for (const auto& [key, entry] : entries_) {
      if (!entry.is_gone) objects.push_back(entry.known);
    }
    return objects;
  }

 private:
  struct Entry {
    Known known;               // own writes too
    Known told;                // by the last change; null: it was gone
    bool has_version = false;  // what is older than `known` is no news
    bool is_gone = false;
    bool is_told = true;  // since the beginning
  };
  using Entries = std::map<std::string, Entry>;

  // Empty: nothing is older.
  static std::string_view version_of(const Entry& entry) {
    return entry.has_version ? std::string_view(entry.known->metadata.resource_version)
                             : std::string_view();
  }

  void put(const std::string& key, const Known& now, std::vector<Change>& changes) {
    Entry& entry = entries_[key];
    const std::string& version = now->metadata.resource_version;
    if (is_newer(version_of(entry), version)) return;
    if (entry.is_gone && version_of(entry) == version) return;
    Known before = entry.is_gone ? nullptr : std::move(entry.told);
    if (before && *before == *now) {
      if (*entry.known == *now) {  // it is told anew
        entry.known = entry.told = now;
        entry.has_version = true;
        return;
      }
      before = std::move(entry.known);  // an own write that the server has lost
    }
    changes.push_back({key, std::move(before), now});
    entry = {.known = now, .told = now, .has_version = true};
  }

  void erase(typename Entries::iterator found, std::vector<Change>& changes) {
    if (found == entries_.end()) return;
    changes.push_back({found->first, std::move(found->second.known), nullptr});
    entries_.erase(found);
  }

  void end_of_telling(std::vector<Change>& changes) {
    for (auto next = entries_.begin(); next != entries_.end();) {
      const auto entry = next++;
      if (!entry->second.is_told) erase(entry, changes);
    }
  }

  const Reader reader_;
  Entries entries_;
};

}  // namespace longshore::kubernetes
