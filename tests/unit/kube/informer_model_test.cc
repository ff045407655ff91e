// Informers before a model of an API server, through random changes, failures, expiry and restored
// backups: what subscribers hear is true at each step, and complete in the end.
#include <catch2/catch.hpp>
#include <memory>

#include "kube/informers.h"
#include "kube/subscription.h"
#include "tests/support/random_seed.h"
#include "tests/unit/kube/manual_access.h"
#include "tests/unit/kube/model_server.h"

namespace longshore::kube {
namespace {

using test::ModelServer;
using Type = CacheMessage::Type;

int number_of(const Object& object) { return std::stoi(object.resource_version); }

// What one has heard, checked as it comes.
class Listener {
 public:
  Listener(const ModelServer& server, const std::shared_ptr<Informer>& informer, bool has_restores)
      : server_(server),
        has_restores_(has_restores),
        cache_(cache_of(informer)),
        subscription_(cache_, [this] { ++calls_; }) {}

  // Takes one message; false: there was none.
  bool hear() {
    const int calls = calls_;
    const auto message = subscription_.next();
    // Whoever waits until it is called misses nothing.
    if (was_idle_ && message) REQUIRE(calls > 0);
    calls_ = 0;
    was_idle_ = !message;
    if (message) take(*message);
    REQUIRE(subscription_.pending() <= cache_->size() + view_.size());
    return message.has_value();
  }

  bool is_synced() const { return is_synced_; }
  const std::map<std::string, Object>& view() const { return view_; }

 private:
  void take(const CacheMessage& message) {
    const auto known = view_.find(message.key);
    switch (message.type) {
      case Type::kInitial:
      case Type::kUpsert:
        REQUIRE((message.type == Type::kUpsert) == is_synced_);
        check_object(message);
        view_[message.key] = *message.object;
        return;
      case Type::kDelete:
        REQUIRE(is_synced_);
        REQUIRE(known != view_.end());
        check_object(message);
        if (!has_restores_) {
          REQUIRE(server_.has_deleted(message.key, number_of(known->second)));
        }
        view_.erase(known);
        if (has_restores_) last_.erase(message.key);
        return;
      case Type::kSynced:
        REQUIRE_FALSE(is_synced_);
        is_synced_ = true;
        return;
      case Type::kReset:
        REQUIRE(has_restores_);
        is_synced_ = false;
        view_.clear();
        last_.clear();
        return;
    }
  }

  // It is one that there was, and no older one than before.
  void check_object(const CacheMessage& message) {
    REQUIRE(message.object);
    REQUIRE(message.object->key == message.key);
    REQUIRE(server_.had(*message.object));
    int& last = last_[message.key];
    REQUIRE(number_of(*message.object) >= last);
    last = number_of(*message.object);
  }

  const ModelServer& server_;
  const bool has_restores_;
  const std::shared_ptr<ObjectCache> cache_;
  int calls_ = 0;
  bool was_idle_ = false;
  bool is_synced_ = false;
  std::map<std::string, Object> view_;
  std::map<std::string, int> last_;  // the version heard last, also of what is deleted
  Subscription subscription_;        // last: it calls
};

class Run {
 public:
  Run(uint64_t seed, bool has_restores)
      : chance_(seed), has_restores_(has_restores), server_(chance_) {
    timing_.chance = [this] { return std::uniform_real_distribution<>()(chance_); };
    informer_ = informers_.find({"/api/v1/nodes", "", ""});
    for (auto& each : listeners_) each = listener();
  }

  void step() {
    do_something();
    if (!has_restores_) check_cache();
  }
  // Nothing fails any more: all becomes known.
  void settle() {
    for (int i = 0; i < 10'000 && !is_settled(); ++i) {
      server_.serve(false);
      fire();
    }
    REQUIRE(is_settled());
    while (!replies_.empty()) take_reply();
    CHECK_FALSE(informer_->state().behind_since);
    for (const auto& each : listeners_) {
      while (each->hear()) {
      }
      REQUIRE(each->is_synced());
      check_same(each->view());
    }
    size_t bytes = 0;
    for (const auto& [key, object] : server_.objects()) {
      const auto kept = informer_->cache().find(key);
      REQUIRE(kept);
      REQUIRE(*kept == object);
      bytes += sizeof(Object) + key.size() + object.resource_version.size() + object.json.size();
    }
    CHECK(informer_->cache().size() == server_.objects().size());
    CHECK(informer_->cache().bytes() == bytes);
  }

 private:
  int below(int end) { return std::uniform_int_distribution<>(0, end - 1)(chance_); }

  void do_something() {
    switch (const int choice = below(100); choice) {
      case 0:
        return server_.expire();
      case 1:
        return server_.back_up();
      case 2:
        // A write's reply of the time before would be a state that never was.
        if (!has_restores_ || below(4) != 0 || has_written_through()) return;
        replies_.clear();
        newest_taken_ = 0;
        return server_.restore();
      case 3:
        listeners_[static_cast<size_t>(below(2))] = listener();
        return;
      default:
        if (choice < 35) return write();
        if (choice < 80) return server_.serve(true);
        if (choice < 85) return fire();
        if (choice < 90) return take_reply();
        listeners_[choice < 98 ? 0 : 1]->hear();  // one is slow
    }
  }

  std::unique_ptr<Listener> listener() {
    return std::make_unique<Listener>(server_, informer_, has_restores_);
  }

  // What is known of a key is never older than what was known before, nor gone without its end.
  void check_cache() {
    for (const std::string& key : server_.keys()) {
      const auto kept = informer_->cache().find(key);
      int& version = known_[key];
      if (kept) {
        REQUIRE(number_of(*kept) >= version);
        version = number_of(*kept);
      } else if (version > 0) {
        REQUIRE(server_.has_deleted(key, version));
      }
    }
  }

  void write() {
    if (auto reply = server_.change()) replies_.push_back(*reply);
    if (replies_.size() > 5) replies_.erase(replies_.begin());
  }

  // Replies come in any order, some before their event and some behind.
  void take_reply() {
    if (replies_.empty()) return;
    const auto at = replies_.begin() + below(static_cast<int>(replies_.size()));
    newest_taken_ = std::max(newest_taken_, std::stoi(at->resource_version));
    informer_->cache().take(*at);
    replies_.erase(at);
  }

  // The cache has what the watch has not brought yet.
  bool has_written_through() const {
    return newest_taken_ > std::stoi("0" + informer_->cache().version());
  }

  void fire() {
    const auto waiting = timing_.waiting();
    if (!waiting.empty()) timing_.fire(waiting[0]);
  }

  bool is_settled() const {
    return informer_->cache().version() == std::to_string(server_.version()) &&
           !server_.is_restored() && !informer_->state().behind_since;
  }

  void check_same(const std::map<std::string, Object>& view) const {
    REQUIRE(view.size() == server_.objects().size());
    for (const auto& [key, object] : server_.objects()) {
      REQUIRE(view.contains(key));
      REQUIRE(view.at(key) == object);
    }
  }

  std::mt19937_64 chance_;
  const bool has_restores_;
  ModelServer server_;
  test::ManualTiming timing_;
  Informers informers_{server_, timing_};
  std::shared_ptr<Informer> informer_;
  std::vector<Object> replies_;  // on their way
  int newest_taken_ = 0;
  std::map<std::string, int> known_;  // by the cache, of each key
  std::unique_ptr<Listener> listeners_[2];
};

void run(int events) {
  const uint64_t seed = test::random_seed();
  for (const bool has_restores : {false, true}) {
    Run run(seed, has_restores);
    for (int i = 0; i < events; ++i) {
      run.step();
      if (i % 1000 == 999) run.settle();
    }
    run.settle();
  }
}

TEST_CASE("Subscribers of an informer hear the truth through 2,000 random events") { run(2'000); }

TEST_CASE("Subscribers of an informer hear the truth through 100,000 random events", "[thorough]") {
  run(100'000);
}

}  // namespace
}  // namespace longshore::kube
