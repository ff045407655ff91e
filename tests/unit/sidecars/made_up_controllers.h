// Controllers that are installed, for tests of the command line: a livenessprobe, a
// node-driver-registrar, a resizer with an option of each type, an attacher of the API server's
// objects, and one that is no sidecar.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sidecars/installed_controllers.h"

namespace longshore::sidecars::test {

inline config::OptionSchema option(std::string name, config::OptionType type,
                                   config::OptionValue default_value) {
  config::OptionSchema schema;
  schema.name = std::move(name);
  schema.type = type;
  schema.default_value = std::move(default_value);
  schema.doc = "What it is for.";
  return schema;
}

inline config::ModuleSchema controller(std::vector<std::string> calls,
                                       std::vector<config::OptionSchema> options) {
  config::ModuleSchema schema;
  schema.summary = "A controller.";
  schema.is_controller = true;
  schema.calls = std::move(calls);
  schema.options = std::move(options);
  return schema;
}

inline InstalledControllers made_up_controllers() {
  using enum config::OptionType;
  constexpr int64_t kSecond = 1'000'000'000;
  const auto address = option("csi_address", kString, "/run/csi/socket");
  auto path = option("kubelet_registration_path", kString, "");
  path.default_value.reset();
  auto port = option("health_port", kInt, int64_t{9808});
  port.range = {1, 65535};
  auto probe_timeout = option("probe_timeout", kDuration, kSecond);
  probe_timeout.range = {1'000'000, 600 * kSecond};
  auto level = option("level", kString, "low");
  level.one_of = {"low", "high"};
  auto password = option("password", kInt, int64_t{0});
  password.secret = true;
  InstalledControllers installed;
  installed.described = {
      {"livenessprobe",
       controller({"longshore.host.v1.Csi/CallIdentity"},
                  {address, option("http_endpoint", kString, ""), port, probe_timeout})},
      {"node-driver-registrar",
       controller({}, {address, path, option("health_port", kInt, int64_t{0}),
                       option("timeout", kDuration, kSecond)})},
      {"resizer",
       controller({}, {address, option("timeout", kDuration, 10 * kSecond),
                       option("ratio", kFloat, 5.0), option("leader_election", kBool, false),
                       option("leader_election_labels", kStrings, std::vector<std::string>()),
                       option("handle_inuse_error", kBool, true), level, password})},
      {"vendors", controller({}, {option("color", kString, "red")})},
  };
  config::ModuleSchema attacher =
      controller({"longshore.host.v1.Kube/Watch"}, {address, option("timeout", kDuration, kSecond),
                                                    option("worker_threads", kInt, int64_t{10})});
  attacher.kube_grants = {
      {"status", {"storage.k8s.io"}, {"volumeattachments/status"}, {"patch"}},
      {"volumes", {""}, {"persistentvolumes"}, {"list", "watch"}},
  };
  attacher.wait_for_driver_option = "csi_address";
  attacher.lease = "attacher-leader-{driver}";
  installed.described.emplace("attacher", std::move(attacher));
  installed.unreadable = {{"broken", "cannot open the module \"/m/longshore-broken.so\": no"}};
  return installed;
}

}  // namespace longshore::sidecars::test
