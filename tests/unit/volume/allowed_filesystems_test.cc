#include "volume/allowed_filesystems.h"

#include <catch2/catch.hpp>

#include "tests/support/outcome.h"

namespace longshore::volume {
namespace {

using test::outcome;

TEST_CASE("only the types that are named are allowed, letter for letter") {
  const auto allowed = AllowedFilesystems::from({"ext4", "ntfs3"});
  REQUIRE(allowed);
  CHECK(allowed->check("ext4", "mount", "a"));
  CHECK(allowed->check("ntfs", "mount", "a"));
  for (const char* other : {"", "ext", "ext3", "ext44", "EXT4", "vfat", "ntfs3", "ext4 "}) {
    CAPTURE(other);
    CHECK(outcome(allowed->check(other, "mount", "a")) == "FAILED_PRECONDITION");
  }
  CHECK_THAT(allowed->check("vfat", "mount", "PARTUUID=1").error().message(),
             Catch::Contains("PARTUUID=1") && Catch::Contains("type vfat") &&
                 Catch::Contains("allowed_filesystems"));
}

TEST_CASE("nothing is allowed by an empty list") {
  CHECK(outcome(AllowedFilesystems::from({})->check("ext4", "mount", "a")) ==
        "FAILED_PRECONDITION");
}

TEST_CASE("what is no name of a filesystem is refused") {
  for (const std::string& name :
       {std::string(), std::string("*"), std::string("EXT4"), std::string("ext4,xfs"),
        std::string("ext4\n"), std::string("a\0b", 3), std::string(33, 'x')}) {
    CAPTURE(name);
    CHECK(outcome(AllowedFilesystems::from({"ext4", name})) == "INVALID_ARGUMENT");
  }
}

}  // namespace
}  // namespace longshore::volume
