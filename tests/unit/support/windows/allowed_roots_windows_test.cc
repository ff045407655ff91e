// The rules of allowed_roots_test.cc where they differ on Windows: drives, and names without regard
// to case.
#include <catch2/catch.hpp>

#include "support/allowed_roots.h"

namespace longshore::support {
namespace {

WindowsPath root_path(std::string_view text) { return *WindowsPath::parse(text, "test"); }

TEST_CASE("a path within a root is allowed on Windows, in whatever case it is written") {
  const auto roots = *AllowedRoots::from({"C:\\var\\lib\\kubelet", "d:\\"});
  CHECK(roots.check("C:\\var\\lib\\kubelet", "test"));
  CHECK(roots.check("c:\\VAR\\lib\\Kubelet\\pods\\", "test")->text() ==
        "C:\\VAR\\lib\\Kubelet\\pods");
  CHECK(roots.check("D:\\x", "test"));
}

TEST_CASE("a path outside of the roots is refused on Windows too") {
  const auto roots = *AllowedRoots::from({"C:\\var\\lib\\kubelet"});
  const std::string outside =
      GENERATE("C:\\var\\lib\\kubeletX", "C:\\var\\lib", "C:\\", "D:\\var\\lib\\kubelet");
  CAPTURE(outside);
  const auto result = roots.check(outside, "remove");
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == StatusCode::kPermissionDenied);
  CHECK_THAT(result.error().message(),
             Catch::Contains("not within the allowed roots [\"C:\\var\\lib\\kubelet\"]"));
}

TEST_CASE("a path without a drive is held to the roots like any other") {
  const auto roots = *AllowedRoots::from({"C:\\var\\lib\\kubelet", "D:\\data"});
  CHECK(roots.check_rooted("\\var\\lib\\kubelet\\plugins", "test")->text() ==
        "C:\\var\\lib\\kubelet\\plugins");
  const std::string outside = GENERATE("\\", "\\var\\lib\\kubeletX", "\\data\\x");
  CAPTURE(outside);
  CHECK(roots.check_rooted(outside, "test").error().code() == StatusCode::kPermissionDenied);
  CHECK(roots.check(outside, "test").error().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("what would take a root along is known, whatever its case") {
  const auto roots = *AllowedRoots::from({"C:\\a\\\u00e4"});
  CHECK(roots.root_within(root_path("c:\\A"))->text() == "C:\\a\\\u00e4");
  CHECK(roots.root_within(root_path("c:\\A\\\u00c4"))->text() == "C:\\a\\\u00e4");
  CHECK(roots.root_within(root_path("C:\\a\\x")) == nullptr);
}

}  // namespace
}  // namespace longshore::support
