// Objects for tests of caches, and what a subscription tells, as short text.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kube/object_cache.h"
#include "kube/subscription.h"

namespace longshore::test {

inline kube::Object object(const std::string& key, int version, const std::string& value = {}) {
  const size_t slash = key.find('/');
  const std::string name_space =
      slash == key.npos ? "" : ",\"namespace\":\"" + key.substr(0, slash) + '"';
  const std::string number = std::to_string(version);
  return {key, number,
          R"({"kind":"Node","metadata":{"name":")" + key.substr(slash == key.npos ? 0 : slash + 1) +
              '"' + name_space + R"(,"resourceVersion":")" + number + R"("},"value":")" + value +
              "\"}"};
}

inline kube::WatchEvent changed(const std::string& key, int version) {
  return {kube::WatchEvent::Type::kChanged, object(key, version)};
}
inline kube::WatchEvent deleted(const std::string& key, int version) {
  return {kube::WatchEvent::Type::kDeleted, object(key, version)};
}
inline kube::WatchEvent bookmark(int version) {
  return {kube::WatchEvent::Type::kBookmark, {{}, std::to_string(version), {}}};
}

inline void replace(kube::ObjectCache& cache, std::vector<kube::Object> objects, int version) {
  std::vector<kube::ObjectCache::Kept> kept;
  for (kube::Object& each : objects) kept.push_back(cache.keep(std::move(each)));
  cache.replace(kept, std::to_string(version));
}

// "INITIAL a@5", "DELETE a@7", "TOMBSTONE a@5", "SYNCED", "RESET"
inline std::string text_of(const kube::CacheMessage& message) {
  using Type = kube::CacheMessage::Type;
  const auto with = [&](const std::string& name) {
    return name + ' ' + message.key + '@' + message.object->resource_version;
  };
  switch (message.type) {
    case Type::kInitial:
      return with("INITIAL");
    case Type::kSynced:
      return "SYNCED";
    case Type::kUpsert:
      return with("UPSERT");
    case Type::kDelete:
      return with(message.is_tombstone ? "TOMBSTONE" : "DELETE");
    case Type::kReset:
      return "RESET";
  }
  return {};
}

// All that it has to tell now.
inline std::vector<std::string> heard(kube::Subscription& subscription) {
  std::vector<std::string> texts;
  while (const auto message = subscription.next()) texts.push_back(text_of(*message));
  return texts;
}

}  // namespace longshore::test
