// What the module's file says of itself.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "longshore/module/descriptors.pb.h"
#include "tests/support/build_tree.h"
#include "tests/support/loaded_module.h"

namespace longshore::system {
namespace {

using test::LoadedModule;

TEST_CASE("the description names what csi-proxy's clients look for") {
  const LoadedModule module(test::built_module("system"));
  const auto& description = module.description();
  CHECK(module.entry().name == std::string("longshore-system"));
  REQUIRE(description.csi_proxy_endpoints_size() == 1);
  CHECK(description.csi_proxy_endpoints(0).group() == "system");
  CHECK(description.csi_proxy_endpoints(0).version() == "v1alpha1");
  CHECK(description.csi_proxy_endpoints(0).service() == "v1alpha1.System");
  REQUIRE(description.services_size() == 1);
  CHECK(description.services(0) == "v1alpha1.System");

  module::descriptors::FileSet files;
  REQUIRE(files.ParseFromString(description.file_descriptor_set()));
  std::set<std::string> methods;
  for (const auto& file : files.file()) {
    for (const auto& service : file.service()) {
      CHECK(file.package() + "." + service.name() == "v1alpha1.System");
      for (const auto& method : service.method()) {
        CAPTURE(method.name());
        methods.insert(method.name());
        CHECK(method.input_type() == ".v1alpha1." + method.name() + "Request");
        CHECK(method.output_type() == ".v1alpha1." + method.name() + "Response");
        CHECK(method.options().method().reads_only() == method.name().starts_with("Get"));
        CHECK(method.options().method().idempotent());
      }
    }
  }
  CHECK(methods ==
        std::set<std::string>{"GetBIOSSerialNumber", "StartService", "StopService", "GetService"});
}

}  // namespace
}  // namespace longshore::system
