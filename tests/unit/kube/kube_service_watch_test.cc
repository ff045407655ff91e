// Watches of longshore.host.v1.Kube: who hears what, and what ends with whom. What informers do:
// informers_test.cc, subscription_test.cc.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "kube/kube_service.h"
#include "tests/unit/kube/cached_objects.h"
#include "tests/unit/kube/kube_service_world.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;
using Lines = std::vector<std::string>;
using test::changed;
using test::deleted;

const std::string kNodes = "/api/v1/nodes";
const std::string kList = R"({"kind":"NodeList","metadata":{"resourceVersion":"5"},"items":[)";

// "UPSERT a@7"
Lines texts_of(const router::Recorder& recorder) {
  Lines texts;
  for (const std::string& message : recorder.received.get().messages) {
    host::v1::KubeEvent event;
    REQUIRE(event.ParseFromString(message));
    std::string text = host::v1::KubeEvent::Type_Name(event.type()).substr(sizeof("TYPE_") - 1);
    if (!event.key().empty()) {
      const auto object = parse_object(event.object());
      REQUIRE(object);
      CHECK(object->key == event.key());
      text += ' ' + event.key() + '@' + object->resource_version;
    }
    if (!event.cause().empty()) text += ' ' + event.cause();
    texts.push_back(text + (event.is_tombstone() ? " tombstone" : ""));
  }
  return texts;
}

struct WatchWorld : test::KubeWorld {
  struct Watching {
    std::shared_ptr<router::Recorder> recorder = std::make_shared<router::Recorder>();
    std::shared_ptr<router::Call> call;
  };

  Watching watch(bool has_room = true) {
    Watching watching;
    watching.recorder->has_room = has_room;
    watching.call = world.call(method("Watch"), at(kNodes), watching.recorder);
    REQUIRE(watching.call);
    return watching;
  }
  // Of the only request: the list. The watch follows it.
  void list(const Lines& objects) {
    std::string items;
    for (const std::string& object : objects) items += (items.empty() ? "" : ",") + object;
    answer(made(), 200, kList + items + "]}");
  }
  void tell(const std::vector<WatchEvent>& events) {
    const Made watch = made();
    REQUIRE(watch->is_watch);
    on_thread([&] {
      for (const WatchEvent& event : events) watch->watch.on_event(event);
    });
  }
  // The request that runs, as soon as it does: there is a pause before each other one.
  void cut(const std::string& cause) {
    const Made call = made();
    on_thread(
        [&] { access.end(call, kube::ApiError(Error::of_text(StatusCode::kUnavailable, cause))); });
  }
  void forbid() {
    const Made call = made();
    kube::Response response;
    response.status = 403;
    response.body = R"({"kind":"Status","reason":"Forbidden","message":"no, user u"})";
    call->request.watches = call->is_watch;  // as the client makes it
    on_thread([&] { access.end(call, status_error(call->request, response, "")); });
  }
  static bool hears(const Watching& watching, const Lines& texts) {
    return test::eventually([&] { return texts_of(*watching.recorder) == texts; });
  }
};

}  // namespace

TEST_CASE_METHOD(WatchWorld, "Who watches hears what there is, and then what becomes of it") {
  const Watching first = watch();
  list({test::object("a", 3).json});
  CHECK(hears(first, {"INITIAL a@3", "SYNCED"}));
  tell({changed("b", 6), changed("a", 7), deleted("a", 8)});
  CHECK(hears(first, {"INITIAL a@3", "SYNCED", "UPSERT b@6", "DELETE a@8"}));
  // By the same informer.
  const Watching second = watch();
  CHECK(hears(second, {"INITIAL b@6", "SYNCED"}));
  tell({changed("b", 9)});
  CHECK(hears(second, {"INITIAL b@6", "SYNCED", "UPSERT b@9"}));

  first.call->cancel();
  CHECK(first.recorder->code() == StatusCode::kCancelled);
  tell({changed("b", 10)});
  CHECK(hears(second, {"INITIAL b@6", "SYNCED", "UPSERT b@9", "UPSERT b@10"}));
  CHECK(texts_of(*first.recorder).back() == "UPSERT b@9");
  CHECK(cancelled() == 0);
  second.call->cancel();
  CHECK(test::eventually([&] { return cancelled() == 1; }));
}

TEST_CASE_METHOD(WatchWorld, "Who names fields hears of these, and others of whole objects") {
  host::v1::KubeWatchRequest request;
  request.set_path(kNodes);
  request.add_fields("spec.cidr");
  const auto named = std::make_shared<router::Recorder>();
  world.call(method("Watch"), request.SerializeAsString(), named);
  const Watching whole = watch();
  const std::string begin = R"({"kind":"Node","metadata":{"name":"a","resourceVersion":"3")";
  const std::string all =
      begin + R"(,"labels":{"l":"1"}},"spec":{"cidr":"c","taints":[]},"status":{}})";
  list({all});
  const auto told = [](const router::Recorder& recorder) {
    host::v1::KubeEvent event;
    const auto messages = recorder.received.get().messages;
    return !messages.empty() && event.ParseFromString(messages.front()) ? event.object() : "";
  };
  CHECK(test::eventually([&] { return told(*named) == begin + R"(},"spec":{"cidr":"c"}})"; }));
  CHECK(test::eventually([&] { return told(*whole.recorder) == all; }));

  request.add_fields("spec..cidr");
  const auto refused = std::make_shared<router::Recorder>();
  world.call(method("Watch"), request.SerializeAsString(), refused);
  CHECK(refused->code() == StatusCode::kInvalidArgument);
  CHECK_THAT(refused->text(), Contains("\"spec..cidr\""));
}

TEST_CASE_METHOD(WatchWorld, "Who is slow hears the latest of each object, and not each state") {
  const Watching slow = watch(false);
  list({test::object("a", 3).json});
  REQUIRE(hears(slow, {"INITIAL a@3"}));
  std::vector<WatchEvent> events;
  for (int version = 10; version < 110; ++version) events.push_back(changed("a", version));
  events.push_back(changed("gone", 200));
  events.push_back(deleted("gone", 201));
  tell(events);
  slow.call->resume();
  REQUIRE(hears(slow, {"INITIAL a@3", "SYNCED"}));
  slow.call->resume();
  REQUIRE(hears(slow, {"INITIAL a@3", "SYNCED", "UPSERT a@109"}));
  slow.call->resume();
  tell({deleted("a", 300)});
  CHECK(hears(slow, {"INITIAL a@3", "SYNCED", "UPSERT a@109", "DELETE a@300"}));
}

TEST_CASE_METHOD(WatchWorld, "The reply of a write is told before its event, and not again") {
  const Watching watching = watch();
  list({test::object("a", 3).json});
  REQUIRE(hears(watching, {"INITIAL a@3", "SYNCED"}));
  const auto written = std::make_shared<router::Recorder>();
  world.call(method("Update"), at(kNodes + "/a"), written);
  answer(made(2), 200, test::object("a", 8).json);
  CHECK(hears(watching, {"INITIAL a@3", "SYNCED", "UPSERT a@8"}));
  tell({changed("a", 7), changed("a", 8), changed("b", 9)});
  CHECK(hears(watching, {"INITIAL a@3", "SYNCED", "UPSERT a@8", "UPSERT b@9"}));
  // Nor is one that is gone brought back, which a server answers with its last state.
  world.call(method("Delete"), at(kNodes + "/b"), std::make_shared<router::Recorder>());
  const Made deletion = made(2);
  const Made events = access.running.front();
  on_thread([&] { events->watch.on_event(deleted("b", 10)); });
  answer(deletion, 200, test::object("b", 10).json);
  tell({changed("c", 11)});
  CHECK(hears(watching,
              {"INITIAL a@3", "SYNCED", "UPSERT a@8", "UPSERT b@9", "DELETE b@10", "UPSERT c@11"}));
}

TEST_CASE_METHOD(WatchWorld,
                 "Who watches hears that the server is lost, why, and that it is back") {
  const Watching watching = watch();
  const Watching slow = watch(false);
  cut("refused");
  CHECK(hears(watching, {"BEHIND refused"}));
  // Who comes meanwhile as well.
  const Watching late = watch();
  CHECK(hears(late, {"BEHIND refused"}));
  cut("unreachable");
  CHECK(hears(watching, {"BEHIND refused", "BEHIND unreachable"}));
  cut("unreachable");
  list({});
  const Lines back = {"BEHIND refused", "BEHIND unreachable", "SYNCED", "CURRENT"};
  CHECK(hears(watching, back));
  // Who is slow hears the latest.
  REQUIRE(hears(slow, {"BEHIND refused"}));
  slow.call->resume();
  CHECK(hears(slow, {"BEHIND refused", "SYNCED"}));
  slow.call->resume();
  CHECK(hears(slow, {"BEHIND refused", "SYNCED", "CURRENT"}));
}

TEST_CASE_METHOD(WatchWorld, "What may not be watched is in the log, and told to who does") {
  const Watching first = watch();
  const Watching second = watch();
  forbid();
  CHECK(world.lines.wait([](const Lines& lines) {
    return std::ranges::any_of(lines, [](const std::string& line) {
      return line.find("WARN") != line.npos && line.find(kNodes) != line.npos &&
             line.find("no, user u") != line.npos &&
             line.find("the verb list on the resource nodes") != line.npos;
    });
  }));
  // It may be that the server does not know its roles yet.
  CHECK_FALSE(first.call->is_over());
  forbid();
  forbid();
  for (const Watching& each : {first, second}) {
    CHECK(each.recorder->await());
    CHECK(each.recorder->code() == StatusCode::kPermissionDenied);
    CHECK_THAT(each.recorder->text(), Contains("the verb list on the resource nodes"));
    CHECK(texts_of(*each.recorder).empty());
  }
}

TEST_CASE_METHOD(WatchWorld, "Who asks again for what may be listed and not watched has no list") {
  service->modules_changed(
      {{.name = "one", .is_controller = true, .state = {}, .reason = {}, .role_file = "one.yaml"}});
  const Watching watching = watch();
  list({});
  REQUIRE(hears(watching, {"SYNCED"}));
  for (int i = 0; i < 3; ++i) forbid();
  CHECK(watching.recorder->await());
  CHECK_THAT(watching.recorder->text(), Catch::EndsWith("; the controller's role is in one.yaml"));
  const Watching again = watch();
  CHECK(again.recorder->await());
  CHECK(again.recorder->code() == StatusCode::kPermissionDenied);
  CHECK(again.recorder->text() == watching.recorder->text());
  CHECK_THAT(again.recorder->text(), Contains("the verb watch on the resource nodes"));
  on_thread([&] { CHECK(access.running.empty()); });
}

TEST_CASE_METHOD(WatchWorld, "The end of the service ends watches") {
  const Watching watching = watch();
  list({});
  REQUIRE(hears(watching, {"SYNCED"}));
  const Made events = made();
  service->stop();
  CHECK(watching.recorder->code() == StatusCode::kUnavailable);
  CHECK(events->is_cancelled);
}

}  // namespace longshore::kube
