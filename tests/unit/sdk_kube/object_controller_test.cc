// A controller of the objects of one resource in the fake host. What it does beside this the
// example's test shows, plugins/example-kube.
#include "longshore/kube/object_controller.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "longshore/testing/fake_host.hpp"
#include "tests/unit/sdk_kube/node_objects.h"
#include "tests/unit/sdk_testing/echo_module.h"

namespace longshore::kubernetes {
namespace {

using namespace std::chrono_literals;
using host::v1::KubeEvent;
using Texts = std::vector<std::string>;
using Events = std::vector<KubeEvent>;

struct Pod {
  ObjectMetadata metadata;
  std::string node;

  bool operator==(const Pod&) const = default;
};

// Says in each Pod's status that it was seen.
class PodController : public ObjectController<Pod> {
 public:
  PodController() : ObjectController("/api/v1/pods", "Pod") {}

 private:
  Result<void> configure(const Settings&) override { return {}; }
  Pod read(JsonDocument& document) const override {
    return {.metadata = {}, .node = document.root().object("spec").required_text("nodeName")};
  }
  Result<void> reconcile(const Pod& pod) override {
    return merge_patch(pod, {{"status", {{"seenOn", pod.node}}}});
  }
};

class RefusingController final : public PodController {
  Result<void> configure(const Settings&) override {
    return Error(StatusCode::kInvalidArgument, "follow the Pods").because("a setting is wrong");
  }
};

// An instance of `Controller`. Each watch tells `events`, and ends; each patch is answered with
// `patched`.
template <typename Controller>
struct ControllerInstance {
  ControllerInstance() {
    host.answer_stream<host::v1::KubeWatchRequest>(
        "longshore.host.v1.Kube/Watch",
        [this](const host::v1::KubeWatchRequest& request) -> Result<Events> {
          watched = request.path();
          return events;
        });
    host.answer<host::v1::KubePatchRequest>(
        "longshore.host.v1.Kube/Patch",
        [this](const host::v1::KubePatchRequest& request) -> Result<host::v1::KubeObject> {
          patches.push_back(request.path() + ' ' + request.patch());
          host::v1::KubeObject object;
          object.set_object(patched);
          return object;
        });
  }

  static longshore_module_entry entry() {
    longshore_module_entry entry = testing::echo_entry();
    entry.create = &detail::Trampolines<Controller>::create;
    return entry;
  }

  std::string watched;
  std::string patched;
  Events events;
  Texts patches;
  const longshore_module_entry subject = entry();
  testing::FakeHost host{subject};
};

std::string pod(const std::string& name, const std::string& version) {
  return R"({"metadata": {"namespace": "shop", "name": ")" + name + R"(", "resourceVersion": ")" +
         version + R"("}, "spec": {"nodeName": "n"}})";
}

KubeEvent initial(const std::string& name) {
  return event(KubeEvent::TYPE_INITIAL, "shop/" + name, pod(name, "7"));
}

TEST_CASE("A controller writes each object where it is, and none that is gone") {
  ControllerInstance<PodController> world;
  world.events = {initial("a"), initial("b"), event(KubeEvent::TYPE_SYNCED),
                  event(KubeEvent::TYPE_DELETE, "shop/b", pod("b", "8"))};
  world.patched = pod("a", "9");
  REQUIRE(world.host.start().ok());
  world.host.advance(0ns);
  CHECK(world.watched == "/api/v1/pods");
  CHECK(world.patches == Texts{R"(/api/v1/namespaces/shop/pods/a {"status":{"seenOn":"n"}})"});
  CHECK(world.host.degraded() == "the watch of pods is lost: it ended");
  CHECK(world.host.stop().ok());
}

TEST_CASE("A controller that cannot read what its write became tries again") {
  ControllerInstance<PodController> world;
  world.events = {initial("a"), event(KubeEvent::TYPE_SYNCED)};
  world.patched = R"({"metadata": {"namespace": "shop", "name": "a"}})";
  REQUIRE(world.host.start().ok());
  world.host.advance(1s);
  CHECK(world.host.logged(
      R"(work queue pods, "shop/a": cannot read the Pod "shop/a": spec.nodeName is missing)"));
  CHECK(world.patches.size() > 1);
  CHECK(world.host.stop().ok());
}

TEST_CASE("A controller whose watch is never answered can be stopped") {
  ControllerInstance<PodController> world;
  world.host.hold("longshore.host.v1.Kube/Watch");
  REQUIRE(world.host.start().ok());
  REQUIRE(world.host.await_invocations("longshore.host.v1.Kube/Watch", 1));
  CHECK(world.host.stop().ok());
  CHECK(world.patches.empty());
}

TEST_CASE("A controller that refuses its settings follows nothing") {
  ControllerInstance<RefusingController> world;
  const auto started = world.host.start();
  REQUIRE_FALSE(started.ok());
  CHECK_THAT(started.error().message(), Catch::Contains("a setting is wrong"));
  CHECK(world.watched.empty());
  CHECK(world.host.end().empty());
}

}  // namespace
}  // namespace longshore::kubernetes
