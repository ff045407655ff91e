// An API server in memory: objects of one kind, lists in pages, watches, expiry, a backup that it
// is restored from. It answers when the test lets it, and fails by chance.
//
// Threads: one. Owner: the test.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "kube/api_access.h"
#include "tests/unit/kube/cached_objects.h"

namespace longshore::test {

class ModelServer final : public kube::ApiAccess {
 public:
  explicit ModelServer(std::mt19937_64& chance) : chance_(chance) {}

  // Something is made, changed or deleted. The reply of a write; nothing of a deletion.
  std::optional<kube::Object> change();
  // Versions before now, and lists that have begun, are forgotten.
  void expire();
  void back_up();
  // To the last backup. Those who watch hear nothing of it.
  void restore();
  // And the client has read no whole list since.
  bool is_restored() const { return is_restored_; }

  // Does one thing for one call: answers, brings an event, ends it, and fails now and then.
  void serve(bool may_fail);

  std::shared_ptr<kube::Call> request(kube::Request request,
                                      std::function<void(kube::Outcome)> on_done) override;
  std::shared_ptr<kube::Call> watch(kube::Watch watch) override;

  const std::map<std::string, kube::Object>& objects() const { return state_.objects; }
  int version() const { return state_.version; }
  // Of all objects that it ever had.
  const std::set<std::string>& keys() const { return keys_; }
  // Whether it ever had this state of an object, also as the last of a deleted one.
  bool had(const kube::Object& object) const { return all_.contains(object.json); }
  // Whether the object was deleted behind that version.
  bool has_deleted(const std::string& key, int version) const;

 private:
  struct Pending;
  struct State {
    int version = 1;
    std::map<std::string, kube::Object> objects;
    std::map<int, kube::WatchEvent> changes;  // by version
    std::map<std::string, int> deletions;     // the last of each key
  };
  struct Rest {  // of a list
    int version = 0;
    std::vector<kube::Object> objects;
  };

  int below(int end) { return std::uniform_int_distribution<>(0, end - 1)(chance_); }
  kube::Object next_state(const std::string& key);
  void end(const std::shared_ptr<Pending>& pending, kube::Outcome outcome);
  void serve_list(const std::shared_ptr<Pending>& pending, bool may_fail);
  void serve_watch(const std::shared_ptr<Pending>& pending, bool may_fail);

  std::mt19937_64& chance_;
  State state_;
  State backup_;
  int oldest_ = 1;  // that a watch can begin at
  // The client has no list of this server since it was restored: it cannot know what to watch from.
  bool is_restored_ = false;
  int tokens_ = 0;
  std::map<std::string, Rest> rests_;  // by token
  std::set<std::string> all_;          // the JSON of each state
  std::set<std::string> keys_;
  std::vector<std::shared_ptr<Pending>> pending_;
};

}  // namespace longshore::test
