#include "kube/object_cache.h"

#include <utility>

#include "kube/resource_version.h"
#include "kube/subscription.h"

namespace longshore::kube {

ObjectCache::Kept ObjectCache::make_kept(Object object) const {
  const size_t size =
      sizeof(Object) + object.key.size() + object.resource_version.size() + object.json.size();
  *bytes_ += size;
  return {new Object(std::move(object)), [bytes = bytes_, size](const Object* gone) {
            *bytes -= size;
            delete gone;
          }};
}

ObjectCache::Kept ObjectCache::keep(Object object) const {
  Kept known = find(object.key);
  return known && *known == object ? known : make_kept(std::move(object));
}

ObjectCache::Kept ObjectCache::find(const std::string& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
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
  for (const Kept& object : objects) objects_.insert_or_assign(object->key, object);
  if (!is_reset) {
    // Replies of writes that the list is too old for.
    for (const auto& [key, object] : before) {
      if (is_newer(object->resource_version, version)) objects_.insert_or_assign(key, object);
    }
  }
  version_ = version;
  for (Subscription* each : subscriptions_) {
    if (is_reset || is_first) {
      each->begin_anew(is_reset);
      continue;
    }
    for (const auto& [key, object] : objects_) {
      const auto known = before.find(key);
      if (known == before.end() || *known->second != *object) each->on_changed(key);
    }
    for (const auto& [key, object] : before) {
      if (!objects_.contains(key)) each->on_removed(key, object, true);
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
    const auto order = compare_versions(object.resource_version, found->second->resource_version);
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

void ObjectCache::put(Object object) {
  const std::string key = object.key;
  objects_.insert_or_assign(key, make_kept(std::move(object)));
  for (Subscription* each : subscriptions_) each->on_changed(key);
}

void ObjectCache::remove(Objects::iterator found, Kept last, bool is_tombstone) {
  const std::string key = found->first;
  objects_.erase(found);
  for (Subscription* each : subscriptions_) each->on_removed(key, last, is_tombstone);
}

void ObjectCache::tell_all() {
  for (Subscription* each : subscriptions_) each->tell();
}

}  // namespace longshore::kube
