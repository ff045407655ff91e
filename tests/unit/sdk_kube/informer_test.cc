// The informer in the fake host, whose API server says what the test has it say.
#include "longshore/kube/informer.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/testing/fake_host.hpp"
#include "tests/unit/sdk_kube/node_objects.h"
#include "tests/unit/sdk_testing/liar.h"

namespace longshore::kubernetes {
namespace {

using namespace std::chrono_literals;
using host::v1::KubeEvent;
using Texts = std::vector<std::string>;
using Events = std::vector<KubeEvent>;

constexpr const char* kWatch = "longshore.host.v1.Kube/Watch";

// An instance that follows nodes. Each watch tells `events`, and ends.
struct World {
  World() {
    REQUIRE(host.start().ok());
    host.answer_stream<host::v1::KubeWatchRequest>(
        kWatch, [this](const host::v1::KubeWatchRequest& request) -> Result<Events> {
          path = request.path();
          if (refusal) return *refusal;
          return events;
        });
    nodes.emplace(liar.host, "Nodes", &read_node,
                  [this](std::string_view reason) { reasons.emplace_back(reason); });
  }

  void start() {
    nodes->start(
        watch_request("/api/v1/nodes"),
        [this](const Informer<Node>::Change& change) {
          told.push_back(change.key + ':' + (change.before ? change.before->id : "") + '>' +
                         (change.now ? change.now->id : ""));
          // What it hears of is in the store already, and no lock is held.
          CHECK(nodes->find(change.key) == change.now);
          CHECK_FALSE((nodes->has_synced() && is_first));
        },
        [this] {
          CHECK(nodes->has_synced());
          is_first = false;
          told.push_back("synced");
        });
  }
  // The watch begins anew.
  Texts again(Events now) {
    events = std::move(now);
    told.clear();
    host.advance(1min);
    return told;
  }

  testing::Liar liar;
  testing::FakeHost host{liar.entry()};
  Events events;
  std::optional<Error> refusal;
  std::string path;
  Texts reasons;  // to be degraded
  Texts told;
  bool is_first = true;
  std::optional<Informer<Node>> nodes;
};

KubeEvent initial(const std::string& name, const std::string& version, const std::string& id) {
  return event(KubeEvent::TYPE_INITIAL, name, node(name, version, id));
}
KubeEvent synced() { return event(KubeEvent::TYPE_SYNCED); }

TEST_CASE("An informer tells what there is, that this was all, and what changes") {
  World world;
  world.events = {initial("n", "8", "a"), initial("m", "9", "b"), synced(),
                  event(KubeEvent::TYPE_UPSERT, "n", node("n", "10", "c")),
                  event(KubeEvent::TYPE_DELETE, "m", node("m", "11", "b"))};
  CHECK_FALSE(world.nodes->has_synced());
  world.start();
  CHECK(world.path == "/api/v1/nodes");
  CHECK(world.told == Texts{"n:>a", "m:>b", "synced", "n:a>c", "m:b>"});
  CHECK(world.nodes->find("n")->id == "c");
  CHECK(world.nodes->all().size() == 1);
}

TEST_CASE("An informer whose stream begins anew tells what is different") {
  World world;
  world.events = {initial("n", "8", "a"), initial("m", "9", "b"), synced()};
  world.start();
  CHECK(world.reasons == Texts{"the watch of Nodes is lost: it ended"});
  CHECK(world.again({initial("n", "8", "a"), initial("k", "12", "d"), synced()}) ==
        Texts{"k:>d", "m:b>"});
  CHECK(world.nodes->has_synced());
}

TEST_CASE("An informer says while the API server is not reached, and keeps what it knows") {
  World world;
  KubeEvent behind = event(KubeEvent::TYPE_BEHIND);
  behind.set_cause("Connection refused");
  world.events = {initial("n", "8", "a"), synced(), behind, event(KubeEvent::TYPE_CURRENT), behind};
  world.start();
  const std::string waits = "waits for the API server: Connection refused";
  CHECK(world.reasons == Texts{waits, "", waits, "the watch of Nodes is lost: it ended"});
  CHECK(world.told == Texts{"n:>a", "synced"});
  CHECK(world.nodes->find("n"));
}

TEST_CASE("An informer that is not allowed to watch says so, knows nothing, and goes on trying") {
  World world;
  world.refusal = Error(StatusCode::kPermissionDenied, "watch").because("no grant");
  world.events = {initial("n", "8", "a"), synced()};
  world.start();
  CHECK_THAT(world.reasons.back(),
             Catch::Contains("the watch of Nodes is lost") && Catch::Contains("no grant"));
  CHECK_FALSE(world.nodes->has_synced());
  world.refusal.reset();
  CHECK(world.again(world.events) == Texts{"n:>a", "synced"});
}

TEST_CASE("An object that the reader refuses is logged, and the others are told") {
  World world;
  world.events = {event(KubeEvent::TYPE_INITIAL, "bad", R"({"metadata": {"name": "bad"}})"),
                  initial("n", "8", "a"), synced(), event(KubeEvent::TYPE_UPSERT, "n", "{")};
  world.start();
  CHECK(world.host.logged("cannot read the Node \"bad\": spec.id is missing"));
  CHECK(world.host.logged("cannot read the Node: it is no JSON"));
  CHECK(world.told == Texts{"n:>a", "synced"});
  CHECK_FALSE(world.nodes->find("bad"));
  CHECK(world.nodes->find("n")->id == "a");
}

TEST_CASE("An own write is known before anything of it is told") {
  World world;
  world.events = {initial("n", "8", "a"), synced()};
  world.start();
  REQUIRE(world.nodes->wrote(node("n", "9", "b")));
  CHECK(world.nodes->find("n")->id == "b");
  CHECK_FALSE(world.nodes->wrote("[]"));
  world.nodes->removed("n");
  CHECK_FALSE(world.nodes->find("n"));
  CHECK(world.told == Texts{"n:>a", "synced"});
}

TEST_CASE("An informer that is stopped hears nothing more, and knows what it knew") {
  World world;
  world.events = {initial("n", "8", "a"), synced()};
  world.start();
  world.nodes->stop();
  CHECK(world.again({initial("n", "9", "b"), synced()}).empty());
  CHECK(world.nodes->find("n")->id == "a");
}

}  // namespace
}  // namespace longshore::kubernetes
