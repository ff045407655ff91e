#include "tests/drivers/lost_disk.h"

#include <catch2/catch.hpp>

#include "tests/drivers/node_files.h"
#include "tests/drivers/node_methods.h"
#include "tests/support/node_path.h"

namespace longshore::test {
namespace {

// Whether it has succeeded; else says why not.
bool succeeds(const MethodEnd& end) {
  UNSCOPED_INFO(end.failure);
  return end.is_success;
}

}  // namespace

void check_lost_disk(const Driver& driver, const Nodes& nodes) {
  CAPTURE(driver.name);
  const auto node = nodes.usual();
  NodeFiles& files = node->files();
  {
    NodeMethods methods(driver, *node);
    REQUIRE(succeeds(methods.stage()));
    REQUIRE(succeeds(methods.publish()));
    files.write(node_path(methods.target() + "/file"), "nobody will read it");
    REQUIRE_THAT(node->log(), !Catch::Contains("is lost"));

    node->lose_disk();
    CHECK(succeeds(methods.unpublish()));
    CHECK_FALSE(files.exists(methods.target()));
    // Those that set the disk offline at the end fail there: it has no number any more. They find
    // nothing to do when they are asked again.
    const MethodEnd first = methods.unstage();
    INFO("first: " << first.failure);
    CHECK((first.is_success || succeeds(methods.unstage())));
    CHECK_FALSE(files.is_mount_point(methods.staging()));
    CHECK_FALSE(files.exists(methods.staging()));
    CHECK_THAT(node->log(), Catch::Contains("what was not written to it is lost"));
  }
  NodeMethods next(driver, *node);
  CHECK(succeeds(next.stage()));
  CHECK(files.is_mount_point(next.staging()));
  CHECK(succeeds(next.unstage()));
}

}  // namespace longshore::test
