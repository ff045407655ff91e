// Whom the routes let to what the agent serves itself.
#include "core/route_table_builder.h"

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>

#include "services/host_service.h"
#include "tests/unit/router/test_target.h"

namespace longshore::core {
namespace {

using Allowed = std::set<std::string, std::less<>>;

const std::string kService = "longshore.admin.v1.Admin";
const std::string kReload = kService + "/Reload";

loader::ModuleDescription described() {
  loader::ModuleDescription description;
  description.services = {kService};
  router::Method method;
  method.service = kService;
  method.name = "Reload";
  method.full_name = kReload;
  description.methods.push_back(method);
  return description;
}

class ForEndpoints final : public services::HostService {
 public:
  ForEndpoints() : HostService(described()) {}
  bool for_endpoints() const override { return true; }
  router::Target& target() override { return *target_; }

 private:
  const std::shared_ptr<router::TestTarget> target_ = std::make_shared<router::TestTarget>();
};

}  // namespace

TEST_CASE("What the agent serves to endpoints no module may call, whatever its may_call names") {
  services::HostServices services;
  services.add(std::make_shared<ForEndpoints>());
  router::Timers timers;
  router::Router router(timers, {});
  loader::CatalogHolder catalog;
  observe::CallMetrics metrics;
  RouteTableBuilder(services, router, catalog, metrics).publish({});
  const auto observer = std::make_shared<router::Recorder>();
  const auto call = [&](router::Caller caller) {
    router::CallRequest request;
    request.method = kReload;
    request.caller = std::make_shared<router::Caller>(std::move(caller));
    request.observer = observer;
    return router.call(std::move(request));
  };
  for (const std::string& name : {kReload, kService}) {
    const auto may_call = std::make_shared<const Allowed>(Allowed{name});
    CHECK_FALSE(call({"module:a", "module:a", may_call}));
    CHECK(observer->code() == StatusCode::kPermissionDenied);
    CHECK(observer->text() ==
          "module:a may not call longshore.admin.v1.Admin/Reload; the agent "
          "serves it to endpoints only, whatever may_call names");
  }
  const auto from_endpoint = call({"uid:0", "uid:0", nullptr});
  REQUIRE(from_endpoint);
  from_endpoint->finish(StatusCode::kOk, {});
}

}  // namespace longshore::core
