// What subscribers of a cache hear: the latest, once, in order, and of nothing that they do not
// know.
#include "kube/subscription.h"

#include <catch2/catch.hpp>

#include "tests/unit/kube/cached_objects.h"

namespace longshore::kube {
namespace {

using test::changed;
using test::deleted;
using test::heard;
using test::object;
using test::replace;
using Texts = std::vector<std::string>;

struct Listening {
  std::shared_ptr<ObjectCache> cache = std::make_shared<ObjectCache>();
  int calls = 0;
  std::unique_ptr<Subscription> subscription;

  void subscribe() {
    subscription = std::make_unique<Subscription>(cache, [this] { ++calls; });
  }
  Texts hear() { return heard(*subscription); }
};

TEST_CASE("A subscriber hears what is there, that this was all, and then changes") {
  Listening all;
  const bool is_early = GENERATE(false, true);
  if (is_early) {
    all.subscribe();
    CHECK(all.hear().empty());
  }
  replace(*all.cache, {object("a", 3)}, 10);
  if (!is_early) all.subscribe();
  CHECK(all.calls == (is_early ? 1 : 0));
  CHECK(all.hear() == Texts{"INITIAL a@3", "SYNCED"});
  all.cache->apply(changed("b", 11));
  all.cache->apply(changed("a", 12));
  all.cache->apply(deleted("b", 13));
  all.cache->apply(deleted("a", 14));
  CHECK(all.hear() == Texts{"DELETE a@14"});
  all.cache->take(object("c", 15));
  CHECK(all.hear() == Texts{"UPSERT c@15"});
}

TEST_CASE("A subscriber of nothing is synced, once there is a list") {
  Listening all;
  all.subscribe();
  CHECK(all.hear().empty());
  replace(*all.cache, {}, 1);
  CHECK(all.calls == 1);
  CHECK(all.hear() == Texts{"SYNCED"});
}

TEST_CASE("It is called once for all that comes until it has heard it") {
  Listening all;
  replace(*all.cache, {}, 1);
  all.subscribe();
  all.cache->apply(changed("a", 2));
  CHECK(all.calls == 0);  // it has not asked yet
  CHECK(all.hear() == Texts{"SYNCED", "UPSERT a@2"});
  all.cache->apply(changed("a", 3));
  all.cache->apply(changed("b", 4));
  CHECK(all.calls == 1);
  REQUIRE(all.subscription->next());
  all.cache->apply(changed("c", 5));
  CHECK(all.calls == 1);
  CHECK(all.hear() == Texts{"UPSERT b@4", "UPSERT c@5"});
  all.cache->apply(test::bookmark(6));
  all.cache->apply(deleted("never", 7));
  CHECK(all.calls == 1);
}

TEST_CASE("A slow subscriber hears the latest state of each key once, the oldest wait first") {
  Listening all;
  replace(*all.cache, {object("a", 3)}, 10);
  all.subscribe();
  all.hear();
  for (int version = 11; version < 1000; version += 2) {
    all.cache->apply(changed("b", version));
    all.cache->apply(changed("a", version + 1));
  }
  CHECK(all.subscription->pending() == 2);
  CHECK(all.hear() == Texts{"UPSERT b@999", "UPSERT a@1000"});
}

TEST_CASE("Objects that come and go unheard leave nothing to hear, and take no room") {
  Listening all;
  replace(*all.cache, {}, 1);
  all.subscribe();
  all.hear();
  for (int i = 1; i < 1000; ++i) {
    all.cache->apply(changed("n" + std::to_string(i), 2 * i));
    all.cache->apply(deleted("n" + std::to_string(i), 2 * i + 1));
  }
  CHECK(all.subscription->pending() == 0);
  CHECK(all.cache->bytes() == 0);
  CHECK(all.hear().empty());
}

TEST_CASE("An object that is made again before its end was heard is one change") {
  Listening all;
  replace(*all.cache, {object("a", 3)}, 10);
  all.subscribe();
  all.hear();
  all.cache->apply(deleted("a", 11));
  all.cache->apply(changed("a", 12));
  CHECK(all.hear() == Texts{"UPSERT a@12"});
}

TEST_CASE("What changes or goes before it was told as INITIAL is told as it is then, or not") {
  Listening all;
  replace(*all.cache, {object("a", 3), object("b", 4), object("c", 5)}, 10);
  all.subscribe();
  const std::string first = test::text_of(*all.subscription->next());
  const std::string key = first.substr(std::string("INITIAL ").size(), 1);
  const std::string other = key == "a" ? "b" : "a", third = key == "c" ? "b" : "c";
  all.cache->apply(deleted(other, 11));
  all.cache->apply(changed(third, 12));
  all.cache->apply(deleted(key, 13));
  all.cache->apply(changed("d", 14));
  CHECK(all.hear() ==
        Texts{"INITIAL " + third + "@12", "SYNCED", "DELETE " + key + "@13", "UPSERT d@14"});
}

TEST_CASE(
    "What a new list lacks is told with the state that was known, and what it has not changed "
    "is not") {
  Listening all;
  replace(*all.cache, {object("a", 3), object("b", 4), object("c", 5)}, 10);
  all.subscribe();
  all.hear();
  replace(*all.cache, {object("a", 3), object("c", 12)}, 20);
  Texts texts = all.hear();
  CHECK(texts == Texts{"UPSERT c@12", "TOMBSTONE b@4"});
  CHECK(all.calls == 1);
}

TEST_CASE("When the server has gone back subscribers forget all and begin anew") {
  Listening all;
  replace(*all.cache, {object("a", 30), object("b", 40)}, 100);
  all.subscribe();
  all.hear();
  all.cache->apply(deleted("b", 101));
  replace(*all.cache, {object("a", 20)}, 50);
  replace(*all.cache, {object("a", 20)}, 40);
  CHECK(all.hear() == Texts{"RESET", "INITIAL a@20", "SYNCED"});
  all.cache->apply(changed("a", 51));
  CHECK(all.hear() == Texts{"UPSERT a@51"});
}

TEST_CASE("A subscriber goes at any time, and others hear on") {
  Listening one;
  replace(*one.cache, {object("a", 3)}, 10);
  one.subscribe();
  {
    const Subscription other(one.cache, [] { FAIL("nobody asked"); });
    one.cache->apply(changed("a", 11));
  }
  one.cache->apply(changed("b", 12));
  CHECK(one.hear() == Texts{"INITIAL a@11", "SYNCED", "UPSERT b@12"});
}

}  // namespace
}  // namespace longshore::kube
