// What is known of objects by a watch and by the attacher's own writes.
#include "plugins/external-attacher/watched_objects.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "plugins/external-attacher/csi_node.h"

namespace longshore::external_attacher {
namespace {

using host::v1::KubeEvent;

std::string node(const std::string& name, const std::string& version, const std::string& id = "i") {
  return R"({"metadata": {"name": ")" + name + R"(", "resourceVersion": ")" + version +
         R"("}, "spec": {"drivers": [{"name": "d", "nodeID": ")" + id + R"("}]}})";
}

KubeEvent event(KubeEvent::Type type, const std::string& key = {}, const std::string& object = {}) {
  KubeEvent event;
  event.set_type(type);
  event.set_key(key);
  event.set_object(object);
  return event;
}

struct Nodes : WatchedObjects<CsiNode> {
  Nodes() : WatchedObjects(&parse_csi_node) { begin(); }

  // "before>now", by their ids.
  std::vector<std::string> told(const KubeEvent& event) {
    auto changes = hear(event);
    REQUIRE(changes);
    std::vector<std::string> texts;
    const auto id = [](const auto& object) { return object ? object->node_ids.at("d") : ""; };
    for (const auto& [before, now] : *changes) texts.push_back(id(before) + '>' + id(now));
    return texts;
  }
};

using Texts = std::vector<std::string>;

TEST_CASE("Objects come, change and go as the watch tells") {
  Nodes nodes;
  CHECK(nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a"))) == Texts{">a"});
  CHECK_FALSE(nodes.is_synced());
  CHECK(nodes.told(event(KubeEvent::TYPE_SYNCED)).empty());
  CHECK(nodes.is_synced());
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "10", "b"))) == Texts{"a>b"});
  CHECK(nodes.find("n")->node_ids.at("d") == "b");
  CHECK(nodes.told(event(KubeEvent::TYPE_DELETE, "n")) == Texts{"b>"});
  CHECK_FALSE(nodes.find("n"));
  CHECK(nodes.told(event(KubeEvent::TYPE_DELETE, "n")).empty());
}

TEST_CASE("What a watch that begins anew does not tell is gone") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  nodes.told(event(KubeEvent::TYPE_INITIAL, "m", node("m", "8", "b")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  nodes.begin();
  CHECK(nodes.find("m"));
  CHECK(nodes.is_synced());
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  CHECK(nodes.told(event(KubeEvent::TYPE_SYNCED)) == Texts{"b>"});
}

TEST_CASE("An own write is known at once, and older news of the watch is none") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  REQUIRE(nodes.wrote(node("n", "11", "c")));
  CHECK(nodes.find("n")->node_ids.at("d") == "c");
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "10", "b"))).empty());
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "11", "c"))).empty());
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "12", "d"))) == Texts{"c>d"});
  CHECK_FALSE(nodes.wrote("{}"));
}

TEST_CASE("An object that an own write has ended is gone, until there is a new one") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  nodes.removed(*nodes.wrote(node("n", "11", "c")));
  CHECK_FALSE(nodes.find("n"));
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "10", "b"))).empty());
  CHECK_FALSE(nodes.find("n"));
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "14", "d"))) == Texts{">d"});
  // The watch was quicker than the answer to the write.
  nodes.told(event(KubeEvent::TYPE_DELETE, "n"));
  CHECK(nodes.wrote(node("n", "13", "c")));
  CHECK_FALSE(nodes.find("n"));
}

TEST_CASE("The end of an object that an own write has ended is told by the watch") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  nodes.removed(*nodes.wrote(node("n", "11", "c")));
  SECTION("as it goes on") { CHECK(nodes.told(event(KubeEvent::TYPE_DELETE, "n")) == Texts{"c>"}); }
  SECTION("as it begins anew") {
    nodes.begin();
    CHECK(nodes.told(event(KubeEvent::TYPE_SYNCED)) == Texts{"c>"});
  }
}

TEST_CASE("A server that has gone back is believed") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "900", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  CHECK(nodes.told(event(KubeEvent::TYPE_RESET)).empty());
  CHECK(nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "7", "b"))) == Texts{"a>b"});
}

TEST_CASE("What is no object changes nothing, and does not end the one that was") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  CHECK_FALSE(nodes.hear(event(KubeEvent::TYPE_UPSERT, "n", "{")));
  nodes.begin();
  CHECK_FALSE(nodes.hear(event(KubeEvent::TYPE_INITIAL, "n", "{")));
  CHECK(nodes.told(event(KubeEvent::TYPE_SYNCED)).empty());
  CHECK(nodes.find("n")->node_ids.at("d") == "a");
}

}  // namespace
}  // namespace longshore::external_attacher
