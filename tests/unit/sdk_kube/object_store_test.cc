#include "longshore/kube/object_store.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/sdk_kube/node_objects.h"

namespace longshore::kubernetes {
namespace {

using host::v1::KubeEvent;

struct Nodes : ObjectStore<Node> {
  Nodes() : ObjectStore(&read_node) { begin(); }

  // "before>now", by their ids.
  std::vector<std::string> told(const KubeEvent& event) {
    auto changes = hear(event);
    REQUIRE(changes);
    std::vector<std::string> texts;
    const auto id = [](const auto& object) { return object ? object->id : ""; };
    for (const auto& [key, before, now] : *changes) {
      CHECK(key == (before ? before : now)->metadata.key());
      texts.push_back(id(before) + '>' + id(now));
    }
    return texts;
  }
};

using Texts = std::vector<std::string>;

TEST_CASE("Objects come, change and go as the watch tells") {
  Nodes nodes;
  CHECK(nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a"))) == Texts{">a"});
  CHECK(nodes.told(event(KubeEvent::TYPE_SYNCED)).empty());
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "10", "b"))) == Texts{"a>b"});
  CHECK(nodes.find("n")->id == "b");
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
  CHECK(nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a"))).empty());
  CHECK(nodes.told(event(KubeEvent::TYPE_SYNCED)) == Texts{"b>"});
}

TEST_CASE("An own write is known at once, older news of the watch is none, and its own is told") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  REQUIRE(nodes.wrote(node("n", "11", "c")));
  CHECK(nodes.find("n")->id == "c");
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "10", "b"))).empty());
  CHECK(nodes.find("n")->id == "c");
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "11", "c"))) == Texts{"a>c"});
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "11", "c"))).empty());
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "12", "d"))) == Texts{"c>d"});
  // The watch was quicker than the answer to the write.
  REQUIRE(nodes.wrote(node("n", "12", "d")));
  REQUIRE(nodes.wrote(node("n", "11", "c")));
  CHECK(nodes.find("n")->id == "d");
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "12", "d"))).empty());
  CHECK_FALSE(nodes.wrote("{}"));
}

TEST_CASE("Somebody else's change that the answer to an own write holds is told") {
  const std::string deleted =
      R"({"metadata": {"name": "n", "resourceVersion": "4", "deletionTimestamp": "t"},)"
      R"( "spec": {"id": "own"}})";
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "2", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  REQUIRE(nodes.wrote(deleted));
  // What the server did before it is told late, or left out.
  if (GENERATE(true, false)) {
    CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "3", "a"))).empty());
  }
  const auto changes = nodes.hear(event(KubeEvent::TYPE_UPSERT, "n", deleted));
  REQUIRE(changes);
  REQUIRE(changes->size() == 1);
  CHECK_FALSE(changes->at(0).before->metadata.is_being_deleted);
  CHECK(changes->at(0).now->metadata.is_being_deleted);
}

TEST_CASE("Of several own writes the watch tells the last one") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  REQUIRE(nodes.wrote(node("n", "10", "b")));
  REQUIRE(nodes.wrote(node("n", "11", "c")));
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "10", "b"))).empty());
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "11", "c"))) == Texts{"a>c"});
}

TEST_CASE("An own write that the server has lost is told") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  REQUIRE(nodes.wrote(node("n", "11", "c")));
  CHECK(nodes.told(event(KubeEvent::TYPE_RESET)).empty());
  CHECK(nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a"))) == Texts{"c>a"});
  CHECK(nodes.find("n")->id == "a");
}

TEST_CASE("Where versions have no order the watch is heard as it tells") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "zz9", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "ab1", "b"))) == Texts{"a>b"});
  const auto written = nodes.wrote(node("n", "zzz1", "c"));
  REQUIRE(written);
  CHECK(written->id == "c");
  CHECK(nodes.find("n")->id == "b");
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "zzz1", "c"))) == Texts{"b>c"});
  nodes.removed("n");
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "zzz1", "c"))).empty());
  CHECK_FALSE(nodes.find("n"));
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "c3", "d"))) == Texts{">d"});
}

TEST_CASE("An object that an own write has ended is gone, until there is a new one") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  REQUIRE(nodes.wrote(node("n", "11", "c")));
  nodes.removed("n");
  CHECK_FALSE(nodes.find("n"));
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "10", "b"))).empty());
  CHECK(nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "11", "c"))).empty());
  CHECK_FALSE(nodes.find("n"));
  SECTION("which the watch tells of first") {}
  SECTION("which is an own write") { REQUIRE(nodes.wrote(node("n", "14", "d"))); }
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
  REQUIRE(nodes.wrote(node("n", "11", "c")));
  nodes.removed("n");
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
  // Its versions come again, for other states.
  nodes.begin();
  CHECK(nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "7", "c"))) == Texts{"b>c"});
}

TEST_CASE("What is no object changes nothing, and does not end the one that was") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  CHECK_FALSE(nodes.hear(event(KubeEvent::TYPE_UPSERT, "n", "{")));
  nodes.begin();
  CHECK_FALSE(nodes.hear(event(KubeEvent::TYPE_INITIAL, "n", "{")));
  CHECK(nodes.told(event(KubeEvent::TYPE_SYNCED)).empty());
  CHECK(nodes.find("n")->id == "a");
}

TEST_CASE("Objects of one name in two namespaces are two") {
  const auto in = [](const std::string& name_space, const std::string& version) {
    return R"({"metadata": {"name": "n", "namespace": ")" + name_space +
           R"(", "resourceVersion": ")" + version + R"("}, "spec": {"id": "i)" + version + "\"}}";
  };
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "one/n", in("one", "8")));
  nodes.told(event(KubeEvent::TYPE_INITIAL, "two/n", in("two", "9")));
  nodes.told(event(KubeEvent::TYPE_SYNCED));
  REQUIRE(nodes.wrote(in("two", "12")));
  CHECK(nodes.find("one/n")->id == "i8");
  CHECK(nodes.find("two/n")->id == "i12");
  CHECK(nodes.all().size() == 2);
  CHECK_FALSE(nodes.find("n"));
}

TEST_CASE("Who has an object keeps it as it was") {
  Nodes nodes;
  nodes.told(event(KubeEvent::TYPE_INITIAL, "n", node("n", "9", "a")));
  const auto had = nodes.find("n");
  nodes.told(event(KubeEvent::TYPE_UPSERT, "n", node("n", "10", "b")));
  nodes.told(event(KubeEvent::TYPE_DELETE, "n"));
  CHECK(had->id == "a");
}

}  // namespace
}  // namespace longshore::kubernetes
