#include "kube/object_cache.h"

#include <utility>

#include "kube/resource_version.h"
#include "kube/subscription.h"

namespace longshore::kube {

namespace {

size_t size_of(const Object& object) {
  return sizeof(Object) + object.key.size() + object.resource_version.size() + object.json.size();
}

// An object whose size is in a sum for as long as it is there.
struct CountedObject : Object {
  CountedObject(Object object, std::shared_ptr<std::atomic<size_t>> sum)
      : Object(std::move(object)), bytes(std::move(sum)) {
    *bytes += size_of(*this);
  }
  ~CountedObject() { *bytes -= size_of(*this); }
  CountedObject(const CountedObject&) = delete;
  CountedObject& operator=(const CountedObject&) = delete;

  const std::shared_ptr<std::atomic<size_t>> bytes;
};

}  // namespace

ObjectCache::Kept ObjectCache::make_kept(Object object) const {
  return std::make_shared<const CountedObject>(std::move(object), bytes_);
}

ObjectCache::Kept ObjectCache::keep(Object object) const {
  Kept known = find(object.key);
  return known && *known == object ? known : make_kept(std::move(object));
}

ObjectCache::Kept ObjectCache::find(const std::string& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : *found;
}

bool ObjectCache::has_gone_back(const std::vector<Kept>& objects,
                                const std::string& version) const {
  if (is_newer(version_, version)) return true;
  // It may have gone back and be past that version again.
  for (const Kept& object : objects) {
    const Kept known = find(object->key);
    if (known && is_newer(known->resource_version, object->resource_version) &&
        !is_newer(known->resource_version, version)) {
      return true;
    }
  }
  return false;
}

void ObjectCache::replace(const std::vector<Kept>& objects, const std::string& version) {
  const bool is_reset = has_gone_back(objects, version);
  const bool is_first = !is_synced();
  Objects before = std::exchange(objects_, {});
  objects_.reserve(objects.size());
  for (const Kept& object : objects) set(objects_, object);
  if (!is_reset) {
    // Replies of writes that the list is too old for.
    for (const Kept& object : before) {
      if (is_newer(object->resource_version, version)) set(objects_, object);
    }
  }
  version_ = version;
  for (Subscription* each : subscriptions_) {
    if (is_reset || is_first) {
      each->begin_anew(is_reset);
      continue;
    }
    for (const Kept& object : objects_) {
      const auto known = before.find(object);
      const bool is_new = known == before.end();
      if (is_new || **known != *object) each->on_changed(object->key, is_new);
    }
    for (const Kept& object : before) {
      if (!objects_.contains(object)) each->on_removed(object->key, object, true);
    }
  }
  tell_all();
}

bool ObjectCache::apply(WatchEvent event) {
  Object& object = event.object;
  if (is_newer(version_, object.resource_version)) return false;
  version_ = object.resource_version;
  if (event.type == WatchEvent::Type::kBookmark) return true;
  const auto found = objects_.find(object.key);
  if (found != objects_.end()) {
    const auto order = compare_versions(object.resource_version, (*found)->resource_version);
    // The reply of a write was faster.
    if (order && *order <= 0) return true;
  }
  if (event.type == WatchEvent::Type::kChanged) {
    put(std::move(object));
  } else if (found != objects_.end()) {
    remove(found, make_kept(std::move(object)), false);
  }
  tell_all();
  return true;
}

void ObjectCache::take(Object object) {
  // Without an order the watch alone is heard. Where it has been further, it has brought this
  // change, and perhaps that the object is gone.
  if (!is_newer(object.resource_version, version_)) return;
  const Kept known = find(object.key);
  if (known && !is_newer(object.resource_version, known->resource_version)) return;
  put(std::move(object));
  tell_all();
}

bool ObjectCache::set(Objects& objects, Kept object) {
  const bool is_new = objects.erase(object) == 0;
  objects.insert(std::move(object));
  return is_new;
}

void ObjectCache::put(Object object) {
  const Kept kept = make_kept(std::move(object));
  const bool is_new = set(objects_, kept);
  for (Subscription* each : subscriptions_) each->on_changed(kept->key, is_new);
}

void ObjectCache::remove(Objects::iterator found, Kept last, bool is_tombstone) {
  const auto removed = objects_.extract(found);
  const std::string& key = removed.value()->key;
  for (Subscription* each : subscriptions_) each->on_removed(key, last, is_tombstone);
}

void ObjectCache::tell_all() {
  for (Subscription* each : subscriptions_) each->tell();
}

}  // namespace longshore::kube
