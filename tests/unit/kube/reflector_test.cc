// How a cache follows an API server that is cut off, too busy, too new, or gone back.
#include "kube/reflector.h"

#include <catch2/catch.hpp>

#include "tests/unit/kube/cached_objects.h"
#include "tests/unit/kube/manual_access.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;
using test::bookmark;
using test::changed;
using test::deleted;
using test::object;
using test::query_of;
using namespace std::chrono_literals;
using Made = test::ManualAccess::Made;

Response page(const std::vector<Object>& objects, int version, const std::string& next = {}) {
  Response response;
  response.status = 200;
  response.body = R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                  std::to_string(version) + R"(","continue":")" + next + R"("},"items":[)";
  for (const Object& each : objects) {
    if (!response.body.ends_with('[')) response.body += ',';
    response.body += each.json;
  }
  response.body += "]}";
  return response;
}

ApiError error(ApiReason reason, StatusCode code = StatusCode::kUnavailable,
               std::optional<std::chrono::seconds> retry_after = std::nullopt) {
  return {Error(code, "go on").because("of the test"), reason, 0, retry_after};
}

ApiError cut() { return error(ApiReason::kNoAnswer); }

struct Following {
  test::ManualAccess access;
  test::ManualTiming timing;
  ObjectCache cache;
  const Selection followed;
  std::vector<std::string> causes;  // that were told
  std::optional<Reflector> reflector;

  explicit Following(const Selection& selection = {"/api/v1/nodes", "", ""}) : followed(selection) {
    reflector.emplace(access, timing, selection, cache,
                      [this](const Selection& of, const Reflector::State& state) {
                        REQUIRE(of == followed);
                        causes.push_back(state.cause + (state.is_refused() ? " refused" : ""));
                      });
  }

  // The one call that runs.
  std::shared_ptr<Made> call() {
    REQUIRE(access.running.size() == 1);
    REQUIRE(timing.waiting().empty());
    return access.running[0];
  }
  std::shared_ptr<Made> list() {
    REQUIRE_FALSE(call()->is_watch);
    return call();
  }
  std::shared_ptr<Made> watch() {
    REQUIRE(call()->is_watch);
    return call();
  }
  void end(Outcome outcome) { access.end(call(), std::move(outcome)); }
  // It waits; that is over.
  std::chrono::milliseconds pass() {
    REQUIRE(access.running.empty());
    REQUIRE(timing.waiting().size() == 1);
    const auto timer = timing.waiting()[0];
    timing.fire(timer);
    return timer->delay;
  }
  // A watch that has begun behind a list with a@5, of version 10.
  std::shared_ptr<Made> synced() {
    end(page({object("a", 5)}, 10));
    watch()->watch.on_begin();
    return watch();
  }
  bool is_behind() const { return reflector->state().behind_since.has_value(); }
};

TEST_CASE("It lists page by page, watches from the list's version, and goes on from its last") {
  Following all({"/api/v1/nodes", "app=a", "spec.nodeName=n"});
  CHECK(all.is_behind());
  CHECK(query_of(all.list()->request, "limit") == "500");
  CHECK(query_of(all.list()->request, "continue") == "none");
  CHECK(query_of(all.list()->request, "resourceVersion") == "none");
  CHECK(query_of(all.list()->request, "labelSelector") == "app=a");
  CHECK(query_of(all.list()->request, "fieldSelector") == "spec.nodeName=n");
  all.end(page({object("a", 5)}, 10, "token"));
  CHECK(query_of(all.list()->request, "continue") == "token");
  CHECK_FALSE(all.cache.is_synced());
  all.end(page({object("b", 6)}, 10));
  CHECK(all.cache.size() == 2);
  CHECK_FALSE(all.is_behind());

  const Request& request = all.watch()->request;
  CHECK(request.path == "/api/v1/nodes");
  CHECK(query_of(request, "watch") == "1");
  CHECK(query_of(request, "resourceVersion") == "10");
  CHECK(query_of(request, "allowWatchBookmarks") == "true");
  CHECK(query_of(request, "labelSelector") == "app=a");
  CHECK(query_of(request, "fieldSelector") == "spec.nodeName=n");
  CHECK(query_of(request, "limit") == "none");
  CHECK(query_of(request, "timeoutSeconds") == "300");
  all.timing.chance = [] { return 0.999; };
  all.watch()->watch.on_begin();
  all.watch()->watch.on_event(changed("a", 12));
  all.watch()->watch.on_event(deleted("b", 13));
  all.watch()->watch.on_event(bookmark(20));
  CHECK(all.cache.size() == 1);
  all.end(Response{});  // the server's time is over
  CHECK(query_of(all.watch()->request, "resourceVersion") == "20");
  CHECK(query_of(all.watch()->request, "timeoutSeconds") == "599");
  CHECK_FALSE(all.is_behind());
}

TEST_CASE("A list that expires between its pages begins anew, and half of one changes nothing") {
  Following all;
  all.synced();
  all.end(error(ApiReason::kExpired));
  all.pass();
  all.end(page({object("b", 20)}, 30, "token"));
  all.end(error(ApiReason::kExpired));
  CHECK(all.cache.find("a"));
  CHECK(all.cache.size() == 1);
  all.pass();
  CHECK(query_of(all.list()->request, "continue") == "none");
  all.end(page({object("c", 40)}, 50));
  CHECK(all.cache.size() == 1);
  CHECK(all.cache.find("c"));
  CHECK(query_of(all.watch()->request, "resourceVersion") == "50");
}

TEST_CASE("A watch that breaks off goes on from its last version, unless that cannot help") {
  struct Case {
    const char* name;
    ApiError error;
    bool takes_list;
  };
  for (const Case& each : std::vector<Case>{
           {"cut", cut(), false},
           {"silent", error(ApiReason::kNoAnswer, StatusCode::kDeadlineExceeded), false},
           {"too busy", error(ApiReason::kTooManyRequests, StatusCode::kResourceExhausted), false},
           {"unavailable", error(ApiReason::kUnavailable), false},
           {"a proxy without server", error(ApiReason::kOther, StatusCode::kUnavailable), false},
           {"not known", error(ApiReason::kUnauthorized, StatusCode::kUnauthenticated), false},
           {"not allowed", error(ApiReason::kForbidden, StatusCode::kPermissionDenied), false},
           {"no such kind now", error(ApiReason::kNotFound, StatusCode::kNotFound), false},
           {"expired", error(ApiReason::kExpired, StatusCode::kOutOfRange), true},
           {"too large a version", error(ApiReason::kTimeout, StatusCode::kDeadlineExceeded), true},
           {"failed", error(ApiReason::kOther, StatusCode::kInternal), true},
           {"no event", error(ApiReason::kNoAnswer, StatusCode::kDataLoss), true},
           {"too long an event", error(ApiReason::kNoAnswer, StatusCode::kResourceExhausted), true},
       }) {
    INFO(each.name);
    Following all;
    all.synced()->watch.on_event(changed("b", 12));
    all.end(each.error);
    CHECK(all.cache.size() == 2);
    all.pass();
    CHECK(all.call()->is_watch == !each.takes_list);
    if (!each.takes_list) CHECK(query_of(all.watch()->request, "resourceVersion") == "12");
  }
}

TEST_CASE("While the server is away nothing is cleared, and since when and why is told") {
  Following all;
  all.synced();
  const auto begin = all.timing.time;
  for (int i = 0; i < 20; ++i) {
    all.end(cut());
    CHECK(all.reflector->state().behind_since == begin);
    CHECK_THAT(all.reflector->state().cause, Contains("of the test"));
    all.timing.time += 1h;
    all.pass();
    CHECK(all.cache.find("a"));
  }
  all.watch()->watch.on_begin();
  CHECK_FALSE(all.is_behind());
  CHECK(all.reflector->state().cause.empty());
}

TEST_CASE("Pauses grow from 0.8 to 30 seconds, up to twice that by chance, until events come") {
  Following all;
  const double chance = GENERATE(0.0, 0.5);
  all.timing.chance = [=] { return chance; };
  const auto expected = [&](std::chrono::milliseconds time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time * (1 + chance));
  };
  for (const auto time : {800ms, 1600ms, 3200ms, 6400ms, 12'800ms, 25'600ms, 30'000ms, 30'000ms}) {
    all.end(cut());
    CHECK(all.pass() == expected(time));
  }
  // A list alone is none: a watch that fails behind it would be tried in a circle.
  all.synced();
  all.end(cut());
  CHECK(all.pass() == expected(30s));
  all.watch()->watch.on_begin();
  all.watch()->watch.on_event(bookmark(11));
  all.end(cut());
  CHECK(all.pass() == expected(800ms));
}

TEST_CASE("A server that says when is not asked before, within reason") {
  const bool is_list = GENERATE(false, true);
  for (const auto& [said, waited] :
       {std::pair(0s, 800ms), {7s, 7000ms}, {4'000'000'000s, 300'000ms}}) {
    Following all;
    if (!is_list) all.synced();
    all.end(error(ApiReason::kTooManyRequests, StatusCode::kResourceExhausted, said));
    CHECK(all.pass() == waited);
    CHECK(all.call()->is_watch == !is_list);
  }
}

TEST_CASE("A watch that says nothing up to its end takes a list") {
  Following all;
  all.synced();
  const Outcome outcome = GENERATE(
      Outcome(Response{}), Outcome(error(ApiReason::kNoAnswer, StatusCode::kDeadlineExceeded)));
  all.end(outcome);
  all.pass();
  all.list();
}

TEST_CASE("A watch that did not begin in time is tried again, without a list") {
  Following all;
  all.end(page({}, 10));
  all.end(error(ApiReason::kNoAnswer, StatusCode::kDeadlineExceeded));
  all.pass();
  all.watch();
}

TEST_CASE("An event older than what is known ends the watch, and the list counts") {
  Following all;
  const auto watch = all.synced();
  watch->watch.on_event(GENERATE(bookmark(9), changed("a", 9), deleted("a", 9)));
  CHECK(watch->is_cancelled);
  CHECK(all.cache.find("a"));
  all.end(Response{});
  CHECK_THAT(all.reflector->state().cause, Contains("gone back"));
  all.pass();
  all.list();
  all.end(page({object("b", 3)}, 4));
  CHECK_FALSE(all.cache.find("a"));
  CHECK(query_of(all.watch()->request, "resourceVersion") == "4");
}

TEST_CASE("An answer that is no list is told, and asked for again") {
  Following all;
  for (const std::string body : {"", "<html>", "{}", R"({"kind":"NodeList","items":[]})"}) {
    Response response;
    response.status = 200;
    response.body = body;
    all.end(std::move(response));
    CHECK_THAT(all.reflector->state().cause, Contains("cannot list \"/api/v1/nodes\""));
    CHECK_FALSE(all.cache.is_synced());
    all.pass();
  }
  all.synced();
}

TEST_CASE("It goes while it lists, watches, or waits, and what comes then is nobody's") {
  Following all;
  SECTION("lists") {}
  SECTION("watches") { all.synced(); }
  SECTION("waits") {
    all.end(cut());
    all.reflector.reset();
    CHECK(all.timing.waiting().empty());
    return;
  }
  const auto call = all.call();
  all.reflector.reset();
  CHECK(call->is_cancelled);
  if (call->is_watch) call->watch.on_event(changed("b", 11));
  all.access.end(call, Response{});
  CHECK_FALSE(all.cache.find("b"));
  CHECK(all.access.running.empty());
}

TEST_CASE("What the server forbids three times running is refused, until it is allowed") {
  Following all;
  const auto forbid = [&] {
    all.end(error(ApiReason::kForbidden, StatusCode::kPermissionDenied));
    all.pass();
  };
  for (int i = 0; i < 2; ++i) {
    forbid();
    forbid();
    all.end(cut());
    all.pass();
  }
  CHECK_FALSE(all.reflector->state().is_refused());
  for (int i = 0; i < 4; ++i) {
    CHECK(all.reflector->state().is_refused() == (i == 3));
    forbid();
  }
  CHECK(all.causes.size() == 2);
  CHECK_THAT(all.causes[1], Contains("of the test") && Contains(" refused"));
  all.synced();
  CHECK_FALSE(all.reflector->state().is_refused());
  // A watch as well as a list.
  for (int i = 0; i < 3; ++i) forbid();
  CHECK(all.reflector->state().is_refused());
}

TEST_CASE("Each other cause is told once, and that there is none any more") {
  Following all;
  all.end(cut());
  all.pass();
  all.end(cut());
  all.pass();
  REQUIRE(all.causes.size() == 1);
  CHECK_THAT(all.causes[0], Contains("of the test"));
  all.end(error(ApiReason::kForbidden, StatusCode::kPermissionDenied));
  all.pass();
  CHECK(all.causes.size() == 1);  // it has the same text
  all.synced();
  CHECK(all.causes.size() == 2);
  CHECK(all.causes[1].empty());
  all.watch()->watch.on_event(changed("a", 11));
  all.end(Response{});  // the server's time is over
  CHECK(all.causes.size() == 2);
}

}  // namespace
}  // namespace longshore::kube
