// Informers that are shared, and end with the last who has them.
#include "kube/informers.h"

#include <catch2/catch.hpp>

#include "kube/subscription.h"
#include "tests/unit/kube/manual_access.h"

namespace longshore::kube {
namespace {

const Selection kNodes{"/api/v1/nodes", "", ""};

struct World {
  test::ManualAccess access;
  test::ManualTiming timing;
  Informers informers{access, timing};
};

TEST_CASE("Whoever asks for the same objects has the same informer, and for others another") {
  World world;
  const auto one = world.informers.find(kNodes);
  CHECK(world.informers.find(kNodes) == one);
  CHECK(world.access.running.size() == 1);
  const auto other = world.informers.find({kNodes.path, "app=a", ""});
  const auto third = world.informers.find({kNodes.path, "", "app=a"});
  CHECK(other != one);
  CHECK(third != other);
  CHECK(world.access.running.size() == 3);
  CHECK(world.informers.all().size() == 3);
  CHECK(world.informers.all().at(kNodes) == one);
}

TEST_CASE("An informer ends with the last who has it, be it a subscription, and is made anew") {
  World world;
  auto informer = world.informers.find(kNodes);
  auto subscription = std::make_unique<Subscription>(cache_of(informer), [] {});
  const auto list = world.access.running.at(0);
  informer.reset();
  CHECK_FALSE(list->is_cancelled);
  CHECK(world.informers.all().size() == 1);
  subscription.reset();
  CHECK(list->is_cancelled);
  CHECK(world.informers.all().empty());
  informer = world.informers.find(kNodes);
  CHECK(world.access.running.size() == 2);
  CHECK_FALSE(world.access.running.at(1)->is_cancelled);
  world.access.end(list, Response{});
  CHECK_FALSE(informer->cache().is_synced());
}

}  // namespace
}  // namespace longshore::kube
