// What tests ask an agent at its control socket or pipe.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "longshore/admin/v1.pb.h"
#include "tests/support/test_client.h"

namespace longshore::test {

struct Upgraded {
  StatusCode code;
  std::string text;
  admin::v1::UpgradeResponse response;
};

inline Upgraded upgrade_at(const std::string& control, const std::string& module,
                           const std::string& file) {
  TestClient client(control);
  admin::v1::UpgradeRequest request;
  request.set_module(module);
  request.set_file(file);
  const auto answer = client.call("longshore.admin.v1.Admin/Upgrade", request.SerializeAsString());
  Upgraded upgraded{answer->code(), answer->text(), {}};
  if (!answer->messages.empty()) upgraded.response.ParseFromString(answer->messages[0]);
  return upgraded;
}

inline admin::v1::Module module_at(const std::string& control, const std::string& name) {
  TestClient client(control);
  const auto answer = client.call("longshore.admin.v1.Admin/ListModules", {});
  admin::v1::ListModulesResponse response;
  REQUIRE(response.ParseFromString(answer->messages.at(0)));
  for (const auto& module : response.modules()) {
    if (module.name() == name) return module;
  }
  FAIL("there is no module " << name);
  return {};
}

}  // namespace longshore::test
