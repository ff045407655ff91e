#include "support/allowed_roots.h"

#include <catch2/catch.hpp>

namespace longshore::support {
namespace {

PosixPath path(std::string_view text) { return *PosixPath::parse(text, "test"); }

TEST_CASE("a path within a root is allowed, the root itself included") {
  const auto roots = *AllowedRoots::from({"/mnt/a/", "/var/lib/kubelet"});
  CHECK(roots.check("/var/lib/kubelet", "test"));
  CHECK(roots.check("/var/lib//kubelet/pods/", "test")->text() == "/var/lib/kubelet/pods");
  CHECK(roots.check("/mnt/a/b", "test"));
}

TEST_CASE("a path outside of the roots is refused and told the roots") {
  const auto roots = *AllowedRoots::from({"/var/lib/kubelet", "/mnt"});
  const std::string outside =
      GENERATE("/var/lib/kubeletX", "/var/lib", "/", "/etc/passwd", "/mnt2/x", "/MNT/x");
  CAPTURE(outside);
  const auto result = roots.check(outside, "remove");
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == StatusCode::kPermissionDenied);
  CHECK(result.error().message() ==
        "cannot remove \"" + outside +
            "\": the path is not within the allowed roots [\"/mnt\", \"/var/lib/kubelet\"]; "
            "settings.allowed_roots of the module says which paths may be reached");
}

TEST_CASE("a bad path is a bad path before it is outside") {
  const auto roots = *AllowedRoots::from({"/mnt"});
  CHECK(roots.check("/etc/../mnt", "test").error().code() == StatusCode::kInvalidArgument);
  CHECK(roots.check("/mnt/../etc", "test").error().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("of nested roots the widest counts") {
  const auto roots = *AllowedRoots::from({"/a/b/c", "/a", "/a/b"});
  CHECK(roots.root_of(path("/a/b/c/d"))->text() == "/a");
  CHECK(roots.root_of(path("/ab")) == nullptr);
}

TEST_CASE("what would take a root along is known") {
  const auto roots = *AllowedRoots::from({"/a/b", "/a/b/c"});
  CHECK(roots.root_within(path("/a"))->text() == "/a/b");
  CHECK(roots.root_within(path("/a/b"))->text() == "/a/b");
  CHECK(roots.root_below(path("/a/b"))->text() == "/a/b/c");
  CHECK(roots.root_below(path("/a/b/c")) == nullptr);
  CHECK(roots.root_within(path("/a/b/x")) == nullptr);
}

TEST_CASE("a root may be the whole tree") {
  const auto roots = *AllowedRoots::from({"/"});
  CHECK(roots.check("/etc", "test"));
  CHECK(roots.root_within(path("/"))->text() == "/");
}

TEST_CASE("roots that cannot be meant are refused") {
  CHECK_THAT(AllowedRoots::from({}).error().message(), Catch::Contains("names no directory"));
  const std::string bad = GENERATE("", "relative", "/a/../b", "C:\\var\\lib\\kubelet");
  CAPTURE(bad);
  const auto result = AllowedRoots::from({"/mnt", bad});
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(result.error().message(), Catch::Contains("use as an allowed root"));
}

}  // namespace
}  // namespace longshore::support
