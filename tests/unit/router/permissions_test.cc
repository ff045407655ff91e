// Rules of permissions as calls meet them: of endpoints, of modules, and both at once.
#include "router/permissions.h"

#include <catch2/catch.hpp>

#include "test_target.h"
#include "user_ids.h"

namespace longshore::router {
namespace {

Method method_of(const std::string& service, const std::string& name, bool reads_only) {
  Method method;
  method.full_name = service + "/" + name;
  method.service = service;
  method.name = name;
  method.reads_only = reads_only;
  method.module = "disk";
  return method;
}

const Method kList = method_of("v1.Disk", "ListDiskIDs", true);
const Method kPartition = method_of("v1.Disk", "PartitionDisk", false);
const Method kRescan = method_of("v1beta1.Disk", "Rescan", false);

PermissionRule rule(const std::set<unsigned>& users, const std::set<unsigned>& groups,
                    std::set<std::string, std::less<>> methods) {
  PermissionRule made;
  made.callers.users = user_ids(users);
  made.callers.groups = user_ids(groups);
  made.methods.all = methods.erase("*") > 0;
  made.methods.reads_only = methods.erase("reads_only") > 0;
  made.methods.names = std::move(methods);
  return made;
}

struct PermissionsWorld {
  Timers timers;
  Router router{timers, {}};
  std::shared_ptr<TestTarget> target = std::make_shared<TestTarget>();
  std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();

  explicit PermissionsWorld(const Permissions& of_module) {
    auto routes = std::make_shared<RouteTable>();
    for (const Method& each : {kList, kPartition, kRescan}) {
      auto method = std::make_shared<Method>(each);
      method->callers = allowed_callers(of_module, each);
      routes->by_method.emplace(each.full_name, Route{method, target});
    }
    router.set_routes(std::move(routes));
  }

  // Empty when the call got to the module, else what the caller was told.
  std::string call(const Method& method, Caller caller,
                   std::shared_ptr<const MethodSet> allowed = nullptr) {
    recorder = std::make_shared<Recorder>();
    CallRequest request;
    request.method = method.full_name;
    request.caller = std::make_shared<Caller>(std::move(caller));
    request.allowed = std::move(allowed);
    request.observer = recorder;
    if (const auto call = router.call(std::move(request))) {
      call->finish(StatusCode::kAborted, "it got there");
      return {};
    }
    CHECK(recorder->code() == StatusCode::kPermissionDenied);
    return recorder->text();
  }
};

Caller user(unsigned id, const std::vector<unsigned>& groups = {}) {
  const std::string identity = "uid:" + std::to_string(id);
  return {identity, identity, nullptr, ids_of(id, groups), 0};
}

}  // namespace

TEST_CASE("without rules there is no set, and nobody is refused") {
  CHECK(allowed_callers({}, kList) == nullptr);
  CHECK(allowed_methods({}, ids_of(7)) == nullptr);
  PermissionsWorld world{{}};
  CHECK(world.call(kPartition, user(7)).empty());
  CHECK(world.call(kPartition, {"embedder", "embedder", nullptr}).empty());
}

TEST_CASE("with rules of a module only what one of them allows gets there") {
  PermissionsWorld world{{"modules.disk.permissions",
                          {rule({7}, {}, {"reads_only"}), rule({}, {50}, {"v1.Disk"}),
                           rule({8}, {}, {"v1beta1.Disk/Rescan"})}}};
  CHECK(world.call(kList, user(7)).empty());
  CHECK(world.call(kPartition, user(7)) ==
        "uid:7 may not call v1.Disk/PartitionDisk; modules.disk.permissions in the configuration "
        "does not allow it");
  CHECK(world.call(kPartition, user(7, {49, 50})).empty());
  CHECK_FALSE(world.call(kRescan, user(7, {49, 50})).empty());
  CHECK(world.call(kRescan, user(8)).empty());
  CHECK_FALSE(world.call(kList, user(8)).empty());
  // A group's number is not a user's.
  CHECK_FALSE(world.call(kList, user(50, {7})).empty());
  // Root is nobody special.
  CHECK_FALSE(world.call(kList, user(0, {0})).empty());
}

TEST_CASE("everybody and all methods can be said") {
  Permissions permissions{"modules.disk.permissions",
                          {rule({}, {}, {"reads_only"}), rule({9}, {}, {"*"})}};
  permissions.rules[0].callers.everybody = true;
  PermissionsWorld world{permissions};
  CHECK(world.call(kList, user(7)).empty());
  CHECK_FALSE(world.call(kRescan, user(7)).empty());
  CHECK(world.call(kRescan, user(9)).empty());
}

TEST_CASE(
    "a rule that names nobody or nothing allows nothing, and a caller without ids is nobody") {
  PermissionsWorld world{{"modules.disk.permissions", {rule({}, {}, {"*"}), rule({7}, {}, {})}}};
  CHECK_FALSE(world.call(kList, user(7)).empty());
  CHECK_FALSE(world.call(kList, user(0)).empty());
  PermissionsWorld open{{"modules.disk.permissions", {rule({7}, {}, {"*"})}}};
  CHECK(open.call(kList, {"embedder", "embedder", nullptr})
            .starts_with("embedder may not call v1.Disk/ListDiskIDs"));
}

TEST_CASE("what an endpoint allows must be allowed by the module as well") {
  const Permissions endpoint{"endpoints.all.permissions",
                             {rule({7}, {}, {"v1.Disk"}), rule({8}, {}, {"*"})}};
  PermissionsWorld world{
      {"modules.disk.permissions", {rule({7}, {}, {"*"}), rule({8}, {}, {"reads_only"})}}};
  const auto seven = allowed_methods(endpoint, ids_of(7));
  const auto eight = allowed_methods(endpoint, ids_of(8));
  CHECK(world.call(kPartition, user(7), seven).empty());
  CHECK(world.call(kRescan, user(7), seven) ==
        "uid:7 may not call v1beta1.Disk/Rescan; endpoints.all.permissions in the configuration "
        "does not allow it");
  CHECK(world.call(kList, user(8), eight).empty());
  CHECK(world.call(kRescan, user(8), eight).find("modules.disk.permissions") != std::string::npos);
  CHECK_FALSE(world.call(kList, user(9), allowed_methods(endpoint, ids_of(9))).empty());
}

TEST_CASE("a module that calls is judged by its may_call, not by who it calls for") {
  PermissionsWorld world{{"modules.disk.permissions", {rule({7}, {}, {"*"})}}};
  const auto may_call = std::make_shared<const std::set<std::string, std::less<>>>(
      std::set<std::string, std::less<>>{"v1.Disk/ListDiskIDs"});
  CHECK(world.call(kList, {"module:volume", "uid:9", may_call}).empty());
  CHECK(world.call(kPartition, {"module:volume", "uid:7", may_call}) ==
        "module:volume may not call v1.Disk/PartitionDisk; its may_call in the configuration does "
        "not name it");
}

}  // namespace longshore::router
